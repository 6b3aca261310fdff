/** One line to the server: it opens itself again, keeps what was not answered, and says whether it is live. */

const FIRST_WAIT = 200;
const LONGEST_WAIT = 2000; // a clock may run again by then
const SILENCE = 15000; // this long without a word while a clock runs: the line is dead
const SLEPT = 2500; // this long without a word when the page comes back to the front: ask anew
const NO_LONGER_IN = 4401; // who one was has ended: signed out, suspended, deleted
const REFUSED = (code) => code === 1008 || (code >= 4400 && code < 4500);

/** Frames that open a line: with the first of them it is live. */
const OPENS = new Set(["stage", "tick", "seeks", "open", "tournament"]);

let leaving = false;
// On the window, after whoever keeps a form on its page has said so.
addEventListener("submit", (event) => { leaving ||= !event.defaultPrevented; });
addEventListener("pageshow", () => { leaving = false; });

/** What this page shows was for somebody else. Not `reload`: it would send again the form that a page answered. */
function showAnew() {
  location.replace(location.pathname + location.search);
}

/**
 * `query` gives the parameters to open with, `heard` takes each frame, `changed` the state ("live", "lost", "shut"),
 * `ticking` says whether frames must come by themselves.
 */
export function openLine({ path, query, heard, changed, ticking }) {
  const unanswered = new Map();
  let socket = null;
  let live = false;
  let shut = false;
  let everLive = false;
  let tries = 0;
  let timer = 0;
  let last = Date.now();

  function connect() {
    clearTimeout(timer);
    timer = 0;
    if (shut) return;
    const before = socket;
    const url = new URL(path, location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    for (const [name, value] of Object.entries(query())) url.searchParams.set(name, value);
    const mine = new WebSocket(url);
    socket = mine;
    live = false;
    last = Date.now();
    // The old line is let go only once the new one stands, so that nobody sees us leave.
    mine.addEventListener("open", () => before?.close());
    mine.addEventListener("message", (message) => {
      if (mine !== socket) return;
      last = Date.now();
      let frame;
      try {
        frame = JSON.parse(message.data);
      } catch {
        return;
      }
      const first = !live && OPENS.has(frame.type);
      heard(frame);
      if (!first) return;
      live = everLive = true;
      tries = 0;
      changed("live");
      for (const kept of unanswered.values()) mine.send(JSON.stringify(kept));
    });
    mine.addEventListener("close", (event) => {
      if (mine !== socket) return;
      before?.close();
      live = false;
      if (event.code === NO_LONGER_IN && !leaving) showAnew();
      shut = REFUSED(event.code);
      changed(shut ? "shut" : "lost");
      if (!shut) retry();
    });
  }

  function retry() {
    clearTimeout(timer);
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** tries++);
    timer = setTimeout(connect, wait * (0.75 + Math.random() / 2));
  }

  /** Make sure of the line: at once if it is down, or if it has been silent for longer than it should. */
  function wake(patience = SLEPT) {
    if (timer || Date.now() - last > patience) connect();
  }

  setInterval(() => {
    const silent = Date.now() - last > SILENCE;
    if (!timer && silent && (!live || ticking())) connect();
  }, 1000);
  addEventListener("online", () => wake(0));
  addEventListener("offline", () => {
    live = false; // until the line is heard again
    if (!shut) changed("lost");
  });
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && wake());
  document.addEventListener("resume", () => wake());
  addEventListener("pagehide", () => {
    clearTimeout(timer);
    timer = 0;
    live = false;
    const old = socket;
    socket = null;
    old?.close();
  });
  addEventListener("pageshow", (event) => event.persisted && connect());
  connect();

  return {
    /** Send, and keep until it is answered; what could not go goes when the line is back, with the same `ref`. */
    ask(frame) {
      unanswered.set(frame.ref, frame);
      if (live) socket.send(JSON.stringify(frame));
    },
    /** Send if it can go now, and forget it. */
    tell(frame) {
      if (live) socket.send(JSON.stringify(frame));
    },
    /** Forget what has been answered; gives back what it was. */
    answered(ref) {
      const frame = unanswered.get(ref);
      unanswered.delete(ref);
      return frame;
    },
    waiting: () => [...unanswered.values()],
    get live() {
      return live;
    },
    /** Whether scripts are of no use here, since no line has ever stood: then forms are posted as forms. */
    get hopeless() {
      return !everLive && tries > 3;
    },
  };
}
