/** Calls to this device: asked for by a button, agreed on with the browser, and kept by the server. */

const possible = isSecureContext && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** A key as the server writes it, as the browser takes it. */
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_");

const PATIENCE_MS = 10_000;

/** A worker that could not be fetched would be waited for for ever. */
const working = () =>
  Promise.race([navigator.serviceWorker.ready, new Promise((_, fail) => setTimeout(fail, PATIENCE_MS))]);

async function post(url, fields) {
  const token = JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams(fields), headers: { "X-CSRFToken": token } });
  if (!answer.ok) throw new Error(await answer.text());
}

async function agree({ dataset }) {
  if ((await Notification.requestPermission()) !== "granted") return;
  const worker = await working();
  const key = bytes(dataset.push);
  const wish = { userVisibleOnly: true, applicationServerKey: key };
  // One made for another key of this site's is of no use any more.
  const made = await worker.pushManager.subscribe(wish).catch(async () => {
    await (await worker.pushManager.getSubscription())?.unsubscribe();
    return worker.pushManager.subscribe(wish);
  });
  const { endpoint } = made;
  await post(dataset.add, { endpoint, p256dh: text(made.getKey("p256dh")), auth: text(made.getKey("auth")) });
  dataset.on = "1";
}

async function withdraw({ dataset }) {
  await post(dataset.forget, {});
  dataset.on = "";
  const worker = await navigator.serviceWorker.getRegistration();
  await (await worker?.pushManager.getSubscription())?.unsubscribe();
}

/** What the browser has let go by itself, or its owner with the site's data, calls nobody: the server is told. */
async function compare(card) {
  if (!possible || !card.dataset.on) return;
  const worker = await navigator.serviceWorker.getRegistration();
  if (await worker?.pushManager.getSubscription()) return;
  await post(card.dataset.forget, {});
  card.dataset.on = "";
  show(card);
}

function show(card) {
  const { dataset } = card;
  const [button, said] = [card.querySelector("button"), card.querySelector("[role=status]")];
  const blocked = possible && Notification.permission === "denied";
  button.disabled = !possible || blocked;
  button.setAttribute("aria-pressed", String(Boolean(dataset.on)));
  const how = !possible ? dataset.saidNone : blocked ? dataset.saidBlocked : dataset.on ? dataset.saidOn : dataset.saidOff;
  if (said.textContent !== how) said.textContent = how;
}

for (const card of document.querySelectorAll("[data-push]")) {
  show(card);
  compare(card).catch(() => {}); // the next page compares again
  const button = card.querySelector("button");
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await (card.dataset.on ? withdraw(card) : agree(card));
      show(card);
    } catch {
      show(card);
      card.querySelector("[role=status]").textContent = card.dataset.saidFailed;
    }
  });
}
