"""Questions about ladders, records and histories. Read only; as many statements for one row as for a thousand."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from matches.core.terms import PRESETS
from players.models import User
from players.names import name_key
from players.problems import Problem
from ratings.core.chart import sample
from ratings.models import (
    ALL_TIME,
    Cause,
    Ladder,
    LedgerRow,
    Outcome,
    Result,
    Standing,
    Tally,
    month_of,
)

_RUNG = re.compile(r"(-?[0-9]{1,9})\.([0-9]{1,18})", re.ASCII)
_LINE = re.compile(r"([0-9]{1,15})\.([0-9a-z]{1,8})", re.ASCII)
_ORDER = ("-points", "player_id")


def player(name: str) -> User:
    """The player of that name, or of one that looks like it. Raises `Problem` not_found."""
    found = User.objects.filter(name_key=name_key(name)).first()
    if found is None:
        raise Problem("not_found")
    return found


def this_month() -> str:
    return month_of(timezone.now())


# Ladders


@dataclass(frozen=True, slots=True)
class Rung:
    """A place on a ladder, counted from the top; who has as many points shares the rank."""

    place: int
    rank: int
    player: User
    points: int
    won: int
    lost: int
    last: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some rungs, one after the other; `after` is where the next stretch begins, None at the foot."""

    rungs: tuple[Rung, ...]
    after: str | None


def climb(ladder: Ladder, period: str = ALL_TIME, *, after: str = "", limit: int) -> Stretch:
    """The rungs below the place `after`, or the top of the ladder. Raises `Problem` invalid."""
    rows = _standings(ladder, period)
    if after:
        rows = _below(rows, *_rung(after))
    found = list(rows.order_by(*_ORDER)[: limit + 1])
    shown = found[:limit]
    more = f"{shown[-1].points}.{shown[-1].player_id}" if len(found) > limit else None
    return Stretch(_ranked(shown, first=not after), more)


def around(ladder: Ladder, period: str, player_id: int) -> tuple[Rung, ...]:
    """A player's own rung between its neighbours; nothing for who has none."""
    rows = _standings(ladder, period)
    own = rows.filter(player_id=player_id).first()
    if own is None:
        return ()
    above = _above(rows, own.points, player_id).order_by("points", "-player_id")[:1]
    below = _below(rows, own.points, player_id).order_by(*_ORDER)[:1]
    return _ranked([*above, own, *below])


def rank(ladder: Ladder, points: int, period: str = ALL_TIME) -> int:
    """The rank that so many points give."""
    return _standings(ladder, period).filter(points__gt=points).count() + 1


def standings(player_id: int) -> dict[Ladder, Standing]:
    """What a player has, all told, on each ladder that has moved for them."""
    rows = Standing.objects.filter(player_id=player_id, period=ALL_TIME)
    return {Ladder(row.ladder): row for row in rows}


def _standings(ladder: Ladder, period: str) -> QuerySet[Standing]:
    return Standing.objects.filter(ladder=ladder, period=period).select_related("player")


def _rung(after: str) -> tuple[int, int]:
    read = _RUNG.fullmatch(after)
    if read is None:
        raise Problem("invalid")
    return int(read[1]), int(read[2])


# Each bound stands twice: the plain one is what an index begins at.


def _below(rows: QuerySet[Standing], points: int, player_id: int) -> QuerySet[Standing]:
    return rows.filter(Q(points__lt=points) | Q(player_id__gt=player_id), points__lte=points)


def _above(rows: QuerySet[Standing], points: int, player_id: int) -> QuerySet[Standing]:
    return rows.filter(Q(points__gt=points) | Q(player_id__lt=player_id), points__gte=points)


def _ranked(rows: list[Standing], *, first: bool = False) -> tuple[Rung, ...]:
    """Rows that follow each other, with their ranks: one question says where they begin, at the top none."""
    if not rows:
        return ()
    place, rank = (1, 1) if first else _place(rows[0])
    rungs = []
    for before, row in zip([None, *rows], rows, strict=False):
        if before is not None:
            place += 1
            rank = rank if row.points == before.points else place
        rungs.append(Rung(place, rank, row.player, row.points, row.won, row.lost, row.last))
    return tuple(rungs)


def _place(row: Standing) -> tuple[int, int]:
    """How far down a row stands, and its rank."""
    # Only what stands in the index is counted: no row is read.
    at_least = Standing.objects.filter(ladder=row.ladder, period=row.period, points__gte=row.points)
    found = at_least.aggregate(
        more=Count("player_id", filter=Q(points__gt=row.points)),
        before=Count("player_id", filter=Q(points__gt=row.points) | Q(player_id__lt=row.player_id)),
    )
    return found["before"] + 1, found["more"] + 1


# Records


@dataclass(frozen=True, slots=True)
class Record:
    won: int = 0
    lost: int = 0
    drawn: int = 0
    void: int = 0
    broken: int = 0
    guesses: int = 0

    @property
    def guesses_to_win(self) -> float | None:
        """How many it took to name the number, on average."""
        return self.guesses / self.broken if self.broken else None


