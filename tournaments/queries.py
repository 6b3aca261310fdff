"""Questions about tournaments. Read only; a private one is there for nobody but its maker, its entrants and staff."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from bots.core.levels import Level
from bots.services import NAMES
from lobby.queries import NEWS, Notice
from matches import codec
from matches.core.machine import State as MatchState
from matches.core.machine import Status as MatchStatus
from matches.core.terms import Terms
from matches.queries import face
from matches.store import state_of
from players.models import Kind, User
from players.names import shown
from players.problems import Problem
from tournaments import store
from tournaments.core.machine import Pairing as Drawn
from tournaments.core.machine import State, Status
from tournaments.models import Entry, Pairing, Tournament
from tournaments.paths import path_of

PAGE = 20
BOT = NAMES[Level.EASY]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A tournament as it stands. `matches` are by round and pairing, `ends` the states of those that are over."""

    row: Tournament
    state: State
    players: dict[int, User | None]
    matches: tuple[tuple[str | None, ...], ...]
    ends: dict[str, MatchState]

    @property
    def terms(self) -> Terms:
        return codec.terms_from_json(self.row.terms)

    def name(self, entrant: int | None) -> str:
        """What an entrant is called; None is the Easy bot."""
        return BOT if entrant is None else face(self.players[entrant]).name

    def shown(self, entrant: int | None) -> str:
        """The same as pages show it, in the reader's language."""
        return shown(BOT, Kind.BOT) if entrant is None else face(self.players[entrant]).shown

    def entrant_of(self, user_id: int | None) -> int | None:
        """The viewer's own number in it."""
        if user_id is None:
            return None
        return next((one for one, player in self.players.items() if player and player.pk == user_id), None)

    def playing(self, entrant: int | None) -> tuple[Drawn, str | None] | None:
        """The pairing of the current round in which this entrant still has to play, and its match."""
        for pairing, match_id in zip(self.state.round, self.matches[-1] if self.matches else (), strict=True):
            if entrant in pairing.entrants and not pairing.decided:
                return pairing, match_id
        return None


def load(tournament_id: str) -> Loaded:
    """The whole of it, in as many queries however many take part. Raises `Problem` not_found."""
    row = store.whole(Tournament.objects.filter(pk=tournament_id).select_related("creator")).first()
    if row is None:
        raise Problem("not_found")
    return _loaded(row)


def visible(tournament_id: str, viewer: object) -> Loaded:
    """The tournament if this viewer may know of it. Raises `Problem` not_found."""
    loaded = load(tournament_id)
    if not may_see(loaded, viewer):
        raise Problem("not_found")
    return loaded


def may_see(loaded: Loaded, viewer: object) -> bool:
    if not loaded.row.private:
        return True
    return isinstance(viewer, User) and (
        viewer.is_staff or loaded.row.creator_id == viewer.pk or loaded.entrant_of(viewer.pk) is not None
    )


def _loaded(row: Tournament) -> Loaded:
    pairings = [pairing for drawn in row.rounds.all() for pairing in drawn.pairings.all()]
    return Loaded(
        row=row,
        state=store.state_of(row),
        players={entry.pk: entry.player for entry in row.entries.all()},
        matches=tuple(
            tuple(pairing.match_id for pairing in drawn.pairings.all()) for drawn in row.rounds.all()
        ),
        ends={
            pairing.match.pk: state_of(pairing.match)
            for pairing in pairings
            if pairing.match is not None and pairing.match.status == MatchStatus.OVER.value
        },
    )


def revisions(ids: Iterable[str]) -> dict[str, int]:
    """How far each of these has come, in one query."""
    return dict(Tournament.objects.filter(pk__in=ids).values_list("pk", "revision"))


def being_played(ids: Iterable[str]) -> dict[str, dict[str, int]]:
    """How far each match under way of each of these has come, in one query."""
    found: dict[str, dict[str, int]] = {}
    pairings = Pairing.objects.filter(round__tournament__in=ids, decided=False, match__isnull=False)
    for tournament_id, match_id, revision in pairings.values_list(
        "round__tournament_id", "match_id", "match__revision"
    ):
        found.setdefault(tournament_id, {})[match_id] = revision
    return found


# Lists


@dataclass(frozen=True, slots=True)
class Line:
    """A tournament in a list: how many have entered, whether the reader has, and what its champion is called."""

    row: Tournament
    entered: int
    mine: bool

    @property
    def terms(self) -> Terms:
        return codec.terms_from_json(self.row.terms)

    @property
    def status(self) -> Status:
        return Status(self.row.status)

    @property
    def champion(self) -> str | None:
        champion = self.row.champion
        return face(champion.player).name if champion else None

    @property
    def champion_shown(self) -> str | None:
        champion = self.row.champion
        return face(champion.player).shown if champion else None


