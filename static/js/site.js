/** What reaches a player on every page: open seeks, challenges, and a match that has begun. */

import { notify } from "./notify.js";
import { openLine } from "./socket.js";
import { knock } from "./sound.js";
import "./switches.js";

const site = document.getElementById("site");
const calls = document.getElementById("calls");
const title = document.title;
const inPlay = () => !!document.querySelector('[data-phase="playing"], [data-phase="choosing"], [data-phase="confirming"]');

/** htmx puts each piece where its id says; it would complain of one to be taken away that is not there. */
function put(html) {
  const parts = document.createElement("template");
  parts.innerHTML = html;
  const asks = parts.content.querySelector(".call:has(form)");
  if (asks && document.querySelector(`main #${asks.id}`)) return; // it waits on the page itself
  for (const gone of parts.content.querySelectorAll("[hx-swap-oob=delete]")) {
    if (!document.getElementById(gone.id)) gone.remove();
  }
  htmx.swap(document.body, parts.innerHTML, { swapStyle: "none" });
  for (const id of putAway()) document.querySelector(`#calls > ${id}:has(form)`)?.remove();
}

/** What was put away stays away in this tab, as long as it has not been answered. */
const putAway = () => JSON.parse(sessionStorage.getItem("put away") ?? "[]");

/** The title, the knock and, for who looks elsewhere, the system's own notification. */
function ring({ title: words, url, match }) {
  document.title = `${words} · ${title}`;
  knock();
  notify(words, { url, tag: match ? `match-${match}` : words });
}

/** One tab goes to the match: the one that is looked at, or else the first that finds nobody going. */
function go(frame) {
  ring(frame);
  if (inPlay()) return;
  const visible = document.visibilityState === "visible";
  setTimeout(() => {
    if (!navigator.locks) return location.assign(frame.url);
    navigator.locks.request(`call ${frame.match}`, { ifAvailable: true }, (lock) => {
      if (!lock) return undefined;
      location.assign(frame.url);
      return new Promise((done) => setTimeout(done, 5000));
    });
  }, visible ? 0 : 700);
}

function heard(frame) {
  if (frame.type === "match" && location.pathname === frame.url) return; // here already
  if (frame.type === "seeks" || frame.type === "open") calls.replaceChildren();
  if (frame.html) put(frame.html);
  if (frame.type === "match") go(frame);
  else if (frame.title) ring(frame);
}

const seeks = document.getElementById("seeks");
if (seeks || "known" in site.dataset) {
  openLine({
    path: site.dataset.socket,
    query: () => ({ lang: site.dataset.lang, ...(seeks ? { seeks: 1 } : {}) }),
    heard,
    changed: () => {},
    ticking: () => false,
  });
}

addEventListener("click", (event) => {
  const dismissed = event.target.closest("[data-dismiss]")?.dataset.dismiss;
  if (!dismissed) return;
  document.querySelector(dismissed)?.remove();
  sessionStorage.setItem("put away", JSON.stringify([...putAway(), dismissed]));
});
addEventListener("focus", () => {
  if (!calls.querySelector("section")) document.title = title;
});

// Once the page stands, so that it is not kept waiting for what it does not need.
addEventListener("load", () => navigator.serviceWorker?.register(site.dataset.worker).catch(() => {}));
