/** The match page: frames in, commands out. The server writes all HTML; this module only puts it in its place. */

import * as clock from "./clock.js";
import * as feel from "./feel.js";
import * as keypad from "./keypad.js";
import { notify } from "./notify.js";
import * as pencil from "./pencil.js";
import { follow } from "./runs.js";
import { openLine } from "./socket.js";
import * as switches from "./switches.js";

const root = document.documentElement;
const words = document.getElementById("words").dataset;
const phone = matchMedia("(max-width:47.99rem)");
const byId = (id) => document.getElementById(id);
const stage = () => byId("stage");
const seat = () => (stage().dataset.you === "" ? null : Number(stage().dataset.you));

let version = Number(stage().dataset.version);
let yourTurn = stage().dataset.yourTurn === "1";
let title = document.title;
let swapped = false;
let flying = null; // the guess that has been sent and not been marked: { ref, code, n, before }
let again = byId("again")?.dataset.rematch;
let waiting = null; // frames that have come while the guess that ended the match is looked at

// What the server says

const hears = {
  stage(frame) {
    if (frame.closing && stage().dataset.phase === "playing" && !document.hidden) return linger(frame);
    replaceStage(parse(frame.html));
    settle(frame);
  },
  event(frame) {
    if (frame.version <= version) return;
    const parts = parse(frame.html);
    const fresh = parts.querySelector(".row.turn");
    if (parts.querySelector("#stage")) replaceStage(parts);
    else keepingFocus(() => [...parts.children].forEach(place));
    if (frame.event === "guess" && frame.seat === seat() && fresh) feel.marked(fresh);
    settle(frame);
  },
  tick: clock.hear,
  presence(frame) {
    keepingFocus(() => [...parse(frame.html ?? "").children].forEach(place));
    dress();
  },
  watchers(frame) {
    [...parse(frame.html).children].forEach(place);
  },
  said(frame) {
    version = Math.max(version, frame.version);
    show(frame.text);
    say("say", frame.text);
  },
  ok(frame) {
    line.answered(frame.ref);
    busy();
  },
  refused(frame) {
    const asked = line.answered(frame.ref);
    if (!asked) return; // a flag that has not fallen
    if (flying?.ref === frame.ref) takeBack();
    say("alert", frame.detail);
    if (asked.type === "say") return show(frame.detail);
    const note = byId("note");
    if (note) note.textContent = frame.detail;
    byId("code")?.setAttribute("aria-invalid", "true");
    busy();
  },
};

const CLOSING_MS = 1200;

function heard(frame) {
  if (waiting) waiting.push(frame);
  else hears[frame.type]?.(frame);
}

/** The guess that ends a match turns over on its board before the end takes the board's place. */
function linger(frame) {
  const row = parse(frame.closing).firstElementChild;
  flying = null;
  yourTurn = false;
  place(row);
  if (row.id.startsWith(`row-${seat()}-`)) feel.marked(row);
  clock.hear(frame);
  dress();
  for (const each of document.querySelectorAll(".seat")) {
    each.querySelector(".say").textContent = Number(each.dataset.seat) === seat() ? frame.title : "\u00a0";
  }
  waiting = [{ ...frame, closing: "" }];
  setTimeout(() => {
    const kept = waiting;
    waiting = null;
    kept.forEach(heard);
  }, CLOSING_MS);
}

function settle(frame) {
  const news = frame.version !== version;
  version = frame.version;
  const waited = !yourTurn;
  yourTurn = frame.turn !== null && frame.turn === seat();
  if (yourTurn && waited) feel.turn();
  const before = title;
  document.title = title = `${frame.title} · ${words.site}`;
  if (frame.calls && title !== before) notify(frame.title, { body: frame.say, tag: words.call });
  clock.hear(frame);
  dress();
  if (frame.say && news) say("say", frame.say);
  const made = byId("again")?.dataset;
  if (made?.rematch && made.rematch !== again && seat() !== null) location.assign(made.href);
  again = made?.rematch;
}

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

/** Put an element where the one of its id stands; a row that stands nowhere yet goes to the end of its board. */
function place(element) {
  if (element.id === "seals") return placeSeals(element);
  const old = byId(element.id);
  if (old?.matches("[data-seat]")) element.disabled = old.disabled; // what cannot be pressed cannot keep the focus
  if (old) old.replaceWith(element);
  else byId(element.id.replace(/^row-(\d)-\d+$/, "board-$1"))?.append(element);
}

/** Under what a reader has unfolded it stays unfolded, and what says the same is left alone. */
function placeSeals(seals) {
  const old = byId("seals");
  if (!old || old.textContent === seals.textContent) return;
  const open = old.querySelector("details")?.open;
  old.replaceWith(seals);
  const details = seals.querySelector("details");
  if (details) details.open = Boolean(open);
}

