"""Questions about matches. Read only; what a viewer may see is `sight`'s to say."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from django.db.models import Count, Q

from matches import store, uptime, words
from matches.core.clock import Clocks
from matches.core.machine import Created, State, Status, create, trail
from matches.core.sight import Moment, Sight, Telling, look_back, see, tell
from matches.models import Connection, Event, Match, Seat
from matches.presenters import DELETED, Face
from players.many import among
from players.models import Tie, User
from players.problems import Problem

_AT_ONCE = 100


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Loaded:
    """A match as it stands, with its players by seat; None for a deleted one."""

    id: str
    public: bool
    revision: int
    created_at: int
    state: State
    players: tuple[User | None, User | None]
    leads_to: str
    rendered: dict[tuple[object, ...], str] = field(default_factory=dict, repr=False)
    """What sockets have been told of it, made once for all who are told alike."""

    def seat_of(self, user_id: int | None) -> int | None:
        for seat, player in enumerate(self.players):
            if player is not None and player.pk == user_id:
                return seat
        return None

    def rival_of(self, user_id: int | None) -> User | None:
        """Whom this caller plays against; None for a spectator."""
        seat = self.seat_of(user_id)
        return None if seat is None else self.players[1 - seat]

    def sight(self, user_id: int | None) -> Sight:
        return see(self.state, self.seat_of(user_id), store.now_ms())


def load(match_id: str) -> Loaded:
    """The match with its players, in one query. Raises `Problem` not_found."""
    seats = list(Seat.objects.filter(match_id=match_id).select_related("match", "player"))
    if not seats:
        raise Problem("not_found")
    return _with_players(seats[0].match, seats)


def follow(before: Loaded) -> Loaded:
    """The same match as it stands now, in one short query. Raises `Problem` not_found.

    Its players are those of `before` until it is over: then it has moved their points.
    """
    row = Match.objects.filter(pk=before.id).only("revision", "state", "secrets").first()
    if row is None:
        raise Problem("not_found")
    state, _ = uptime.credit(store.state_of(row))
    if state.status is Status.OVER:
        return load(before.id)
    return replace(before, revision=row.revision, state=state, rendered={})


def visible(match_id: str, user_id: int | None) -> Loaded:
    """The match if this caller may see it: a private one is for its two players. Raises `Problem` not_found."""
    loaded = load(match_id)
    if not loaded.public and loaded.seat_of(user_id) is None:
        raise Problem("not_found")
    return loaded


def played(match_id: str, user_id: int | None) -> tuple[Loaded, int]:
    """The match and the caller's seat. Raises `Problem`: not_found, or forbidden to who only watches."""
    loaded = visible(match_id, user_id)
    seat = loaded.seat_of(user_id)
    if seat is None:
        raise Problem("forbidden")
    return loaded, seat


def live_of(user_id: int | None) -> list[Loaded]:
    """A player's running matches, newest first; three queries however many they are."""
    rows = Match.objects.filter(seats__player_id=user_id, seats__live=True)
    return [_loaded(row) for row in rows.prefetch_related("seats__player").order_by("-created_at", "pk")]


def played_by(user_id: int) -> Iterator[Loaded]:
    """Every match a player has sat at, the oldest first; three queries for each hundred."""
    seats = Seat.objects.filter(player_id=user_id).order_by("pk")
    seats = seats.select_related("match").prefetch_related("match__seats__player")
    after = 0
    while page := list(seats.filter(pk__gt=after)[:_AT_ONCE]):
        yield from (_loaded(seat.match) for seat in page)
        after = page[-1].pk


def tellings_since(match_id: str, version: int) -> list[Telling]:
    """What was told of a match after `version`, in order."""
    (created, _), *rest = store.events(match_id)
    assert isinstance(created, Created)
    tellings = []
    for (event, after), (_, clocks) in zip(
        trail(create(created), (event for event, _ in rest)), rest, strict=True
    ):
        telling = tell(after, event) if after.version > version else None
        if telling is not None:
            tellings.append(replace(telling, clocks=clocks))
    return tellings


