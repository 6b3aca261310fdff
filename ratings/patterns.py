"""What looks as if points were passed on, of late. Reads results and sign-ins, writes `Pattern`; accuses nobody.

It is worked out for everybody at once, every few minutes and beside all requests, from the rated wins of the last
weeks: an index holds them in order of time, so that its cost grows with what is played in those weeks alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, F, Max, QuerySet, Sum
from django.utils import timezone

from matches.core.machine import Reason
from ratings.models import LedgerRow, Outcome, Pattern, Result

WINDOW = timedelta(days=30)
MANY = 20
"""So many rated wins of one over the same other are looked at, in the window."""
QUICK = 2
"""A resignation after at most so many guesses of the winner is quick."""
GIVEN = 4
"""So many quick resignations of one to another are looked at."""
ACCOUNTS = 2
"""So many new accounts of one address that lose to one player are looked at."""
MOST = 200
"""Of each kind at most so many are kept, those with most matches."""


@dataclass(frozen=True, slots=True)
class Found:
    kind: Pattern.Kind
    player: int
    other: int | None
    address: str
    matches: int
    accounts: int
    last: int
    points: int = 0


def look() -> None:
    """Work out all patterns anew. Done twice at once, each row is the one's or the other's: none waits for two."""
    now = timezone.now()
    since = now - WINDOW
    kept = [_keep(each, now) for each in (*_pairs(since), *_given(since), *_fed(since))]
    Pattern.objects.exclude(pk__in=kept).delete()


def _wins(since: datetime) -> QuerySet[Result]:
    return Result.objects.filter(
        rated=True, outcome=Outcome.WON.value, ended_at__gte=int(since.timestamp() * 1000)
    )


def _pairs(since: datetime) -> Iterable[Found]:
    return _of_two(Pattern.Kind.PAIR, _wins(since), MANY)


def _given(since: datetime) -> Iterable[Found]:
    quick = _wins(since).filter(reason=Reason.RESIGNED.value, guesses__lte=QUICK)
    return _of_two(Pattern.Kind.GIVEN, quick, GIVEN)


def _of_two(kind: Pattern.Kind, wins: QuerySet[Result], least: int) -> Iterable[Found]:
    pairs = wins.filter(opponent__isnull=False).values_list("player", "opponent")
    counted = pairs.annotate(matches=Count("pk"), last=Max("ended_at")).filter(matches__gte=least)
    for player, other, matches, last in counted.order_by("-matches", "player", "opponent")[:MOST]:
        points = _gained(wins.filter(player=player, opponent=other))
        yield Found(kind, player, other, "", matches, 1, last, points)


def _fed(since: datetime) -> Iterable[Found]:
    """New accounts that have signed in from one address and lose to one player."""
    losses = _wins(since).filter(
        opponent__date_joined__gte=since, opponent__sign_ins__at__gte=since, opponent__kind="human"
    )
    addresses = losses.values_list("player", "opponent__sign_ins__address").annotate(
        accounts=Count("opponent", distinct=True), matches=Count("match", distinct=True), last=Max("ended_at")
    )
    most = addresses.filter(accounts__gte=ACCOUNTS)
    most = most.order_by("-accounts", "-matches", "player", "opponent__sign_ins__address")[:MOST]
    for player, address, accounts, matches, last in most:
        own = losses.filter(player=player, opponent__sign_ins__address=address)
        points = _gained(Result.objects.filter(pk__in=own.values("pk")))
        yield Found(Pattern.Kind.FED, player, None, address, matches, accounts, last, points)


def _gained(wins: QuerySet[Result]) -> int:
    """What these wins have brought, less what was taken back."""
    rows = LedgerRow.objects.filter(match__in=wins.values("match"), player__in=wins.values("player"))
    return rows.aggregate(points=Sum("change"))["points"] or 0


def _keep(found: Found, now: datetime) -> int:
    key: dict[str, Any] = {
        "kind": found.kind,
        "player_id": found.player,
        "other_id": found.other,
        "address": found.address,
    }
    told = {
        "matches": found.matches,
        "accounts": found.accounts,
        "points": found.points,
        "last_at": datetime.fromtimestamp(found.last / 1000, UTC),
        "found_at": now,
    }
    pattern, _ = Pattern.objects.update_or_create(**key, defaults=told)
    # Put aside, it comes up again once there is more of it than was looked at then.
    Pattern.objects.filter(pk=pattern.pk, aside=True, matches__gt=F("known")).update(aside=False)
    return pattern.pk
