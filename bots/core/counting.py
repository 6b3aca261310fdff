"""How many numbers a board leaves possible. Knows only what its player can see."""

from collections.abc import Iterable

import numpy as np

from bots.core.puzzle import MARK, Codes, Mask, Puzzle, marks, totals
from matches.core.sight import GuessSight


def possible(puzzle: Puzzle, rows: Iterable[GuessSight]) -> int:
    """The lawful secrets against which every one of `rows` would have earned what it did."""
    left = puzzle.secrets
    for row in rows:
        left = left.where(np.flatnonzero(_agrees(left, row)))
    return len(left)


def _agrees(left: Codes, row: GuessSight) -> Mask:
    if row.marks is None:
        exact, present = totals(left, row.code)
        agrees: Mask = (exact == row.exact) & (present == row.present)
    else:
        earned = np.array([MARK[letter] for letter in row.marks], np.uint8)
        agrees = (marks(left, row.code) == earned[:, None]).all(axis=0)
    return agrees
