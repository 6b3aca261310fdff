/** Looking back on a match: arrow keys press the links, and what a step shows is read out and in view. */

import { follow } from "./runs.js";

const say = document.getElementById("say");
const stage = () => document.getElementById("replay");
let shown = stage();

/** A step back has a newest row further up: the boards are looked through from the top each time. */
function show() {
  document.getElementById("runs").scrollTop = 0;
  follow();
}

addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = [...document.querySelectorAll("[data-step]")].find((each) => each.dataset.step === event.key);
  if (!link || link.ariaDisabled) return;
  event.preventDefault();
  link.click();
});

document.addEventListener("htmx:afterSettle", () => {
  if (stage() === shown) return; // something else on the page has changed
  shown = stage();
  say.textContent = document.getElementById("happened").textContent;
  show();
});
show();