function replaceStage(parts) {
  const [next, seals] = [parts.querySelector("#stage"), parts.querySelector("#seals")];
  const before = stage().dataset.phase;
  const [doing, code, note] = [task(), keypad.typed(), byId("note")?.textContent];
  const sheet = byId("sheet");
  const held = stage().contains(document.activeElement) || sheet.contains(document.activeElement);
  const moved = next.dataset.phase !== before;
  // What the end tells says the same for good, and stays as its reader has left it: analysed, unfolded, checked.
  for (const [place, told] of [["boards", byId("analysis")], ["seals-over", byId("seals-over")]]) {
    if (told) next.querySelector(`#${place}`)?.replaceWith(told);
  }
  keepingFocus(() => {
    stage().replaceWith(next);
    if (seals) placeSeals(seals);
    // A draft and a refusal stand for as long as there is the same to be done: a secret never becomes a guess.
    if (moved || task() !== doing) return;
    keypad.write(code);
    if (note && byId("note")) byId("note").textContent = note;
  });
  document.body.dataset.phase = next.dataset.phase;
  giveTokens(next);
  htmx.process(next);
  const ended = moved && next.dataset.phase === "over";
  if (moved) scrollTo(0, 0);
  if (ended) feel.over(next);
  if (ended && sheet.matches(":popover-open")) sheet.hidePopover();
  if (held && document.activeElement === document.body) next.querySelector("h1")?.focus({ preventScroll: true });
}

/** Change the page without taking the reader's place in it: what had the focus, by its id, has it after. */
function keepingFocus(change) {
  const { id, selectionStart, selectionEnd } = document.activeElement ?? {};
  change();
  const now = id && byId(id);
  if (!now || now === document.activeElement) return;
  now.focus({ preventScroll: true });
  if (selectionStart != null) now.setSelectionRange?.(selectionStart, selectionEnd);
}

/** Forms that come over the socket carry no token of their own: they get that of the page. */
function giveTokens(where) {
  const token = document.querySelector("[name=csrfmiddlewaretoken]");
  for (const form of token ? where.querySelectorAll("form[method=post]") : []) {
    if (!form.querySelector("[name=csrfmiddlewaretoken]")) form.prepend(token.cloneNode());
  }
}

// What the page wears after every change

function dress() {
  for (const each of document.querySelectorAll("[data-seat]")) {
    const near = each === document.querySelector("[data-seat]");
    each.disabled = !(phone.matches && byId("runs"));
    if (each.disabled) each.removeAttribute("aria-pressed");
    else each.setAttribute("aria-pressed", String(near !== swapped));
  }
  byId("duel")?.classList.toggle("swap", swapped && Boolean(byId("runs")));
  for (const toggle of document.querySelectorAll("[data-toggle=hide]")) {
    toggle.setAttribute("aria-pressed", String("hide" in root.dataset));
  }
  document.body.toggleAttribute("data-turn", yourTurn);
  const icon = yourTurn ? words.iconTurn : words.icon;
  if (byId("icon").getAttribute("href") !== icon) byId("icon").href = icon;
  switches.show();
  pencil.dress(stage().dataset.phase === "playing");
  fly();
  keypad.paint();
  clock.paint();
  follow();
}

/** Which buttons may be pressed: none whose order is on its way, and Guess or Ready only with all digits, in turn. */
function busy() {
  const waiting = line.waiting();
  const asked = (type) => waiting.some((frame) => frame.type === type);
  root.toggleAttribute("data-kept", waiting.length > 0);
  for (const form of document.querySelectorAll("form[data-command]")) {
    const type = form.dataset.command;
    const typing = type === "secret" || type === "guess";
    const full = !typing || keypad.typed().length === keypad.length();
    const turn = type !== "guess" || (yourTurn && flying === null);
    for (const button of form.elements) {
      if (button.type !== "submit") continue;
      // A button that is off loses the focus, and what is asked here leads to another in its place, which shall have it.
      if (typing) button.disabled = asked(type) || !full || !turn;
      else button.setAttribute("aria-disabled", String(asked(type)));
    }
  }
}

const task = () => byId("try")?.dataset.command;

const speaking = {};

/** Have `text` read out. A live region speaks when it changes, so it is emptied first, also for the same words twice. */
function say(where, text) {
  clearTimeout(speaking[where]);
  byId(where).textContent = "";
  speaking[where] = setTimeout(() => {
    speaking[where] = 0;
    byId(where).textContent = text;
  }, 30);
}

const TALK_MS = 6000;
let talking = 0;

