"""Sockets of a match: frames in, one verb called, frames out. Writes no row, knows no rule.

The channel layer may lose, double or reorder a message, so every socket keeps the revision and the version it has come
to. A message says only that the match has moved; a gap is filled from the database, and once a second every process
looks whether any of its sockets has been left behind.

Who watches moves no match. Pages are told their number, counted once a second by each process that shows any.
"""

import asyncio
import contextlib
import itertools
import logging
import uuid
from collections.abc import Awaitable, Callable, Iterable
from weakref import WeakValueDictionary

from channels.exceptions import StopConsumer
from django.db import Error as DatabaseError
from django.utils import translation

from matches import pages, queries, services, store, wire
from matches.core.clock import Clocks
from matches.core.machine import SEATS, Refused, Status
from matches.presenters import MatchView
from matches.queries import Loaded
from matches.refusals import problem_of
from matches.wire import Json
from players import limits
from players.clerks import Socket, clerks
from players.problems import Problem
from players.sockets import language_of, query_of

logger = logging.getLogger(__name__)

TICK_SECONDS = 1.0
SLICES = 20
"""Of a second: the sockets of one match are told the time in the same, those of others in others."""
LATE = SLICES // 4
"""A message has as many slices after a look to come by itself: a socket is left behind only by one that is lost."""
TRY_AGAIN = 4503
"""Closes a socket whose command could not be taken for want of the database: open again and send it again."""


class Watch:
    """What all sockets of this process share: one look a second at the clocks, and at what the layer may have lost."""

    def __init__(self) -> None:
        self._sockets: set[MatchConsumer] = set()
        self._slices: list[set[MatchConsumer]] = [
            set() for _ in range(SLICES)
        ]  # the same sockets, by `slice`
        self._watched: set[str] = set()  # matches whose spectators are to be counted at the next look
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def join(self, socket: "MatchConsumer") -> None:
        self._sockets.add(socket)
        self._slices[socket.slice].add(socket)
        self._loop = asyncio.get_running_loop()
        if self._task is None or self._task.done() or self._task.get_loop() is not self._loop:
            self._task = self._loop.create_task(self._run())

    def leave(self, socket: "MatchConsumer") -> None:
        self._sockets.discard(socket)
        self._slices[socket.slice].discard(socket)

    def stir(self, match_id: str) -> None:
        """Somebody may have begun to watch this match."""
        self._watched.add(match_id)

    def tend(self) -> None:
        """Close in the database what is open there only: a goodbye that could not be written. Called on a thread."""
        services.close_ghosts(lambda: {socket.connection_id for socket in list(self._sockets)})

    def renew(self) -> None:
        """Show every socket how things stand after an outage. May be called on any thread."""
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(
                self._all(lambda socket: socket.renew(), list(self._sockets)), self._loop
            )

    async def _run(self) -> None:
        """One look a second, its ticks a slice at a time: told all at once, guesses would wait for them."""
        loop, worked = asyncio.get_running_loop(), 0.0
        known: dict[str, int] = {}
        for now in itertools.cycle((*range(1, SLICES), 0)):
            await asyncio.sleep(max(TICK_SECONDS / SLICES - worked, 0.005))
            if not self._sockets:
                return
            began = loop.time()
            await self._all(
                lambda socket: socket.tick(),
                [socket for socket in self._slices[now] if socket.is_ticking],
            )
            if now == 0:
                known = await self._look()
                await self._count()
            if now == LATE:
                await self._catch_up(known)
            worked = loop.time() - began

    async def _look(self) -> dict[str, int]:
        try:
            return await clerks.ask(queries.revisions, {socket.match_id for socket in self._sockets})
        except DatabaseError:
            return {}  # the next look is a second away

    async def _catch_up(self, known: dict[str, int]) -> None:
        for socket in list(self._sockets):
            if known.get(socket.match_id, 0) > socket.revision:
                with contextlib.suppress(Exception):  # one that closes meanwhile is not the others' concern
                    await socket.catch_up()

    async def _count(self) -> None:
        """Tell pages how many watch. A match on which nobody does is not asked about again until it is stirred."""
        shown = [socket for socket in self._sockets if isinstance(socket, PageConsumer) and socket.is_live]
        asked = self._watched & {page.match_id for page in shown}
        self._watched.clear()  # before the look: what is stirred meanwhile is counted at the next
        if not asked:
            return
        try:
            counted = await clerks.ask(queries.watchers, asked)
        except DatabaseError:
            self._watched |= asked
            return
        self._watched |= set(counted)
        for page in shown:
            if page.match_id in asked:
                with contextlib.suppress(Exception):  # as above
                    await page.show_watchers(counted.get(page.match_id, 0))

    async def _all(
        self, do: "Callable[[MatchConsumer], Awaitable[None]]", sockets: "Iterable[MatchConsumer]"
    ) -> None:
        for socket in sockets:
            with contextlib.suppress(Exception):  # as above
                await do(socket)


