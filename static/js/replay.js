/** Looking back on a match: arrow keys press the links, and what a step shows is read out and in view. */

const say = document.getElementById("say");
const stage = () => document.getElementById("replay");
let shown = stage();

function follow() {
  const runs = document.getElementById("runs");
  const rows = [...runs.querySelectorAll("[data-kind=guess]")];
  const lowest = Math.max(0, ...rows.map((row) => row.offsetTop + row.offsetHeight - runs.offsetTop));
  runs.scrollTop = lowest + 16 - runs.clientHeight;
  runs.classList.toggle("past", runs.scrollTop > 0);
  if (runs.scrollHeight > runs.clientHeight + 1) runs.tabIndex = 0;
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
  follow();
});
follow();
