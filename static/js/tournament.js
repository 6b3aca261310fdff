/** The tournament page: its live part comes as HTML, is put in its place, and said once. */

import { text } from "./clock.js";
import { openLine } from "./socket.js";

const page = document.getElementById("tournament");
const cup = () => document.getElementById("cup");

const clocks = new Map(); // by match: what its two had left, whose time ran, and when that was said

/** What is left in each match under way is subtracted from what was said last; the bold one's time runs. */
function paint() {
  const now = Date.now();
  for (const node of document.querySelectorAll(".node[data-match]")) {
    const said = clocks.get(node.dataset.match);
    if (!said) continue;
    for (const [seat, place] of node.querySelectorAll("i").entries()) {
      const words = text(Math.max(0, said.clocks[seat] - (said.running[seat] ? now - said.at : 0)));
      if (place.textContent !== words) place.textContent = words;
      place.classList.toggle("on", said.running[seat]);
    }
  }
}

function heard(frame) {
  for (const [match, said] of Object.entries(frame.matches ?? {})) clocks.set(match, { ...said, at: Date.now() });
  if (frame.type === "clocks") paint();
  if (frame.type !== "tournament" || frame.revision <= Number(cup().dataset.revision)) return;
  const before = document.getElementById("bracket")?.scrollLeft;
  htmx.swap(document.body, frame.html, { swapStyle: "none" });
  const bracket = document.getElementById("bracket");
  if (bracket && before !== undefined) bracket.scrollLeft = before;
  document.getElementById("told").textContent = frame.say;
  address();
  paint();
}

/** A bracket wider than the screen opens on what is being played. */
function show() {
  const bracket = document.getElementById("bracket");
  const live = bracket?.querySelector(".node.live.own") ?? bracket?.querySelector(".node.live");
  if (live) bracket.scrollLeft = live.closest(".round").offsetLeft - bracket.offsetLeft;
}

/** The address that a champion's page offers to copy and to share. */
function address() {
  for (const field of document.querySelectorAll("[data-address]")) field.value = page.dataset.link;
}

openLine({
  path: page.dataset.socket,
  query: () => ({ lang: page.dataset.lang }),
  heard,
  changed: () => {},
  ticking: () => false,
});
show();
address();
setInterval(paint, 500);
