/** The pencil grid: what a player notes of each digit at each place. Own marks only, kept in this browser, never read by the rest. */

const MARKS = [".", "x", "o", "+"]; // nothing, not there, perhaps, surely
const LOOKS = ["", "out", "maybe", "sure"];
const DIGITS = "1234567890";
const PLACE = "pencil";
const KEPT = 20; // matches

const grid = document.getElementById("pencil");
const words = grid?.dataset ?? {};
const cells = () => [...grid.querySelectorAll("[data-cell]")];
let length = 0;

const all = () => JSON.parse(localStorage.getItem(PLACE) ?? "{}");
const marks = () => [...(all()[words.match] ?? "").padEnd(DIGITS.length * length, MARKS[0])];

function keep(row) {
  const { [words.match]: _, ...others } = all();
  const entries = [...Object.entries(others), [words.match, row.join("")]].slice(-KEPT);
  localStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(entries)));
}

function paint() {
  const row = marks();
  grid.toggleAttribute("data-bare", row.every((mark) => mark === MARKS[0]));
  for (const cell of cells()) {
    const { digit, place, cell: at } = cell.dataset;
    const mark = Math.max(0, MARKS.indexOf(row[at]));
    cell.className = `note-of ${LOOKS[mark]}`;
    const said = [words.none, words.out, words.maybe, words.sure][mark];
    cell.ariaLabel = words.cell.replace("{digit}", digit).replace("{place}", place).replace("{mark}", said);
  }
}

function make(tag, fields, ...children) {
  const element = Object.assign(document.createElement(tag), fields);
  element.append(...children);
  return element;
}

/** One row a digit, one column a place; one cell alone is a stop of the Tab key, and arrows lead to the others. */
function draw() {
  const places = Array.from({ length }, (_, n) => n + 1);
  const body = [...DIGITS].map((digit, line) => {
    const buttons = places.map((place) => {
      const button = make("button", { type: "button", id: `note-${digit}-${place}`, tabIndex: -1 });
      Object.assign(button.dataset, { cell: line * length + place - 1, digit, place });
      return make("td", { role: "gridcell" }, button);
    });
    return make("tr", {}, make("th", { scope: "row", textContent: digit }), ...buttons);
  });
  const heads = places.map((place) => make("th", { scope: "col", textContent: place }));
  grid.querySelector("table").append(
    make("thead", {}, make("tr", {}, make("td", {}), ...heads)),
    make("tbody", {}, ...body),
  );
  cells()[0].tabIndex = 0;
}

function turn(cell) {
  const row = marks();
  const at = cell.dataset.cell;
  row[at] = MARKS[(MARKS.indexOf(row[at]) + 1) % MARKS.length];
  keep(row);
  paint();
  grid.querySelector("[role=status]").textContent = cell.ariaLabel;
}

function go(cell) {
  for (const each of cells()) each.tabIndex = each === cell ? 0 : -1;
  cell.focus();
}

/** Where a key leads from a cell, or null. */
function next(key, at) {
  const column = at % length;
  const line = at - column;
  const steps = { ArrowLeft: column ? at - 1 : at, ArrowRight: column < length - 1 ? at + 1 : at };
  Object.assign(steps, { ArrowUp: at - length, ArrowDown: at + length, Home: line, End: line + length - 1 });
  return cells()[steps[key]] ?? null;
}

const opener = () => document.querySelector("[data-pencil-open]");

/** The button stands in what is replaced: it is told again whether the grid is open. */
export function dress(playing) {
  if (!playing) close();
  opener()?.setAttribute("aria-expanded", String(Boolean(grid && !grid.hidden)));
}

function open() {
  if (!length) {
    length = Number(words.length);
    draw();
  }
  paint();
  show(true);
  go(grid.querySelector("[data-cell][tabindex='0']"));
}

function close() {
  if (!grid || grid.hidden) return;
  const held = grid.contains(document.activeElement);
  show(false);
  if (held) opener()?.focus();
}

function show(shown) {
  grid.hidden = !shown;
  document.documentElement.toggleAttribute("data-pencil", shown);
  opener()?.setAttribute("aria-expanded", String(shown));
  dispatchEvent(new Event("resize")); // the boards have another height now
}

document.addEventListener("click", (event) => {
  const on = (selector) => event.target.closest?.(selector);
  if (on("[data-pencil-open]")) {
    if (grid.hidden) open();
    else close();
  } else if (on("[data-pencil-close]")) close();
  else if (on("[data-cell]")) {
    go(on("[data-cell]"));
    turn(on("[data-cell]"));
  } else if (on("[data-pencil-clear]")) {
    keep([]);
    paint();
  }
});

grid?.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // Digits are for the guess, also from here: where the grid stands in its place, it makes way.
  const typing = DIGITS.includes(event.key) && !document.getElementById("dock").offsetParent;
  if (typing || event.key === "Escape") close();
  const at = event.target.dataset.cell;
  const cell = at === undefined ? null : next(event.key, Number(at));
  if (!cell) return;
  event.preventDefault();
  go(cell);
});

addEventListener("storage", (event) => event.key === PLACE && length && paint());
