"""Easy, Medium and Hard: how each picks its next guess from its own rows. Chance comes as a seed, trees as a shelf."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from random import Random

from bots.core import careless
from bots.core.puzzle import Puzzle
from bots.core.tree import Guise, Tree, follow
from matches.core.sight import GuessSight


class Level(StrEnum):
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


Shelf = Callable[[Puzzle], Tree]

_CARELESSNESS: Mapping[tuple[int, bool, bool], tuple[float, float]] = {
    (4, True, True): (0.35, 0.0),
    (4, True, False): (0.50, 0.15),
    (4, False, True): (0.90, 0.35),
    (4, False, False): (0.60, 0.30),
    (5, True, True): (0.35, 0.0),
    (5, True, False): (0.45, 0.15),
    (5, False, True): (1.00, 0.45),
    (5, False, False): (0.55, 0.25),
}
"""By length, repeats and positions: how likely Easy and Medium are to overlook what they could have seen."""


def choose(level: Level, puzzle: Puzzle, rows: Sequence[GuessSight], seed: int, shelf: Shelf) -> str:
    """The next guess after `rows`. The same seed leads to the same guess, however often it is asked for."""
    if level is Level.HARD:
        planned = follow(shelf(puzzle), puzzle, Guise.draw(puzzle, Random(seed)), rows)
        if planned is not None:
            return planned
    # Not of this tree: a match begun before it was grown anew goes on with care.
    carelessness = 0.0 if level is Level.HARD else _carelessness(level, puzzle)
    return careless.guess(puzzle, rows, carelessness, Random(f"{seed} {len(rows)}"))


def _carelessness(level: Level, puzzle: Puzzle) -> float:
    easy, medium = _CARELESSNESS[puzzle.length, puzzle.repeats, puzzle.positions]
    return easy if level is Level.EASY else medium
