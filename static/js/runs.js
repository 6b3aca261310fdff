/** The boards between seats and dock: the newest row is in view, and what is scrolled away fades. */

const runs = () => document.getElementById("runs");

/** Keep the newest row in view, by moving the boards and never the page. */
export function follow() {
  const boards = runs();
  if (!boards) return;
  const lowest = [...boards.querySelectorAll("[data-kind=guess],[data-kind=slot]")]
    .map((row) => row.offsetTop + row.offsetHeight - boards.offsetTop)
    .reduce((a, b) => Math.max(a, b), 0);
  const foot = 16;
  if (lowest + foot > boards.scrollTop + boards.clientHeight) boards.scrollTop = lowest + foot - boards.clientHeight;
  faded();
  if (boards.scrollHeight > boards.clientHeight + 1) boards.tabIndex = 0;
  else boards.removeAttribute("tabindex");
}

function faded() {
  runs()?.classList.toggle("past", runs().scrollTop > 0);
}

/** Of another height, the boards show as many of the older rows as fit again. */
addEventListener("resize", () => {
  if (runs()) runs().scrollTop = 0;
  follow();
});
document.addEventListener("scroll", faded, { capture: true, passive: true });
