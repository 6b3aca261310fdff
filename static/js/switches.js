/** What a player turns on and off for the device at hand, sounds and notifications, by a button wherever one stands. */

import * as notify from "./notify.js";
import * as sound from "./sound.js";

/** Have every such button show how things are; to be called for what has come anew. */
export function show() {
  for (const button of document.querySelectorAll("[data-sound]")) {
    button.setAttribute("aria-pressed", String(sound.wanted()));
  }
  for (const button of document.querySelectorAll("[data-notify]")) {
    button.hidden = !notify.possible;
    button.disabled = notify.blocked();
    button.setAttribute("aria-pressed", String(notify.wanted()));
    if (button.disabled) button.querySelector("span").textContent = button.dataset.blocked;
  }
}

document.addEventListener("click", async (event) => {
  const on = (selector) => event.target.closest?.(selector);
  if (on("[data-sound]")) {
    sound.want(!sound.wanted());
    sound.knock();
  } else if (on("[data-notify]")) await notify.want(!notify.wanted());
  else return;
  show();
});

show();