def tallies(player_id: int) -> list[Tally]:
    """Everything a player's record is made of, the terms played most first; a row for each terms and kind of rival."""
    rows = Tally.objects.filter(player_id=player_id)
    return sorted(rows, key=lambda row: (-(row.won + row.lost + row.drawn + row.void), row.terms))


def record(rows: Iterable[Tally]) -> Record:
    """What these add up to."""
    rows = list(rows)
    return Record(
        won=sum(row.won for row in rows),
        lost=sum(row.lost for row in rows),
        drawn=sum(row.drawn for row in rows),
        void=sum(row.void for row in rows),
        broken=sum(row.broken for row in rows),
        guesses=sum(row.guesses for row in rows),
    )


def line_of_points(player_id: int, rows: int) -> list[LedgerRow]:
    """The general ledger of a player who has so many rows there, thinned out to what a chart can show."""
    kept = LedgerRow.objects.filter(player_id=player_id, ladder=Ladder.GENERAL, number__in=sample(rows))
    return list(kept.order_by("number"))


# Histories


@dataclass(frozen=True, slots=True)
class Moved:
    """What a match has moved for one player, and why; a reversal is taken into account."""

    change: int
    cause: Cause
    length: int
    in_place: int | None
    given: bool = False
    """Whether a moderator gave the match to a side once it was over."""


@dataclass(frozen=True, slots=True)
class Line:
    """One match in a history. `moved` is None where it moved no ladder."""

    result: Result
    moved: Moved | None


@dataclass(frozen=True, slots=True)
class Lines:
    lines: tuple[Line, ...]
    after: str | None


KINDS = {"rated": Q(rated=True), "unrated": Q(rated=False), "bots": Q(against_bot=True)}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which matches of a history are asked for; empty is any."""

    preset: str = ""
    outcome: str = ""
    kind: str = ""
    opponent: str = ""


def wanted(asked: Mapping[str, str]) -> Wanted:
    """What a form or an address asks for. Raises `Problem` invalid."""
    read = Wanted(*(asked.get(field, "").strip() for field in Wanted.__slots__))
    offered = ((read.preset, PRESETS), (read.outcome, Outcome.values), (read.kind, KINDS))
    if any(value and value not in values for value, values in offered):
        raise Problem("invalid")
    return read


def history(player_id: int, asked: Wanted | None = None, *, after: str = "", limit: int) -> Lines:
    """A player's matches, the newest first, from the place `after` on. Raises `Problem` invalid."""
    rows = _results(player_id, asked or Wanted())
    if after:
        read = _LINE.fullmatch(after)
        if read is None:
            raise Problem("invalid")
        ended_at, match_id = int(read[1]), read[2]
        rows = rows.filter(Q(ended_at__lt=ended_at) | Q(match__gt=match_id), ended_at__lte=ended_at)
    found = list(rows.order_by("-ended_at", "match_id")[: limit + 1])
    shown = found[:limit]
    more = f"{shown[-1].ended_at}.{shown[-1].match_id}" if len(found) > limit else None
    moved = _moved(LedgerRow.objects.filter(player_id=player_id, match__in=[row.match_id for row in shown]))
    return Lines(tuple(Line(row, moved.get((row.match_id, player_id))) for row in shown), more)


def _results(player_id: int, asked: Wanted) -> QuerySet[Result]:
    rows = Result.objects.filter(player_id=player_id).select_related("match", "opponent")
    # A match's state and answers are long, and no history shows them.
    rows = rows.defer("match__state", "match__secrets", "match__answers")
    if asked.preset:
        rows = rows.filter(preset=asked.preset)
    if asked.outcome:
        rows = rows.filter(outcome=asked.outcome)
    if asked.kind:
        rows = rows.filter(KINDS[asked.kind])
    if asked.opponent:
        rows = rows.filter(opponent__name_key=name_key(asked.opponent))
    return rows


def may_open(result: Result, viewer: int | None) -> bool:
    """Whether this viewer may see the match behind a line: a private one is for its two players."""
    return result.match.public or (viewer is not None and viewer in (result.player_id, result.opponent_id))


def _moved(rows: QuerySet[LedgerRow]) -> dict[tuple[str, int], Moved]:
    """Each match's rows of one player as one: what undoes another, or comes in its place, comes after it."""
    moved: dict[tuple[str, int], Moved] = {}
    for row in rows.order_by("number"):
        assert row.match_id is not None  # they are asked for by match
        before = moved.get((row.match_id, row.player_id))
        change = row.change + (before.change if before else 0)
        moved[row.match_id, row.player_id] = Moved(
            change, Cause(row.cause), row.length, row.in_place, given=row.decision > 0
        )
    return moved


def told(match_id: str) -> dict[int, Line]:
    """How a counted match went for each seat whose player is still there, and what it moved."""
    rows = Result.objects.filter(match_id=match_id).select_related("opponent")
    moved = _moved(LedgerRow.objects.filter(match_id=match_id))
    return {row.seat: Line(row, moved.get((match_id, row.player_id))) for row in rows}