@dataclass(frozen=True, slots=True)
class Listed:
    """Some tournaments, one after the other; `after` is where the next ones begin, None at the end."""

    lines: tuple[Line, ...]
    after: str | None


def known_to(viewer: object) -> QuerySet[Any]:
    """All that this viewer may know of, each with how many are `entered` and whether `mine`."""
    user_id = viewer.pk if isinstance(viewer, User) else None
    mine = Entry.objects.filter(tournament=OuterRef("pk"), player_id=user_id)
    rows = Tournament.objects.annotate(entered=Count("entries"), mine=Exists(mine))
    if isinstance(viewer, User) and viewer.is_staff:
        return rows
    seen = Q(private=False)
    return rows.filter(seen if user_id is None else seen | Q(creator_id=user_id) | Q(mine=True))


def coming(viewer: object, *, after: str = "", limit: int = PAGE) -> Listed:
    """Those that are open or on, the soonest first."""
    return _list(known_to(viewer).filter(status__in=store.LIVE), after, limit, latest_first=False)


def past(viewer: object, *, after: str = "", limit: int = PAGE) -> Listed:
    """Those that are over, the latest first."""
    return _list(known_to(viewer).exclude(status__in=store.LIVE), after, limit, latest_first=True)


def every(viewer: object, *, after: str = "", limit: int = PAGE) -> Listed:
    """All, the latest to start first."""
    return _list(known_to(viewer), after, limit, latest_first=True)


def _list(rows: QuerySet[Any], after: str, limit: int, *, latest_first: bool) -> Listed:
    if after:
        at, pk = _place(after)
        beyond = Q(starts_at__lt=at) if latest_first else Q(starts_at__gt=at)
        rows = rows.filter(beyond | Q(starts_at=at, pk__gt=pk))
    order = ("-starts_at" if latest_first else "starts_at", "pk")
    found = list(rows.select_related("champion__player").order_by(*order)[: limit + 1])
    more = _place_of(found[limit - 1]) if len(found) > limit else None
    return Listed(tuple(Line(row, row.entered, row.mine) for row in found[:limit]), more)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PLACE = re.compile(r"([0-9]{1,18})\.([0-9a-z]{8})", re.ASCII)


def _place_of(row: Tournament) -> str:
    return f"{(row.starts_at - _EPOCH) // timedelta(microseconds=1)}.{row.pk}"


def _place(after: str) -> tuple[datetime, str]:
    read = _PLACE.fullmatch(after)
    if read is None:
        raise Problem("invalid")
    try:
        return datetime.fromtimestamp(0, timezone.get_default_timezone()) + timedelta(
            microseconds=int(read[1])
        ), read[2]
    except OverflowError:
        raise Problem("invalid") from None


def titles(player_id: int) -> list[Tournament]:
    """The tournaments this player has won, the latest first, that anybody may know of."""
    rows = Tournament.objects.filter(champion__player_id=player_id, private=False)
    return list(rows.order_by("-ended_at", "pk")[:PAGE])


# What is called out on every page

_CALLS = {
    timedelta(seconds=30): gettext_lazy("{name} starts in thirty seconds."),
    timedelta(minutes=5): gettext_lazy("{name} starts in five minutes."),
}
_CANCELLED = gettext_lazy("{name} is cancelled.")


def notices() -> Iterator[Notice]:
    """Starts that are near, and cancellations, to all entered: two queries. That a match has begun says the lobby."""
    now = timezone.now()
    near = Q()
    for ahead in _CALLS:
        near |= Q(starts_at__gt=now + ahead - NEWS, starts_at__lte=now + ahead)
    soon = Q(status=Status.OPEN.value) & near
    # None is cancelled later than it would have started.
    ended = Q(status=Status.CANCELLED.value, starts_at__gt=now - NEWS, ended_at__gt=now - NEWS)
    for row in Tournament.objects.filter(soon | ended).prefetch_related("entries"):
        word, sentence = _call(row, now)
        for entry in row.entries.all():
            if entry.player_id is not None:
                key = f"{row.pk}-{word}"
                title = format_lazy(sentence, name=row.name)
                yield Notice(key, entry.player_id, title, path_of(row.pk))


def _call(row: Tournament, now: datetime) -> tuple[str, Any]:
    if row.status == Status.CANCELLED.value:
        return row.status, _CANCELLED
    return next(
        (f"{ahead.seconds}", words) for ahead, words in _CALLS.items() if row.starts_at <= now + ahead
    )
