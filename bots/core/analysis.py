"""What each guess of a board told, in bits, and what it could have told. Exact, from what its guesser could know.

*Gained* is how far a guess cut down the codes still possible: each halving is one bit. *Expected* is what it was to
gain on average over those codes, so that the difference is luck; *best* is the most any lawful guess was expected to.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2

import numpy as np

from bots.core.best import Best, Numbers, Told, best, entropy
from bots.core.puzzle import Codes, Puzzle, marks, totals
from bots.core.tree import answer
from matches.core.codes import DIGITS
from matches.core.sight import GuessSight


@dataclass(frozen=True, slots=True)
class Step:
    """One guess: how many codes were possible `before` and `after` it, and what it was expected to tell."""

    code: str
    before: int
    after: int
    expected: float
    best: Best

    @property
    def gained(self) -> float:
        return log2(self.before / self.after)

    @property
    def luck(self) -> float:
        return self.gained - self.expected

    @property
    def typical(self) -> float:
        """How many codes it leaves if luck plays no part."""
        return self.before / 2**self.expected


@dataclass(frozen=True, slots=True)
class Board:
    steps: tuple[Step, ...]

    @property
    def skill(self) -> float | None:
        """The share of what could be asked that was; None if nothing was there to be found out."""
        best = sum(step.best.bits for step in self.steps)
        return sum(step.expected for step in self.steps) / best if best else None

    @property
    def luck(self) -> float:
        return sum(step.luck for step in self.steps)


def analyse(
    puzzle: Puzzle, rows: Sequence[GuessSight], between: Callable[[], object] = lambda: None
) -> Board:
    """A board, guess by guess; `between` is called after each.

    Digits are called by the order in which they came up: what holds after `7281` holds after `0123`, and is known.
    """
    names = "".join(dict.fromkeys("".join(row.code for row in rows) + DIGITS))
    plain, back = str.maketrans(names, DIGITS), str.maketrans(DIGITS, names)
    told = tuple((row.code.translate(plain), answer(puzzle, row)) for row in rows)
    steps: list[Step] = []
    for n, row in enumerate(rows):
        before, after = _left(puzzle, told[:n]), _left(puzzle, told[: n + 1])
        counts = np.bincount(_answers(puzzle, before, told[n][0]))
        idle = bool(steps) and steps[-1].before == steps[-1].after  # what was best still is
        most = steps[-1].best if idle else _renamed(_best(puzzle, told[:n]), back)
        steps.append(Step(row.code, len(before), len(after), float(entropy(counts)), most))
        between()
    return Board(tuple(steps))


def _renamed(best: Best, back: dict[int, int]) -> Best:
    return Best(best.bits, best.code.translate(back))


@lru_cache(maxsize=4096)
def _best(puzzle: Puzzle, told: Told) -> Best:
    return best(puzzle, _left(puzzle, told), told)


@lru_cache(maxsize=8)
def _left(puzzle: Puzzle, told: Told) -> Codes:
    """The codes still possible."""
    if not told:
        return puzzle.secrets
    left, (code, answered) = _left(puzzle, told[:-1]), told[-1]
    return left.where(np.flatnonzero(_answers(puzzle, left, code) == answered))


def _answers(puzzle: Puzzle, left: Codes, code: str) -> Numbers:
    """What `code` is answered by each of `left`, as one number."""
    if puzzle.positions:
        return 3 ** np.arange(puzzle.length) @ marks(left, code)
    exact, present = totals(left, code)
    return exact * np.intp(6) + present