def moment(loaded: Loaded, version: int, user_id: int | None) -> Moment | None:
    """A finished match as it stood after one of its events; None where there is nothing to look back on."""
    return look_back(store.events(loaded.id), version, loaded.seat_of(user_id))


def revisions(match_ids: Iterable[str]) -> dict[str, int]:
    """How far each of these matches has come, in one query."""
    return dict(Match.objects.filter(pk__in=among(match_ids)).values_list("pk", "revision"))


def clocks(match_ids: Iterable[str]) -> dict[str, Clocks]:
    """What the clocks of these matches stand at, in one query."""
    rows = Match.objects.filter(pk__in=match_ids)
    return {row.pk: uptime.credit(store.state_of(row))[0].clocks for row in rows}


def watchers(match_ids: Iterable[str]) -> dict[str, int]:
    """How many sockets of spectators are open on each of these matches, in one query; only those that have any."""
    watching = Connection.objects.filter(match_id__in=match_ids, seat=None)
    return dict(watching.values("match_id").annotate(n=Count("pk")).values_list("match_id", "n"))


@dataclass(frozen=True, slots=True)
class Watchable:
    """A match that is being played before everybody's eyes, as a list shows it."""

    id: str
    names: tuple[str, str]
    line: str
    guesses: int
    watchers: int


def watchable(limit: int, user_id: int | None = None) -> list[Watchable]:
    """Public matches in play, the latest begun first, less those that `user_id` plays; four queries."""
    live = ~Q(status=Status.OVER.value)  # as the index has it
    rows = Match.objects.filter(live, public=True, status=Status.PLAYING.value)
    if user_id is not None:
        rows = rows.exclude(seats__player_id=user_id)
    found = [
        _loaded(row) for row in rows.prefetch_related("seats__player").order_by("-created_at", "pk")[:limit]
    ]
    watching = watchers(loaded.id for loaded in found)
    return [_watchable(loaded, watching.get(loaded.id, 0)) for loaded in found]


def _watchable(loaded: Loaded, watching: int) -> Watchable:
    first, second = faces(loaded.players)
    line = words.short_line(loaded.state.terms)
    return Watchable(loaded.id, (first.shown, second.shown), line, loaded.state.moves, watching)


def phrases(match_id: str, since: int, up_to: int) -> list[tuple[int, int]]:
    """Seat and phrase of all that was said after one version and up to another."""
    said = Event.objects.filter(match_id=match_id, kind="said", version__gt=since, version__lte=up_to)
    return [(data["seat"], data["phrase"]) for data in said.values_list("data", flat=True)]


def deaf_to(user_id: int | None, speaker: User | None) -> bool:
    """Whether this caller wants no word of that player: has muted or blocked them."""
    return Tie.objects.filter(player=user_id, other=speaker).exists()


def telling(match_id: str, version: int) -> Telling | None:
    """What was told as `version`; None where nothing was."""
    return next((told for told in tellings_since(match_id, version - 1) if told.version == version), None)


def face(player: User | None) -> Face:
    if player is None:
        return Face(DELETED, "human", 0)
    return Face(player.username, player.kind, player.points)


def faces(players: Iterable[User | None]) -> tuple[Face, Face]:
    first, second = (face(player) for player in players)
    return first, second


def _loaded(row: Match) -> Loaded:
    return _with_players(row, row.seats.all())


def _with_players(row: Match, seats: Iterable[Seat]) -> Loaded:
    first, second = (seat.player for seat in seats)
    state, _ = uptime.credit(store.state_of(row))
    return Loaded(
        id=row.pk,
        public=row.public,
        revision=row.revision,
        created_at=int(row.created_at.timestamp() * 1000),
        state=state,
        players=(first, second),
        leads_to=row.leads_to,
    )