watch = Watch()


class Readings:
    """Matches as this process has last read them: pages that follow the same one read each step of it once.

    Kept for as long as a socket shows them.
    """

    def __init__(self) -> None:
        self._last: WeakValueDictionary[str, Loaded] = WeakValueDictionary()
        self._reading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def follow(self, before: Loaded, revision: int) -> Loaded:
        """The match as it stood at `revision` or later."""
        turnstile = self._reading.setdefault(before.id, asyncio.Lock())
        async with turnstile:
            last = self._last.get(before.id)
            if last is None or last.revision < revision:
                last = self._last[before.id] = await clerks.ask(queries.follow, before)
        return last


readings = Readings()


class MatchConsumer(Socket):
    """The public socket of a match: JSON as `docs/protocol.md` says."""

    loaded: Loaded
    revision: int
    version: int
    clocks: Clocks
    told = False
    """Whether the first frame has gone: nothing comes before it."""
    slice = 0

    @property
    def is_ticking(self) -> bool:
        return self.told and any(self.clocks.running)

    async def __call__(self, *arguments: object) -> None:
        """Leave the watch also where an exception has ended it without `disconnect`: then its row is a ghost."""
        try:
            await super().__call__(*arguments)
        finally:
            watch.leave(self)

    async def connect(self) -> None:
        self.match_id: str = self.scope["url_route"]["kwargs"]["match_id"]
        self.slice = hash(self.match_id) % SLICES
        self.user_id: int | None = self.scope["user"].pk
        self.address = limits.address_at(self.scope)
        self.language = language_of(self.scope)
        self.seat: int | None = None
        self.connection_id = uuid.uuid4().hex
        self.turnstile = asyncio.Lock()  # messages and the watch may both have news: one after the other
        # In the group before the first look, so that nothing happens unseen between the two.
        await self.channel_layer.group_add(services.group(self.match_id), self.channel_name)
        try:
            self._take(await clerks.ask(queries.visible, self.match_id, self.user_id))
        except Problem:
            await self.channel_layer.group_discard(services.group(self.match_id), self.channel_name)
            await self.close()
            raise StopConsumer from None  # what the group has said meanwhile is not for a socket turned away
        await self.accept()
        self.seat = self.loaded.seat_of(self.user_id)
        async with self.turnstile:
            watch.join(self)  # first: a row without a socket here would be taken for a ghost
            await clerks.ask(services.connect, self.match_id, self.seat, self.connection_id)
            if self.seat is not None:
                await self._load()
            self.version = self.loaded.state.version
            await self.open(self._since())
            self.told = True

    async def disconnect(self, code: int) -> None:
        watch.leave(self)
        await self.channel_layer.group_discard(services.group(self.match_id), self.channel_name)
        await clerks.ask(services.disconnect, self.match_id, self.seat, self.connection_id)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        ref = wire.ref_of(text_data or "")
        with translation.override(self.language):
            try:
                limits.commands.spend(self.address, self.user_id)
                answer = await self._obey(wire.read_frame(text_data or ""))
            except Problem as problem:
                answer = wire.refused_json(ref, problem)
            except DatabaseError:
                logger.exception("a command could not be kept", extra={"match": self.match_id})
                await self.close(code=TRY_AGAIN)
                return
        await self.send_frame(answer)

    async def _obey(self, order: wire.Order) -> Json:
        if self.seat is None:
            raise Problem("forbidden")
        try:
            done = await clerks.ask(services.obey, self.match_id, self.seat, order)
        except Refused as refused:
            raise problem_of(refused.refusal, self.loaded.state.terms, guess=order.verb == "guess") from None
        return wire.ok_json(order.ref, done.version, done.telling)

    async def match_moved(self, message: Json) -> None:
        """The match has moved: pass on what came along, or look up what did not."""
        async with self.turnstile:
            if message["revision"] <= self.revision:
                return
            before = self.revision
            try:
                await self._follow(message)
            except DatabaseError:
                self.revision = before  # so that the watch makes it good once there is a database again

    async def match_watched(self, message: Json) -> None:
        """Somebody watches the match, on whom nobody waits: the public socket has no frame for it."""

    async def _follow(self, message: Json) -> None:
        if message["revision"] > self.revision + 1 or self._beyond(message["frames"] or []):
            await self._catch_up()
            return
        self.revision = message["revision"]
        left, running, at = message["clocks"]
        self.clocks = Clocks((left[0], left[1]), (running[0], running[1]), at)
        await self.move(message["frames"], presence=False)

    def _beyond(self, frames: list[tuple[int | None, str]]) -> bool:
        """Whether there are events between the last one sent and the first of these."""
        versions = [version for version, _ in frames if version is not None]
        return bool(versions) and versions[0] > self.version + 1

    async def catch_up(self) -> None:
        """Make good what the layer has lost."""
        async with self.turnstile:
            await self._catch_up()

    async def _catch_up(self) -> None:
        await self._load()
        await self.move(None, presence=True)

    async def renew(self) -> None:
        """After an outage: the clocks stand otherwise than they were last told."""
        async with self.turnstile:
            await self._catch_up()
            if any(self.clocks.running):
                await self.tick()

    async def open(self, since: int | None) -> None:
        """Say first how things stand, or what has been missed since a version."""
        if since is not None and 0 < since <= self.version:
            self.version = since
            await self.move(None, presence=True)
        else:
            sight = self.loaded.sight(self.user_id)
            match = wire.match_json(
                self.match_id, self.loaded.public, sight, queries.faces(self.loaded.players)
            )
            await self.send_frame({"type": "match", "match": match})
        if any(self.clocks.running):
            await self.tick()

    async def move(self, frames: list[tuple[int | None, str]] | None, *, presence: bool) -> None:
        """Send `frames`, or where they are not at hand what the database has; and who is there, if that was missed."""
        for version, frame in frames or []:
            if version is None or version > self.version:
                self.version = version or self.version
                await self.send(text_data=frame)
        if frames is None:
            for telling in await clerks.ask(queries.tellings_since, self.match_id, self.version):
                self.version = telling.version
                await self.send_frame(wire.event_json(telling))
        if presence:
            await self._tell_presence()

    async def _tell_presence(self) -> None:
        for seat in SEATS:
            await self.send_frame(wire.presence_json(self.loaded.state, seat))

    async def tick(self) -> None:
        await self.send_frame(wire.tick_json(self.clocks, store.now_ms()))

    async def _load(self) -> None:
        self._take(await clerks.ask(queries.load, self.match_id))

    def _take(self, loaded: Loaded) -> None:
        self.loaded, self.revision, self.clocks = loaded, loaded.revision, loaded.state.clocks

    async def send_frame(self, frame: Json) -> None:
        await self.send(text_data=wire.dumps(frame))

    def _since(self) -> int | None:
        given = query_of(self.scope).get("since", "")
        return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None


