"""What the page of an analysis shows, from boards and a sight: sentences, bars, one chart. Knows words, no rows."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, log10

from django.utils.translation import gettext as _

from bots import words
from bots.core.analysis import Board, Step
from matches import presenters
from matches.core.sight import Sight
from matches.core.terms import Feedback, Totals
from matches.presenters import Face, Row

LEFT, RIGHT, TOP, BOTTOM = 56, 304, 12, 202
"""The chart's field, in its own units."""
LABELS = 8
"""About so many numbers fit under the chart."""
WIDTH, LETTER = 352, 8
"""What there is for names on the ends of lines, and what a letter takes of it."""
NEAR = 16
"""Names that stand less high apart would lie on each other."""


@dataclass(frozen=True, slots=True)
class Line:
    """One guess: the row as the board shows it, and its figures. A bar is a share of all codes, by logarithm."""

    row: Row
    before: str
    after: str
    before_bar: str
    after_bar: str
    gained: str
    expected: str
    best: str
    best_code: str


@dataclass(frozen=True, slots=True)
class Side:
    index: int
    near: bool
    name: str
    board_label: str
    skill: str
    score: str
    luck: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of the chart, and the text that stands there; `anchor` is which end of it does."""

    x: int
    y: int
    text: str = ""
    anchor: str = "start"


@dataclass(frozen=True, slots=True)
class Course:
    path: str
    points: tuple[Mark, ...]
    name: Mark


@dataclass(frozen=True, slots=True)
class Chart:
    label: str
    across: tuple[Mark, ...]
    along: tuple[Mark, ...]
    near: Course
    far: Course

    @property
    def courses(self) -> tuple[Course, Course]:
        return (self.near, self.far)


@dataclass(frozen=True, slots=True)
class Report:
    """`near` is the reader's own board (a watcher's: that of the first seat), as on the match page."""

    totals: bool
    found_in_place: bool
    length: int
    sides: tuple[Side, Side]
    chart: Chart | None


def report(sight: Sight, faces: tuple[Face, Face], boards: tuple[Board, Board]) -> Report:
    near = sight.you or 0
    return Report(
        totals=sight.terms.feedback is Feedback.TOTALS,
        found_in_place=sight.terms.totals is Totals.FOUND_IN_PLACE,
        length=sight.terms.length,
        sides=(_side(sight, near, faces, boards, near), _side(sight, 1 - near, faces, boards, near)),
        chart=_chart(sight, near, faces, boards) if any(board.steps for board in boards) else None,
    )


def _side(sight: Sight, index: int, faces: tuple[Face, Face], boards: tuple[Board, Board], near: int) -> Side:
    board, name, mine = boards[index], faces[index].shown, sight.you == index
    who = None if mine else name
    rows = presenters.rows(sight.terms, index, sight.seats[index].guesses)
    return Side(
        index=index,
        near=index == near,
        name=_name(sight, index, faces),
        board_label=_("Your guesses") if mine else _("%(name)s’s guesses") % {"name": name},
        skill=words.skill(board, who),
        score=words.score(board) if board.steps else "",
        luck=words.luck(board, who),
        lines=tuple(_line(row, step, board) for row, step in zip(rows, board.steps, strict=False)),
    )


def _name(sight: Sight, index: int, faces: tuple[Face, Face]) -> str:
    return _("You") if sight.you == index else faces[index].shown


def _line(row: Row, step: Step, board: Board) -> Line:
    every = board.steps[0].before
    return Line(
        row=row,
        before=words.number(step.before),
        after=words.number(step.after),
        before_bar=_bar(step.before, every),
        after_bar=_bar(step.after, every),
        gained=words.bits(step.gained),
        expected=words.bits(step.expected),
        best=words.bits(step.best.bits),
        best_code=step.best.code,
    )


def _bar(possible: int, every: int) -> str:
    """A sliver is left where one code is: the bar tells how many there are, not how many too many."""
    return f"{max(0.02, log10(possible) / log10(every)):.1%}"


def _chart(sight: Sight, near: int, faces: tuple[Face, Face], boards: tuple[Board, Board]) -> Chart:
    every = next(board.steps[0].before for board in boards if board.steps)
    guesses = max(len(board.steps) for board in boards)
    scale = _Scale(guesses, every)
    courses = [_course(scale, board, _name(sight, seat, faces)) for seat, board in enumerate(boards)]
    told = [words.course(_name(sight, seat, faces), boards[seat]) for seat in (near, 1 - near)]
    return Chart(
        label=_("Numbers still possible after each guess: %(near)s; %(far)s.")
        % {"near": told[0], "far": told[1]},
        across=tuple(scale.powers()),
        along=tuple(scale.numbers()),
        near=courses[near],
        far=_clear_of(courses[1 - near], courses[near]),
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    guesses: int
    every: int

    def x(self, n: int) -> int:
        return round(LEFT + (RIGHT - LEFT) * n / self.guesses)

    def y(self, possible: int) -> int:
        return round(BOTTOM - (BOTTOM - TOP) * log10(possible) / log10(self.every))

    def powers(self) -> Iterator[Mark]:
        for power in range(int(log10(self.every)) + 1):
            yield Mark(LEFT, self.y(10**power), words.number(10**power))

    def numbers(self) -> Iterator[Mark]:
        yield Mark(LEFT, BOTTOM, _("start"))
        step = ceil(self.guesses / LABELS)
        for n in range(step, self.guesses + 1, step):
            yield Mark(self.x(n), BOTTOM, str(n))


def _course(scale: _Scale, board: Board, name: str) -> Course:
    possible = [scale.every, *(step.after for step in board.steps)]
    points = tuple(Mark(scale.x(n), scale.y(count)) for n, count in enumerate(possible))
    path = "M" + "L".join(f"{point.x} {point.y}" for point in points)
    return Course(path, points, _name_at(points[-1], name))


def _name_at(end: Mark, name: str) -> Mark:
    """A name beside the end of its line, or above it where it would not fit."""
    if end.x + 12 + LETTER * len(name) <= WIDTH:
        return Mark(end.x + 12, end.y + 4, name)
    return Mark(end.x + 5, end.y - 12, name, "end")


def _clear_of(course: Course, other: Course) -> Course:
    """Its name above the other's where both would stand in one place."""
    name, beside = course.name, other.name
    if abs(name.y - beside.y) >= NEAR or abs(name.x - beside.x) > LETTER * max(
        len(name.text), len(beside.text)
    ):
        return course
    return replace(course, name=replace(name, y=beside.y - NEAR))
