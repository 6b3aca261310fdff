"""Questions about the lobby. Read only."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from lobby.core.fit import Offer
from lobby.models import Challenge, Invitation, Seek
from matches import codec, store
from matches.core.machine import Status
from matches.core.terms import Terms
from matches.models import Match
from players.models import User

NEWS = timedelta(seconds=20)
"""How long something is news: a match nobody has come to yet, an answer to a challenge."""
SHOWN = 100
"""Seeks on a page, those that have waited longest: nobody reads further."""


@dataclass(frozen=True, slots=True)
class Call:
    """A match has begun, and this player has not come to it yet."""

    match: str
    player: int
    opponent: User | None


@dataclass(frozen=True, slots=True)
class Notice:
    """News of another room for one player, on whatever page. `title` is lazy: each hears it in their language."""

    key: str
    player: int
    title: object
    url: str


sources: list[Callable[[], Iterable[Notice]]] = []
"""What rooms that know the lobby have to tell; asked at every look."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that lobby sockets tell, as it stands: what changes between two of them is what there is to say."""

    seeks: dict[str, Seek]
    challenges: dict[tuple[str, str], Challenge]  # by id and fate: an answer is news
    calls: dict[tuple[str, int], Call]
    notices: dict[tuple[str, int], Notice]


NOTHING = Snapshot({}, {}, {}, {})


def snapshot() -> Snapshot:
    """Three queries and those of the sources, whatever is open."""
    return Snapshot(
        {seek.pk: seek for seek in open_seeks()},
        {(asked.pk, asked.fate): asked for asked in _challenges()},
        {(call.match, call.player): call for call in _calls()},
        {(notice.key, notice.player): notice for source in sources for notice in source()},
    )


def terms_of(offer: Seek | Challenge | Invitation) -> Terms:
    return codec.terms_from_json(offer.terms)


def open_seeks() -> QuerySet[Seek]:
    """With their owners, the longest waiting first."""
    seeks = Seek.objects.filter(fate=Seek.Fate.OPEN, expires_at__gt=timezone.now())
    return seeks.select_related("owner").order_by("created_at", "pk")


def offers_to(player: User) -> Iterator[Offer[str]]:
    """What this player could take."""
    for seek in open_seeks().exclude(owner=player):
        yield Offer(seek.pk, terms_of(seek), seek.owner.points, int(seek.created_at.timestamp() * 1000))


def challenges_of(player: User) -> QuerySet[Challenge]:
    """Those made by or to this player that are open, or were answered a short while ago."""
    return _challenges().filter(Q(challenger=player) | Q(opponent=player))


def _challenges() -> QuerySet[Challenge]:
    rows = Challenge.objects.select_related("challenger", "opponent")
    now = timezone.now()
    is_open = Q(fate=Challenge.Fate.OPEN, expires_at__gt=now)
    return rows.filter(is_open | Q(closed_at__gt=now - NEWS)).order_by("created_at", "pk")


def _calls() -> Iterator[Call]:
    begun = Match.objects.filter(status=Status.CHOOSING.value, created_at__gt=timezone.now() - NEWS)
    for match in begun.prefetch_related("seats__player"):
        state = store.state_of(match)
        players = [seat.player for seat in match.seats.all()]
        for seat, player in enumerate(players):
            came = state.seats[seat].connected or state.seats[seat].ready
            if player is not None and not came:
                yield Call(match.pk, player.pk, players[1 - seat])


def entered_beside() -> list[str]:
    """Matches begun in the last seconds by somebody whose older seek is still open."""
    opened: dict[int, datetime] = {}
    for owner_id, at in Seek.objects.filter(fate=Seek.Fate.OPEN).values_list("owner_id", "created_at"):
        opened[owner_id] = min(at, opened.get(owner_id, at))
    if not opened:
        return []
    begun = Match.objects.filter(created_at__gt=timezone.now() - NEWS).exclude(status=Status.OVER.value)
    seats = begun.filter(seats__player_id__in=opened).values_list("pk", "created_at", "seats__player_id")
    return sorted({pk for pk, at, player in seats if player in opened and opened[player] < at})
