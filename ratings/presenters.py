"""What the ladder, a player's page and a history show. Knows words; asks no database."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils.formats import date_format
from django.utils.safestring import SafeString

from matches.presenters import Tile
from matches.queries import face
from ratings import words
from ratings.core.chart import Chart, draw
from ratings.core.points import earned
from ratings.models import LedgerRow, Tally
from ratings.queries import Line, Rung, may_open, record
from ratings.terms import terms_of

EXAMPLE = 5
"""Digits of the number that the card about points is drawn with."""
_SOON_DAYS = 60


@dataclass(frozen=True, slots=True)
class RungView:
    rank: int
    name: str
    key: str
    you: bool
    won: int
    lost: int
    last: str
    points: str


def rungs(found: Iterable[Rung], you: int | None, *, of_month: bool) -> list[RungView]:
    """A month's points are changes, and say so by their sign."""
    return [
        RungView(
            rung.rank,
            face(rung.player).shown,
            rung.player.username,
            rung.player.pk == you,
            rung.won,
            rung.lost,
            words.signed(rung.last),
            words.signed(rung.points) if of_month else str(rung.points),
        )
        for rung in found
    ]


@dataclass(frozen=True, slots=True)
class Worth:
    """What a last guess is worth to who loses, drawn as tiles."""

    in_place: int
    tiles: tuple[Tile, ...]
    points: str


def worths() -> list[Worth]:
    """From almost found to nothing in place (R6.2)."""
    return [
        Worth(
            n,
            (Tile("", "exact"),) * n + (Tile("", "peg"),) * (EXAMPLE - n),
            words.signed(earned(EXAMPLE, n)),
        )
        for n in range(EXAMPLE - 1, -1, -1)
    ]


@dataclass(frozen=True, slots=True)
class LineView:
    """One match. `match` is empty for who may not see the match itself."""

    sentence: SafeString
    terms: str
    ended_at: datetime
    guesses: str
    change: str
    why: str
    match: str


def line(found: Line, viewer: int | None) -> LineView:
    result, moved = found.result, found.moved
    yours = viewer is not None and viewer == result.opponent_id
    return LineView(
        sentence=words.sentence(result, words.you() if yours else words.opponent(face(result.opponent))),
        terms=words.terms_line(terms_of(result.terms, result.seconds)),
        ended_at=datetime.fromtimestamp(result.ended_at / 1000, UTC),
        guesses=words.guesses(result.guesses),
        change=words.signed(moved.change) if moved else "",
        why=words.short_why(found),
        match=result.match_id if may_open(result, viewer) else "",
    )


@dataclass(frozen=True, slots=True)
class TermsView:
    """A player's record on some terms."""

    terms: str
    won: int
    lost: int
    drawn: int
    void: int
    guesses: str


def by_terms(tallies: Iterable[Tally], *, bots: bool) -> list[TermsView]:
    return [
        TermsView(
            words.kind_of_match(terms_of(tally.terms)),
            tally.won,
            tally.lost,
            tally.drawn,
            tally.void,
            words.decimal(record([tally]).guesses_to_win),
        )
        for tally in tallies
        if tally.bots == bots
    ]


@dataclass(frozen=True, slots=True)
class ChartView:
    chart: Chart
    total: int
    count: int
    first: str
    last: str


def chart(rows: list[LedgerRow]) -> ChartView | None:
    """A player's points over all their rated matches; None before the first."""
    if not rows:
        return None
    first, last = rows[0], rows[-1]
    # Months say nothing of a career that is days old.
    pattern = "j F" if (last.at - first.at).days < _SOON_DAYS else "F Y"
    return ChartView(
        draw([(row.number, row.total) for row in rows]),
        last.total,
        last.number,
        date_format(first.at, pattern),
        date_format(last.at, pattern),
    )
