"""Sockets of a tournament: what it is, and again after each change. Decides nothing.

The channel layer may lose or double a message, so it only says that something has changed. Every process then looks,
and once a second in any case, whether a tournament has come further than the sockets that watch it know: one query,
and for pages one more, and one again where a match of it has moved, whose clocks they show.
"""

import contextlib

from django.utils import translation

from matches import wire
from matches.core.clock import Clocks
from matches.queries import clocks as clocks_of
from matches.wire import Json
from players.clerks import Socket, clerks
from players.looking import Looking
from players.problems import Problem
from players.sockets import language_of
from tournaments import pages, queries, services
from tournaments.queries import Loaded
from tournaments.wire import tournament_json

NO_LONGER_YOURS = 4404


class Watch(Looking["TournamentConsumer"]):
    """What all tournament sockets of this process share: one look at what has changed."""

    group = services.GROUP

    async def look(self) -> None:
        await self._tell_changes()
        await self._tell_clocks()

    async def _tell_changes(self) -> None:
        watched = {socket.tournament_id for socket in self.sockets}
        known = await clerks.ask(queries.revisions, watched)
        behind = {socket for socket in self.sockets if known.get(socket.tournament_id, 0) > socket.revision}
        for tournament_id in {socket.tournament_id for socket in behind}:
            loaded = await clerks.ask(queries.load, tournament_id)
            for socket in behind:
                if socket.tournament_id == tournament_id:
                    with contextlib.suppress(
                        Exception
                    ):  # one that closes meanwhile is not the others' concern
                        await socket.tell(loaded)

    async def _tell_clocks(self) -> None:
        shown = [socket for socket in self.sockets if isinstance(socket, TournamentPageConsumer)]
        playing = await clerks.ask(queries.being_played, {page.tournament_id for page in shown})
        behind = {page: page.behind(playing.get(page.tournament_id, {})) for page in shown}
        moved = {match_id for matches in behind.values() for match_id in matches}
        if not moved:
            return
        clocks = await clerks.ask(clocks_of, moved)
        for page, matches in behind.items():
            with contextlib.suppress(Exception):  # as above
                await page.show_clocks({match_id: clocks[match_id] for match_id in matches})


watch = Watch()


class TournamentConsumer(Socket):
    """The public socket of a tournament: JSON as `docs/protocol.md` says."""

    async def __call__(self, *arguments: object) -> None:
        """Leave the watch also where an exception has ended it without `disconnect`."""
        try:
            await super().__call__(*arguments)
        finally:
            watch.leave(self)

    async def connect(self) -> None:
        self.tournament_id: str = self.scope["url_route"]["kwargs"]["tournament_id"]
        self.user = self.scope["user"]
        self.user_id: int | None = self.user.pk
        self.language = language_of(self.scope)
        self.revision = 0
        try:
            loaded = await clerks.ask(queries.visible, self.tournament_id, self.user)
        except Problem:
            await self.close()
            return
        await self.accept()
        await self.tell(loaded)
        watch.join(self)

    async def disconnect(self, code: int) -> None:
        watch.leave(self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Nothing is asked over this socket: whatever comes is refused."""
        with translation.override(self.language):
            refused = wire.refused_json(wire.ref_of(text_data or ""), Problem("bad_request"))
        await self.send(text_data=wire.dumps(refused))

    async def tell(self, loaded: Loaded) -> None:
        """How it stands now; goodbye to who may no longer know of it."""
        self.revision = loaded.row.revision
        if not queries.may_see(loaded, self.user):
            await self.close(code=NO_LONGER_YOURS)
            return
        with translation.override(self.language):
            frame = self.frame(loaded)
        await self.send(text_data=wire.dumps(frame))

    def frame(self, loaded: Loaded) -> Json:
        return {"type": "tournament", "tournament": tournament_json(loaded)}


class TournamentPageConsumer(TournamentConsumer):
    """The page's own socket: the same news as HTML, which htmx puts in its place."""

    shown: dict[str, int]
    """The revisions of the matches whose clocks it was told."""

    async def connect(self) -> None:
        self.shown = {}
        await super().connect()

    def frame(self, loaded: Loaded) -> Json:
        return pages.cup_json(loaded, self.user_id)

    def behind(self, playing: dict[str, int]) -> list[str]:
        """The matches that have moved since; from here on their clocks count as told."""
        moved = [match_id for match_id, revision in playing.items() if self.shown.get(match_id) != revision]
        self.shown = playing
        return moved

    async def show_clocks(self, clocks: dict[str, Clocks]) -> None:
        if clocks:
            await self.send(text_data=wire.dumps(pages.clocks_json(clocks)))
