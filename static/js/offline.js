/** The page for when there is no line: in the reader's theme, which the server could not say, and gone once there is one. */

const theme = document.cookie.match(/(?:^|; )theme=(light|dark)/)?.[1];
if (theme) document.documentElement.dataset.theme = theme;

const EVERY_MS = 5000;

async function look() {
  const answer = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
  if (answer?.ok) location.reload();
}

addEventListener("online", look);
// Of a site that was away, and not the line, nobody is told.
setInterval(look, EVERY_MS);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look());
