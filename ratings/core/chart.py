"""A line of totals as places on a drawing: which points to show, and where they and their grid stand."""

from collections.abc import Sequence
from dataclasses import dataclass

LEFT, RIGHT, TOP, BOTTOM = 44, 308, 12, 172
MOST = 200
_STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Line:
    """A level of the grid, and how high it stands."""

    value: int
    y: int


@dataclass(frozen=True, slots=True)
class Chart:
    """`path` is SVG's; `x` and `y` are where it ends, at the newest total."""

    path: str
    grid: tuple[Line, ...]
    x: int
    y: int


def sample(count: int, most: int = MOST) -> list[int]:
    """Which of the numbers 1 to `count` to show: all, or `most` of them, evenly spread, the last always."""
    if count <= most:
        return list(range(1, count + 1))
    return [-(-count * place // most) for place in range(1, most + 1)]


def draw(points: Sequence[tuple[int, int]]) -> Chart:
    """The totals `(number, total)`, in order, as a line that begins at nothing."""
    placed = [(0, 0), *points]
    last, step = placed[-1][0] or 1, _step(max(total for _, total in placed))
    top = step * max(1, -(-max(total for _, total in placed) // step))
    at = [
        (LEFT + (RIGHT - LEFT) * number // last, BOTTOM - (BOTTOM - TOP) * total // top)
        for number, total in placed
    ]
    grid = tuple(Line(value, BOTTOM - (BOTTOM - TOP) * value // top) for value in range(0, top + 1, step))
    return Chart("M" + "L".join(f"{x} {y}" for x, y in at), grid, *at[-1])


def _step(highest: int) -> int:
    """The round distance of lines that needs at most five of them above nothing."""
    tens = 10
    while True:
        for step in _STEPS:
            if highest <= 5 * step * tens:
                return step * tens
        tens *= 10
