/** What is typed: one real field, its digits mirrored on the tiles under it. Digits are only ever strings. */

const field = () => document.getElementById("code");
const digitsOf = (text) => text.replace(/[^0-9]/g, "");
let painted = () => {};
let edited = () => {};

export const typed = () => field()?.value ?? "";
export const length = () => Number(field()?.maxLength ?? 0);

/** Put `code` in the field, as if typed. */
export function write(code) {
  const input = field();
  if (!input) return;
  input.value = digitsOf(code).slice(0, length());
  paint();
}

/** Mirror the field on its tiles. */
export function paint() {
  const input = field();
  if (!input) return;
  const here = document.activeElement === input ? input.selectionStart : input.value.length;
  document.querySelectorAll("#entry .tile").forEach((tile, place) => {
    const digit = input.value[place] ?? "";
    tile.textContent = digit;
    tile.className = `tile ${digit ? "held" : "slot"}${place === here ? " here" : ""}`;
  });
  painted();
}

function press(key) {
  const now = typed();
  if (key === "clear") write("");
  else if (key === "delete") write(now.slice(0, -1));
  else if (now.length < length()) write(now + key);
  edited();
}

/** A code drawn as the rule of this match allows, each lawful one as likely as any other. */
function draw(size, repeats) {
  const bag = [..."0123456789"];
  let code = "";
  while (code.length < size) {
    const at = below(bag.length);
    code += repeats ? bag[at] : bag.splice(at, 1)[0];
  }
  return code;
}

/** A whole number under `bound` from the browser's own source, with no remainder favoured. */
function below(bound) {
  const byte = new Uint8Array(1);
  const fair = 256 - (256 % bound);
  do crypto.getRandomValues(byte);
  while (byte[0] >= fair);
  return byte[0] % bound;
}

const elsewhere = (target) =>
  target instanceof Element && target !== field() && target.closest("input,textarea,select,[contenteditable],:popover-open");

/** Listen to keys, pad and paste wherever they come from. `then` follows every painting, `typing` what the player does, `submit` Enter. */
export function listen({ then, typing, submit }) {
  painted = then;
  edited = typing;
  document.addEventListener("input", (event) => {
    if (event.target === field()) {
      const at = event.target.selectionStart;
      const clean = digitsOf(event.target.value);
      if (clean !== event.target.value) {
        event.target.value = clean;
        event.target.setSelectionRange(at - 1, at - 1);
      }
      paint();
      edited();
    }
  });
  document.addEventListener("selectionchange", () => document.activeElement === field() && paint());
  document.addEventListener("focusin", (event) => event.target === field() && paint());
  document.addEventListener("focusout", (event) => event.target === field() && paint());
  document.addEventListener("keydown", (event) => {
    if (!field() || event.target === field() || elsewhere(event.target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector(":popover-open")) return;
    if (/^[0-9]$/.test(event.key)) press(event.key);
    else if (event.key === "Backspace") press("delete");
    else if (event.key === "Enter" && !event.target.closest?.("a,button,summary")) submit();
    else return;
    event.preventDefault();
    // Whoever types with some button in focus means the field: Enter is for the guess now, not for that button.
    if (document.activeElement !== document.body) field()?.focus({ preventScroll: true });
  });
  document.addEventListener("paste", (event) => {
    if (!field() || elsewhere(event.target)) return;
    event.preventDefault();
    write(event.clipboardData.getData("text"));
    edited();
  });
  // A press on the pad takes no focus: no keyboard of the phone's own comes up, and Enter still means Guess.
  document.addEventListener("pointerdown", (event) => {
    if (event.target.closest?.("#pad")) event.preventDefault();
  });
  document.addEventListener("mousedown", (event) => {
    if (event.target.closest?.("#pad")) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const key = event.target.closest?.("[data-key]");
    if (key) press(key.dataset.key);
    if (event.target.closest?.("[data-draw]")) {
      write(draw(length(), "repeats" in field().form.dataset));
      edited();
    }
  });
}
