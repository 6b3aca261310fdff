/** The system's own notifications: asked for by a button, never by a page that opens, and shown only while nobody looks. */

const OFF = "notices off";

/** The tags of what this page has had the worker say. */
const said = new Set();

/** Not everywhere: a page without HTTPS, or a phone's browser, may have none. */
export const possible = isSecureContext && "Notification" in window;

export const blocked = () => possible && Notification.permission === "denied";

export const wanted = () => possible && Notification.permission === "granted" && !localStorage.getItem(OFF);

/** For this device. Turning on asks the browser, which asks its owner: call it from a press. */
export async function want(on) {
  if (!on) return localStorage.setItem(OFF, "1");
  localStorage.removeItem(OFF);
  if (Notification.permission === "default") await Notification.requestPermission();
}

/**
 * Say `title` to who has asked for it and does not look at this page. Of one `tag` only the latest stands, however many
 * tabs say it; a press on it leads to `url`.
 */
export async function notify(title, { body = "", tag = title, url = location.href } = {}) {
  if (!wanted() || document.visibilityState === "visible") return;
  const icon = document.querySelector("[rel=apple-touch-icon]").href;
  const options = { body, tag, icon, data: { url } };
  // The worker is still there when this page has gone on to another; phones take them from it alone.
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker?.active) await worker.showNotification(title, options).then(() => said.add(tag), () => {});
  else byThePage(title, options);
}

function byThePage(title, options) {
  try {
    const shown = new Notification(title, options);
    shown.onclick = () => {
      shown.close();
      focus();
      const { pathname } = new URL(options.data.url, location.href);
      if (pathname !== location.pathname) location.assign(options.data.url);
    };
    document.addEventListener("visibilitychange", () => shown.close(), { once: true });
  } catch {
    // A phone without a worker has none.
  }
}

/** Who looks again needs none of what this page has said, nor of what led here. */
document.addEventListener("visibilitychange", async () => {
  if (document.visibilityState !== "visible") return;
  const worker = await navigator.serviceWorker?.getRegistration();
  for (const shown of (await worker?.getNotifications?.()) ?? []) {
    const here = new URL(shown.data?.url ?? "", location.href).pathname === location.pathname;
    if (here || said.has(shown.tag)) shown.close();
  }
  said.clear();
});
