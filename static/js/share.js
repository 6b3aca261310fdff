/** Copying and sharing what stands in a field: a link or a text. Without this module it can still be marked and copied. */

const beside = (button, what) => button.closest(".link").querySelector(what);
const FIELD = "input[readonly],textarea[readonly]";

async function put(field) {
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    // No clipboard without HTTPS: the old way.
    field.select();
    document.execCommand("copy");
  }
}

async function copy(button) {
  await put(beside(button, FIELD));
  const [label, said] = [button.querySelector("span"), beside(button, "[role=status]")];
  const before = label.textContent;
  if (before === button.dataset.done) return;
  label.textContent = said.textContent = button.dataset.done;
  setTimeout(() => {
    label.textContent = before;
    said.textContent = "";
  }, 2000);
}

function share(button) {
  const { value, type } = beside(button, FIELD);
  navigator.share(type === "textarea" ? { text: value } : { title: button.dataset.title, url: value }).catch(() => {});
}

document.addEventListener("click", (event) => {
  const on = (selector) => event.target.closest?.(selector);
  if (on("[data-copy]")) copy(on("[data-copy]"));
  if (on("[data-share]")) share(on("[data-share]"));
});

document.addEventListener("focusin", ({ target }) => target.matches?.(`.link :is(${FIELD})`) && target.select());

document.documentElement.toggleAttribute("data-shares", Boolean(navigator.share));
