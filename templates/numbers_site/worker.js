/** The service worker: one page for when there is no line, and the calls that come while no page is open.

It keeps nothing that is anybody's own: no page of the site, no answer of the API, only the files named here. */

const PREFIX = "shell-";
const KEPT = `${PREFIX}{{ version }}`;
const SHELL = {{ shell }};

addEventListener("install", (event) => {
  const fresh = SHELL.map((url) => new Request(url, { credentials: "omit", cache: url === SHELL[0] ? "reload" : "default" }));
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(fresh)));
  skipWaiting();
});

addEventListener("activate", (event) => {
  const old = (name) => name.startsWith(PREFIX) && name !== KEPT;
  event.waitUntil(
    (async () => {
      await Promise.all((await caches.keys()).filter(old).map((name) => caches.delete(name)));
      await registration.navigationPreload?.enable();
      await clients.claim();
    })(),
  );
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate") event.respondWith(visit(event));
  else if (SHELL.includes(new URL(request.url).pathname)) event.respondWith(dress(request));
});

/** From the network, always; what it says is what is shown, errors included. */
async function visit({ request, preloadResponse }) {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch {
    return (await caches.match(SHELL[0])) ?? Response.error();
  }
}

async function dress(request) {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(request)) ?? Response.error();
  }
}

// Calls: your turn, while no page of the match is open

addEventListener("push", (event) => event.waitUntil(told(event.data?.json() ?? {})));

async function told({ title, body, url, tag, lang }) {
  if (!title) return;
  const open = await clients.matchAll({ type: "window" });
  if (open.some((page) => page.focused && new URL(page.url).pathname === url)) return;
  const news = { body, tag, lang, renotify: true, data: { url }, icon: "{{ icon }}", badge: "{{ badge }}" };
  await registration.showNotification(title, news);
}

addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(go(event.notification.data?.url ?? "/"));
});

async function go(to) {
  const url = new URL(to, location.href);
  const open = await clients.matchAll({ type: "window" });
  const there = open.find((page) => new URL(page.url).pathname === url.pathname);
  await (there ? there.focus() : clients.openWindow(url));
}
