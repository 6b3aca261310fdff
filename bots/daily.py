"""The daily number: a try at it, and what came of everybody's. A day turns at 00:00 UTC."""

import hmac
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from django.conf import settings
from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from bots.core import daily, solo
from bots.core.daily import DAY, GUESSES, LENGTH
from bots.core.solo import Board
from bots.models import DailyTry
from matches.choices import agreed
from matches.core.terms import Feedback, Terms
from players.models import User
from players.problems import Problem


def today() -> date:
    return timezone.now().date()


def turns_at(day: date) -> datetime:
    """When the day's number gives way to the next."""
    return datetime.combine(day + DAY, time(), UTC)


def terms() -> Terms:
    """Five digits, repeats allowed, marked per position: the widest field with the fullest answer."""
    return agreed({"length": LENGTH, "repeats": True, "feedback": Feedback.POSITIONS.value, "rated": False})


def board_of(day: date, mine: DailyTry | None) -> Board:
    """The board of a try, or the empty one of who has not begun."""
    key = hmac.digest(settings.SECRET_KEY.encode(), b"the daily number", "sha256")
    return Board(terms(), daily.number(day, key), GUESSES, tuple(mine.guesses) if mine else ())


def try_of(player_id: int | None, day: date) -> DailyTry | None:
    return DailyTry.objects.filter(player_id=player_id, day=day).first() if player_id else None


def is_on(day: date, mine: DailyTry | None) -> bool:
    """Whether this try may go on: today's, and for one day more what was begun before midnight."""
    if mine is not None and mine.found is not None:
        return False
    return day == today() or (day == today() - DAY and mine is not None)


def rehearse(day: date, code: str) -> None:
    """Raise what a first guess would: `Refused`, or `Problem` expired. So that a bad one makes no guest."""
    if not is_on(day, None):
        raise _over()
    solo.play(board_of(day, None), code)


def play(player: User, day: date, code: str, n: int | None) -> Board:
    """Guess in the player's one try of that day, which the first guess begins. Raises `Refused`, `Problem` expired."""
    with transaction.atomic():
        if day == today():
            DailyTry.objects.get_or_create(player=player, day=day)
        mine = DailyTry.objects.select_for_update().filter(player=player, day=day).first()
        if mine is None or (mine.found is None and not is_on(day, mine)):
            raise _over()
        board = solo.play(board_of(day, mine), code, n)
        mine.guesses, mine.taken = board.guesses, len(board.guesses)
        mine.found = board.found if board.over else None
        mine.save(update_fields=["guesses", "taken", "found"])
    return board


def _over() -> Problem:
    return Problem("expired", _("That day’s number can no longer be guessed: this is today’s."))


# What came of it


@dataclass(frozen=True, slots=True)
class Bar:
    """How many tries took so many guesses; `n` is None for those that did not find the number."""

    n: int | None
    tries: int
    percent: int
    """Of the longest bar."""


@dataclass(frozen=True, slots=True)
class Figures:
    """A player's own."""

    played: int
    found: int
    streak: int
    bars: tuple[Bar, ...]


def _bars(tries: QuerySet[DailyTry]) -> tuple[Bar, ...]:
    """Of the tries that are over, how many guesses they took."""
    counts: Counter[int | None] = Counter()
    over = tries.filter(found__isnull=False).order_by()
    for found, taken, number in over.values_list("found", "taken").annotate(Count("pk")):
        counts[taken if found else None] += number
    longest = max(counts.values(), default=1)
    return tuple(Bar(n, counts[n], 100 * counts[n] // longest) for n in (*range(1, GUESSES + 1), None))


def of_day(day: date) -> tuple[Bar, ...]:
    return _bars(DailyTry.objects.filter(day=day))


def of_player(player_id: int) -> Figures:
    mine = DailyTry.objects.filter(player_id=player_id)
    bars = _bars(mine)
    days = mine.filter(found=True).order_by("-day").values_list("day", flat=True)
    latest = {one.day: one for one in mine.filter(day__gte=today() - DAY)}
    pending = {day for day in (today(), today() - DAY) if is_on(day, latest.get(day))}
    return Figures(
        played=sum(bar.tries for bar in bars),
        found=sum(bar.tries for bar in bars if bar.n is not None),
        streak=daily.streak(days, today(), pending),
        bars=bars,
    )


def shared(board: Board, day: date, address: str) -> str:
    """A result to send to others: its marks, and nothing of what was guessed."""
    facts = {"n": len(board.guesses), "room": board.room}
    result = _("found on guess %(n)d of %(room)d") if board.found else _("not found in %(room)d guesses")
    lines: Sequence[str] = (
        f"The Numbers · {day.isoformat()}",
        result % facts,
        *(daily.shapes(row.marks or "") for row in solo.see(board).rows),
        address,
    )
    return "\n".join(lines)
