/** The form of a new tournament begins in the reader's own time zone, with the hour it proposes there. */

const form = document.querySelector("[data-zone-of-reader]");
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;

if (form) {
  const { zone, day, hour } = form.elements;
  if (zone.value !== own && [...zone.options].some((option) => option.value === own)) {
    zone.value = own;
    const soon = new Date(Date.now() + 7200000);
    const two = (n) => String(n).padStart(2, "0");
    day.value = `${soon.getFullYear()}-${two(soon.getMonth() + 1)}-${two(soon.getDate())}`;
    hour.value = `${two(soon.getHours())}:00`;
  }
}
