"""Sockets of the lobby: what is open and whom a match waits for, pushed. Decides nothing.

What a socket is told is the difference between two looks at the database, which every process takes once a second and
at once when told that the lobby has changed. So nothing that the channel layer loses, doubles or reorders matters.
"""

import asyncio
import contextlib
from collections.abc import Iterable

from django.utils import translation

from lobby import pages, queries, services
from lobby.models import Challenge, Seek
from lobby.queries import NOTHING, Call, Notice, Snapshot
from lobby.wire import call_json, challenge_json, seek_json
from matches import wire
from matches.wire import Json
from players import looking
from players.clerks import Socket, clerks
from players.problems import Problem
from players.services import blocked_by_or_blocking
from players.sockets import language_of, query_of

RENEW_SECONDS = 3.0
"""How often a page's seeks are renewed while their owner is there."""


class Watch(looking.Looking["LobbyConsumer"]):
    """What all lobby sockets of this process share: the last look, and who renews what they have offered."""

    group = services.GROUP

    def __init__(self) -> None:
        super().__init__()
        self._seen = NOTHING
        self._looked_at = self._renewed = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self.pieces: dict[tuple[object, ...], str] = {}
        """What this look has been told by, made once for all readers who are told alike."""

    async def admit(self, socket: "LobbyConsumer") -> None:
        """Tell a new socket how things stand, and from then on whatever changes."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._turnstile = loop, asyncio.Lock()
            self._looked_at = self._renewed = 0.0
        async with self._turnstile:
            if not self.sockets or loop.time() - self._looked_at > looking.LOOK_SECONDS:
                await self._compare(loop)
            await socket.open(self._seen)
            self.join(socket)

    async def look(self) -> None:
        loop = asyncio.get_running_loop()
        async with self._turnstile:
            await self._compare(loop)
        if loop.time() - self._renewed >= RENEW_SECONDS:
            await self._renew()
            self._renewed = loop.time()

    async def _compare(self, loop: asyncio.AbstractEventLoop) -> None:
        before, self._seen = self._seen, await clerks.ask(queries.snapshot)
        self._looked_at = loop.time()
        self.pieces.clear()
        for socket in list(self.sockets):
            with contextlib.suppress(Exception):  # one that closes meanwhile is not the others' concern
                await socket.tell(before, self._seen)

    async def _renew(self) -> None:
        there = {socket.user_id for socket in self.sockets if socket.is_page}
        owners = {seek.owner_id for seek in self._seen.seeks.values() if not seek.lasting} & there
        if owners:
            await clerks.ask(services.renew, owners)


watch = Watch()


class LobbyConsumer(Socket):
    """The public socket of the lobby: JSON as `docs/protocol.md` says."""

    is_page = False

    async def __call__(self, *arguments: object) -> None:
        """Leave the watch also where an exception has ended it without `disconnect`."""
        try:
            await super().__call__(*arguments)
        finally:
            watch.leave(self)

    async def connect(self) -> None:
        self.user = self.scope["user"]
        self.user_id: int | None = self.user.pk
        self.language = language_of(self.scope)
        self.wants_seeks = not self.is_page or "seeks" in query_of(self.scope)
        self.strangers = await clerks.ask(blocked_by_or_blocking, self.user_id)
        await self.accept()
        await watch.admit(self)

    async def disconnect(self, code: int) -> None:
        watch.leave(self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Nothing is asked over this socket: whatever comes is refused."""
        with translation.override(self.language):
            await self.send_frame(wire.refused_json(wire.ref_of(text_data or ""), Problem("bad_request")))

    async def open(self, seen: Snapshot) -> None:
        """Say first how things stand."""
        await self.tell_seeks(self._shown(seen))
        await self.tell(NOTHING, Snapshot({}, seen.challenges, seen.calls, seen.notices))

    async def tell(self, before: Snapshot, now: Snapshot) -> None:
        """Say what has changed between two looks."""
        if self.wants_seeks:
            for seek_id in before.seeks.keys() - now.seeks.keys():
                await self.tell_gone(before.seeks[seek_id], now)
            for seek_id, seek in now.seeks.items():
                if seek_id not in before.seeks and seek.owner_id not in self.strangers:
                    await self.tell_seek(seek, now)
        for key, asked in now.challenges.items():
            if key not in before.challenges and self.user_id in (asked.challenger_id, asked.opponent_id):
                await self.tell_challenge(asked)
        for place, call in now.calls.items():
            if place not in before.calls and call.player == self.user_id:
                await self.tell_call(call)
        for place, notice in now.notices.items():
            if place not in before.notices and notice.player == self.user_id:
                await self.tell_notice(notice)

    def _shown(self, seen: Snapshot) -> list[Seek]:
        return [seek for seek in seen.seeks.values() if seek.owner_id not in self.strangers]

    async def tell_seeks(self, seeks: Iterable[Seek]) -> None:
        await self.send_frame({"type": "seeks", "seeks": [seek_json(seek) for seek in seeks]})

    async def tell_seek(self, seek: Seek, now: Snapshot) -> None:
        await self.send_frame({"type": "seek", "seek": seek_json(seek)})

    async def tell_gone(self, seek: Seek, now: Snapshot) -> None:
        await self.send_frame({"type": "seek_gone", "id": seek.pk})

    async def tell_challenge(self, asked: Challenge) -> None:
        await self.send_frame({"type": "challenge", "challenge": challenge_json(asked)})

    async def tell_call(self, call: Call) -> None:
        await self.send_frame(call_json(call))

    async def tell_notice(self, notice: Notice) -> None:
        """Said on pages only: a client of the interface asks the room itself."""

    async def send_frame(self, frame: Json) -> None:
        await self.send(text_data=wire.dumps(frame))


class LobbyPageConsumer(LobbyConsumer):
    """Every page's own socket: the same news as HTML, which htmx puts in its place."""

    is_page = True

    async def tell_seeks(self, seeks: Iterable[Seek]) -> None:
        if self.wants_seeks:
            await self._send(pages.seeks, list(seeks))
        else:
            await self.send_frame({"type": "open"})

    async def tell_seek(self, seek: Seek, now: Snapshot) -> None:
        await self._send_alike(pages.seek, seek, now)

    async def tell_gone(self, seek: Seek, now: Snapshot) -> None:
        await self._send_alike(pages.gone, seek, now)

    async def _send_alike(self, render: pages.Renderer, seek: Seek, now: Snapshot) -> None:
        """What a seek looks like depends on its reader's language and kind, and on whether it is their own."""
        count, kind = len(self._shown(now)), getattr(self.user, "kind", None)
        alike = (render, seek.pk, count, self.language, kind, seek.owner_id == self.user_id)
        if alike not in watch.pieces:
            with translation.override(self.language):
                watch.pieces[alike] = wire.dumps(render(self.user, seek, count))
        await self.send(text_data=watch.pieces[alike])

    async def tell_challenge(self, asked: Challenge) -> None:
        await self._send(pages.challenge, asked)

    async def tell_call(self, call: Call) -> None:
        await self._send(pages.call, call)

    async def tell_notice(self, notice: Notice) -> None:
        await self._send(pages.notice, notice)

    async def _send(self, render: pages.Renderer, *what: object) -> None:
        with translation.override(self.language):
            frame = render(self.user, *what)
        await self.send_frame(frame)
