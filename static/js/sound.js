/** The site's own sounds, synthesised, and on a phone what goes with them. Nothing until the player has asked for it. */

const root = document.documentElement;
let context = null;

export function wanted() {
  return root.dataset.sounds === "on";
}

/** For this device, from the next page on as well: the server renders what the cookie says. */
export function want(on) {
  root.dataset.sounds = on ? "on" : "off";
  document.cookie = `sound=${root.dataset.sounds}; path=/; max-age=31536000; samesite=lax`;
}

/** Something struck: a short tone that falls to its pitch and dies away, `at` seconds from now. */
function strike(pitch, at = 0, { shape = "triangle", from = 1.5, seconds = 0.12, loud = 0.3 } = {}) {
  const start = context.currentTime + at;
  const tone = context.createOscillator();
  const fade = context.createGain();
  tone.type = shape;
  tone.frequency.setValueAtTime(pitch * from, start);
  tone.frequency.exponentialRampToValueAtTime(pitch, start + 0.03);
  fade.gain.setValueAtTime(loud, start);
  fade.gain.exponentialRampToValueAtTime(0.001, start + seconds);
  tone.connect(fade).connect(context.destination);
  tone.start(start);
  tone.stop(start + seconds + 0.02);
}

/** Strikes in a row, and what a hand that holds the device feels of them: ms on, off, on; neither before it was asked for. */
function play(felt, ...strikes) {
  if (!wanted()) return;
  if (!matchMedia("(prefers-reduced-motion:reduce)").matches) navigator.vibrate?.(felt);
  context ??= new AudioContext();
  context.resume().then(() => {
    for (const each of strikes) strike(...each);
  }, () => {});
}

/** A tile is put down. */
export const tap = () => play(8, [330, 0, { seconds: 0.05, loud: 0.12 }]);

/** The double knock: somebody is at the door, or it is your turn. */
export const knock = () => play([20, 60, 20], [220], [220, 0.16]);

const MARKS = {
  exact: [140, { seconds: 0.14 }],
  present: [587, { shape: "sine", from: 1, seconds: 0.14, loud: 0.16 }],
  absent: [1100, { from: 1, seconds: 0.025, loud: 0.06 }],
};

/** Marks turn over, 80 ms apart as the eye sees them: thud, ring, tick. */
export const marks = (looks) =>
  play(15, ...looks.map((look, place) => [MARKS[look][0], 0.13 + place * 0.08, MARKS[look][1]]));

/** Time runs low: one knock that rises. */
export const low = () => play([40, 40, 40], [330, 0, { from: 0.6, loud: 0.35 }]);

/** The tiles of the number that was found are set in a row. */
export const won = () =>
  play([20, 60, 20, 60, 20, 60, 20, 60, 60], ...[262, 294, 330, 392, 523].map((pitch, place) => [pitch, place * 0.08]));

/** Two knocks that go down. */
export const lost = () => play(80, [196], [147, 0.18, { seconds: 0.14 }]);
