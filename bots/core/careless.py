"""Playing as people do: every clue is on the screen, and some are not looked at. Chance is handed in."""

from collections.abc import Sequence
from random import Random

import numpy as np

from bots.core.puzzle import MARK, Codes, Mask, Puzzle, marks, totals
from matches.core.marking import EXACT
from matches.core.sight import GuessSight


def guess(puzzle: Puzzle, rows: Sequence[GuessSight], carelessness: float, chance: Random) -> str:
    """A code drawn from those not tried yet that fit what was looked at: everything if `carelessness` is 0.

    Under totals each row but the newest is overlooked with that probability, drawn anew each turn. Per position it is
    so with each tile of those rows; exact ones always catch the eye.
    """
    left = puzzle.secrets
    for row in reversed(rows):  # the newest first: it is seen whole, and leaves the fewest
        carelessly = 0.0 if row is rows[-1] else carelessness
        agree = _tiles_agree if puzzle.positions else _totals_agree
        left = left.where(np.flatnonzero(agree(left, row, carelessly, chance)))
    for row in rows:
        left = left.where(np.flatnonzero(_other_than(left, row.code)))
    return left.text(chance.randrange(len(left)))


def _tiles_agree(left: Codes, row: GuessSight, carelessness: float, chance: Random) -> Mask:
    """Those against which the row would have earned the marks it did, where they were seen."""
    agree = np.ones(len(left), np.bool_)
    for earned, mark in zip(marks(left, row.code), row.marks or "", strict=True):
        if mark == EXACT or chance.random() >= carelessness:
            agree &= earned == MARK[mark]
    return agree


def _totals_agree(left: Codes, row: GuessSight, carelessness: float, chance: Random) -> Mask:
    if chance.random() < carelessness:
        return np.ones(len(left), np.bool_)
    exact, present = totals(left, row.code)
    agree: Mask = (exact == row.exact) & (present == row.present)
    return agree


def _other_than(left: Codes, code: str) -> Mask:
    tried = np.array([[int(digit)] for digit in code], np.uint8)
    other: Mask = (left.digits != tried).any(axis=0)
    return other
