/** Instants by the reader's own clock and in their language, and what is left until them. */

const lang = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang; // as dates are written elsewhere
const shown = new Intl.DateTimeFormat(lang, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const days = new Intl.RelativeTimeFormat(lang, { numeric: "auto" });
const two = (n) => String(n).padStart(2, "0");

/** `1:02:03` within a day, "in 3 days" beyond; nothing once the hour has come. */
function left(ms) {
  const seconds = Math.ceil(ms / 1000);
  if (seconds <= 0) return "";
  if (seconds >= 86400) return days.format(Math.floor(seconds / 86400), "day");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export function paint() {
  for (const time of document.querySelectorAll("time[data-when]")) {
    time.textContent = shown.format(new Date(time.dateTime));
    time.removeAttribute("data-when");
  }
  for (const place of document.querySelectorAll("[data-countdown]")) {
    const text = left(new Date(place.dataset.countdown) - Date.now());
    if (place.textContent !== text) place.textContent = text;
  }
}

paint();
setInterval(paint, 1000);
