/** Two clocks and their countdowns. Nothing is counted down: what is left is subtracted from what the server said last. */

let said = { clocks: [0, 0], running: [false, false], server: 0 };
let since = { steady: 0, wall: 0 };
let timer = 0;
let fallen = () => {};
let lowers = () => {};

/** A machine that slept may stop the steady clock, one that is set may move the wall clock: the later one is right. */
const passed = () => Math.max(performance.now() - since.steady, Date.now() - since.wall, 0);

export const left = (seat) => Math.max(0, said.clocks[seat] - (said.running[seat] ? passed() : 0));

export const runs = () => said.running.some(Boolean);

/** Call `then` when a clock or a countdown has reached zero, again each second until told otherwise. */
export function onZero(then) {
  fallen = then;
}

/** Call `then` at every painting with a seat, whether little is left to it, and whether its clock runs low now. */
export function onLow(then) {
  lowers = then;
}

/** Take over what a frame says. `age` is how old it is already, in ms. */
export function hear({ clocks, running, server_time: server }, age = 0) {
  said = { clocks: clocks ?? said.clocks, running: running ?? said.running, server: server ?? said.server };
  since = { steady: performance.now() - age, wall: Date.now() - age };
  paint();
}

/** Take over what the page itself was written with, as old as the answer that brought it. */
export function read(stage) {
  const seats = [...stage.querySelectorAll("[data-seat]")].sort((a, b) => a.dataset.seat - b.dataset.seat);
  if (seats.length < 2) return;
  const [navigation] = performance.getEntriesByType("navigation");
  hear(
    {
      clocks: seats.map((seat) => Number(seat.dataset.clock)),
      running: seats.map((seat) => "running" in seat.dataset),
      server_time: Number(stage.dataset.serverTime),
    },
    performance.now() - (navigation?.responseStart ?? 0),
  );
}

/** Milliseconds as a clock shows them: a started second counts, so 0:00 means over. */
export function text(ms) {
  const seconds = Math.ceil(ms / 1000);
  const pad = (n) => String(n).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}:${pad(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
}

const write = (element, words) => {
  if (element.textContent !== words) element.textContent = words;
};

export function paint() {
  clearTimeout(timer);
  const now = said.server + passed();
  const ends = [];
  for (const seat of document.querySelectorAll("[data-seat]")) {
    const { seat: index, full, low, forfeitsAt, grace } = seat.dataset;
    const ms = left(index);
    write(seat.querySelector(".clock"), text(ms));
    const scarce = ms <= Number(low);
    const short = Boolean(said.running[index]) && scarce;
    seat.classList.toggle("low", short);
    lowers(seat, scarce, short);
    if (said.running[index]) ends.push(ms);
    const part = forfeitsAt ? (forfeitsAt - now) / grace : ms / full;
    if (forfeitsAt || short) {
      seat.querySelector(".drain").style.setProperty("--p", Math.min(1, Math.max(0, part)).toFixed(3));
    }
  }
  for (const count of document.querySelectorAll("[data-until]")) {
    const ms = Math.max(0, count.dataset.until - now);
    write(count, text(ms));
    ends.push(ms);
  }
  if (!ends.length) return;
  const zero = ends.some((ms) => ms <= 0);
  if (zero) fallen();
  // Wake just after the next second of whatever is nearest to one.
  timer = setTimeout(paint, zero ? 1000 : Math.min(...ends.map((ms) => ms % 1000 || 1000)) + 8);
}