class PageConsumer(MatchConsumer):
    """The match page's own socket: the same commands in, and HTML instead of JSON facts out."""

    watchers: int | None = None  # as last told; the page itself came with a number that may be old

    @property
    def is_live(self) -> bool:
        """Whether it is said how many watch: of a public match that is on."""
        return self.loaded.public and self.loaded.state.status is not Status.OVER

    async def match_watched(self, message: Json) -> None:
        watch.stir(self.match_id)

    async def show_watchers(self, watchers: int) -> None:
        """Change the number on the page, if it is another, and nothing else: no event, no word read out."""
        if watchers == self.watchers:
            return
        self.watchers = watchers
        with translation.override(self.language):
            html = pages.watchers(self._view())
        await self.send_frame({"type": "watchers", "watchers": watchers, "html": html})

    async def open(self, since: int | None) -> None:
        watch.stir(self.match_id)
        if since == self.version and not pages.note(self.loaded):
            await self._send_seats()
            await self.tick()
        else:
            self.watchers = await clerks.ask(pages.watching, self.loaded)
            await self._send_stage()

    async def move(self, frames: list[tuple[int | None, str]] | None, *, presence: bool) -> None:
        """One guess is shown by what it changes, with its own motion; any greater step by the whole stage."""
        if self.loaded.revision < self.revision:
            self._take(await readings.follow(self.loaded, self.revision))
        before, self.version = self.version, self.loaded.state.version
        facts = [wire.loads(frame) for _, frame in frames or []]
        if presence and self.version == before + 1:  # missed, and shown for what it is all the same
            missed = await clerks.ask(queries.tellings_since, self.match_id, before)
            facts = [wire.event_json(telling) for telling in missed]
        if len(facts) == 1 and facts[0]["type"] == "presence":
            await self._send_presence(facts[0])
        elif len(facts) == 1 and facts[0].get("version") == before + 1 == self.version:
            await self._send_event(facts[0])
            if presence:
                await self._send_seats()
        else:
            await self._send_stage()
            if self.version - before > len(facts) or any(fact.get("event") == "said" for fact in facts):
                await self._send_phrases(before)

    async def renew(self) -> None:
        async with self.turnstile:
            await self._load()
            await self._send_stage()

    async def tick(self) -> None:
        await self.send_frame({**wire.tick_json(self.clocks, store.now_ms()), "running": self.clocks.running})

    async def _send_seats(self) -> None:
        for seat in SEATS:
            await self._send_presence(wire.presence_json(self.loaded.state, seat))

    async def _send_presence(self, fact: Json) -> None:
        with translation.override(self.language):
            html = pages.seat(self._view(), fact["seat"])
        await self.send_frame({**fact, "html": html})

    async def _send_stage(self, say: str = "") -> None:
        await self.send_frame(await clerks.ask(self._stage, say))

    def _stage(self, say: str) -> Json:
        """Made on a thread: what other rooms show of an end, they ask the database for."""
        with translation.override(self.language):
            view = self._view()
            frame = {"type": "stage", "html": pages.stage(view), **_heading(view, say or view.spoken)}
            closing = pages.closing(self.loaded, self.user_id, view)
        return {**frame, "closing": closing, **self._facts()}

    async def _send_event(self, event: Json) -> None:
        kind, seat = event["event"], event.get("seat")
        if kind == "said":
            await self._send_phrases(event["version"] - 1)
            return
        if kind != "guess" and not (kind in ("ready", "confirmed") and seat != self.seat):
            await self._send_stage(self._sentence(kind, seat))
            return
        key = (kind, seat, self.seat, self.language)
        rendered = self.loaded.rendered
        if key not in rendered:
            rendered[key] = wire.dumps(self._event(kind, seat))
        await self.send(text_data=rendered[key])

    def _event(self, kind: str, seat: int | None) -> Json:
        """What one event has changed, as all see it who sit where we do and read what we read."""
        guessed = seat if kind == "guess" else None
        with translation.override(self.language):
            view = pages.view(
                self.loaded, self.user_id, guessed, self.watchers or 0, news=guessed is not None
            )
            frame = {"type": "event", "event": kind, "seat": seat, "html": pages.fragments(view, guessed)}
        return {**frame, **_heading(view, self._sentence(kind, seat)), **self._facts()}

    async def _send_phrases(self, since: int) -> None:
        """What has been said after a version. It passes: no page keeps it, and who was away has not heard it."""
        with translation.override(self.language):
            said = await clerks.ask(pages.phrases, self.loaded, self.user_id, since)
        for text in said:
            await self.send_frame({"type": "said", "version": self.version, "text": text})

    def _sentence(self, kind: str, seat: int | None) -> str:
        with translation.override(self.language):
            return pages.spoken(self.loaded, self.user_id, kind, seat)

    def _view(self) -> MatchView:
        return pages.view(self.loaded, self.user_id, watchers=self.watchers or 0)

    def _facts(self) -> Json:
        sight = self.loaded.sight(self.user_id)
        return {
            "version": sight.version,
            "clocks": [seat.clock_ms for seat in sight.seats],
            "running": [seat.running for seat in sight.seats],
            "turn": sight.turn,
            "server_time": sight.server_time,
        }


def _heading(view: MatchView, say: str) -> Json:
    """What the tab wears, whether it is worth a notification, and what is read out."""
    return {"title": view.title, "calls": view.calls, "say": say}
