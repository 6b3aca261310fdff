/** A board played alone: the keypad fills the form, htmx sends it, and the server's new stage takes the old one's place. */

import * as keypad from "./keypad.js";
import { follow } from "./runs.js";

const byId = (id) => document.getElementById(id);
const stage = () => byId("stage");

let closing = false;

/** Guess can be pressed once all digits are there, and until the last guess has been made. */
function busy() {
  if (byId("send")) byId("send").disabled = closing || keypad.typed().length !== keypad.length();
}

function note(text) {
  if (byId("note")) byId("note").textContent = text;
}

function dress() {
  keypad.paint();
  follow();
}

keypad.listen({ then: busy, typing: () => note(""), submit: () => !byId("send")?.disabled && byId("try")?.requestSubmit() });

let refused = "";

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  refused = detail.xhr.status >= 400 ? keypad.typed() : "";
  linger(detail);
});

/** The last guess turns over on its board before the end takes the board's place. */
function linger(detail) {
  const next = document.createElement("template");
  next.innerHTML = detail.serverResponse;
  const row = [...next.content.querySelectorAll("[data-phase=over] [data-kind=guess]")].at(-1);
  const place = row && byId(row.id);
  if (!place || place.dataset.kind === "guess") return; // given up
  row.classList.add("turn");
  place.replaceWith(row);
  closing = true;
  keypad.write("");
  follow();
  detail.swapOverride = "outerHTML swap:1200ms settle:0ms show:none";
}
document.addEventListener("htmx:afterRequest", busy); // htmx has let the button go again
document.addEventListener("htmx:afterSettle", () => {
  const over = stage().dataset.phase === "over";
  closing = false;
  document.body.dataset.phase = stage().dataset.phase;
  keypad.write(refused); // what was refused can be put right
  dress();
  byId("say").textContent = stage().dataset.say || byId("note")?.textContent || "";
  if (over) {
    scrollTo(0, 0);
    stage().querySelector("h1").focus({ preventScroll: true });
  }
});
for (const lost of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(lost, () => {
    note(byId("words").dataset.lost);
    busy();
  });
}

document.documentElement.dataset.js = "";
dress();