/** What has been said stands over the page's lid for a while, where nothing moves for it. */
function show(text) {
  clearTimeout(talking);
  byId("talk").textContent = text;
  talking = setTimeout(() => (byId("talk").textContent = ""), TALK_MS);
}

// What the player does

const newRef = () => [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function send(form) {
  const type = form.dataset.command;
  const frame = { type, ref: newRef() };
  if (type === "secret" || type === "guess") {
    if (byId("send").disabled) return;
    frame.code = keypad.typed();
    if (byId("send").matches(":focus-visible")) byId("code").focus({ preventScroll: true });
  } else if (line.waiting().some((asked) => asked.type === type)) return;
  if (type === "guess") {
    frame.n = Number(byId("n").value);
    flying = { ...frame, before: null };
  }
  const note = byId("note");
  if (note) note.textContent = "";
  line.ask(frame);
  if (type === "guess") {
    keypad.write("");
    fly();
    follow();
  }
  busy();
}

/** The guess that was sent stands in its row, dashed, until the server has marked it. */
function fly() {
  if (!flying) return;
  const row = byId(`row-${seat()}-${flying.n}`);
  if (!row || row.dataset.kind === "guess" || stage().dataset.phase !== "playing") {
    flying = null;
    return;
  }
  flying.before ??= row.cloneNode(true);
  const code = row.querySelector(".code");
  code?.replaceChildren(
    ...[...flying.code].map((digit) => Object.assign(document.createElement("b"), { textContent: digit })),
  );
  row.querySelectorAll(".tile").forEach((tile, at) => {
    tile.className = "tile sent";
    tile.textContent = code ? "" : flying.code[at];
  });
  const mood = byId(`seat-${seat()}`)?.querySelector(".say");
  if (mood) mood.textContent = words.marking;
}

function takeBack() {
  const { before, code } = flying;
  flying = null;
  if (before) place(before);
  const own = byId(`seat-${seat()}`);
  if (own?.dataset.say) own.querySelector(".say").textContent = own.dataset.say;
  if (!keypad.typed()) keypad.write(code);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.command || line.hopeless) return;
  event.preventDefault();
  send(form);
  if (form.dataset.command === "resign") {
    byId("ask").open = false;
    byId("sheet").hidePopover();
  }
});

/** What resigning means is asked in full view, with the way back where the finger still is. */
document.addEventListener("toggle", ({ target }) => {
  if (target.id === "ask" && target.open) byId("sheet").scrollTo(0, byId("sheet").scrollHeight);
}, true);

document.addEventListener("click", (event) => {
  const on = (selector) => event.target.closest?.(selector);
  const chosen = on("[data-seat]");
  if (chosen && !chosen.disabled) {
    swapped = chosen !== document.querySelector("[data-seat]");
    dress();
  }
  if (on("[data-toggle=hide]")) {
    root.toggleAttribute("data-hide");
    dress();
  }
  if (on("[data-say]")) {
    if (line.hopeless) show(words.shut);
    else line.ask({ type: "say", ref: newRef(), phrase: Number(on("[data-say]").dataset.say) });
    for (const id of ["phrases", "sheet"]) byId(id).hidePopover(); // it may have been opened from there
  }
  if (on("[data-unask]")) {
    byId("ask").open = false;
    byId("ask").querySelector("summary").focus();
  }
});

// The line

let lostTimer = 0;

function lineIs(state) {
  clearTimeout(lostTimer);
  if (state === "live") {
    // What happened meanwhile is the better news.
    if (root.dataset.line && !speaking.say) say("say", words.live);
    if (root.dataset.line) say("alert", "");
    delete root.dataset.line;
  } else if (root.dataset.line !== state) {
    // A blink is nobody's business.
    lostTimer = setTimeout(() => {
      root.dataset.line = state;
      say("alert", words[state]);
    }, state === "shut" ? 0 : 600);
  }
  busy();
}

keypad.listen({
  then: busy,
  typing() {
    feel.typed();
    byId("code").removeAttribute("aria-invalid");
    if (byId("note")) byId("note").textContent = "";
  },
  submit: () => byId("try")?.requestSubmit(byId("send")),
});
root.dataset.js = "";
clock.onLow((each, scarce, short) => feel.low(each, scarce, short, Number(each.dataset.seat) === seat()));
clock.read(stage());

const line = openLine({
  path: words.socket,
  query: () => ({ since: version, lang: words.lang }),
  heard,
  changed: lineIs,
  ticking: clock.runs,
});
clock.onZero(() => seat() !== null && line.tell({ type: "flag", ref: newRef() }));
phone.addEventListener("change", dress);
dress();
