/** What a moment of a match sounds and moves like. Told by words and shapes anyway; no motion for who wants none. */

import * as sound from "./sound.js";

const still = matchMedia("(prefers-reduced-motion:reduce)");
const LOOKS = { loop: "present", full: "exact" };
const lows = [];

export const typed = sound.tap;
export const turn = sound.knock;

/** A row of one's own has been marked. */
export function marked(row) {
  const looks = [...row.querySelectorAll(".tile")].map((tile) => tile.classList[1]);
  sound.marks(looks.map((look) => LOOKS[look] ?? look));
}

/** Once a clock begins to run low, its figures start, and if it is one's own it is heard; again only after it was filled up. */
export function low(seat, scarce, short, own) {
  const { seat: index } = seat.dataset;
  if (short && !lows[index]) {
    if (!still.matches) {
      seat.querySelector(".clock").animate({ transform: ["none", "scale(1.12)", "none"] }, { duration: 260, iterations: 2 });
    }
    if (own) sound.low();
  }
  lows[index] = scarce && (short || Boolean(lows[index]));
}

/** The end has come before one's eyes: the number is set, or turns over. */
export function over(stage) {
  stage.classList.add("news");
  sound[stage.dataset.outcome]?.();
}
