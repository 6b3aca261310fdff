"""A whole plan for a puzzle: what to guess first, and after each answer what next. Values only, no search."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from bots.core.puzzle import MARK, Bytes, Puzzle
from matches.core.codes import DIGITS
from matches.core.sight import GuessSight

ROOT = 0


@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes in order of depth, the children of one node side by side, in the order of their answers.

    `guess[n]` is what to play there (a code read as a number), `answer[n]` what led there from its parent, and
    `first[n]` up to `first[n + 1]` are its children. The right guess leads nowhere: it has no child.
    """

    guess: NDArray[np.uint32]
    answer: Bytes
    first: NDArray[np.uint32]

    @classmethod
    def of(cls, guess: NDArray[np.uint32], answer: Bytes, children: Bytes) -> "Tree":
        """From what need be kept: of children, how many each node has."""
        first = np.concatenate([[1], 1 + np.cumsum(children, dtype=np.uint32)]).astype(np.uint32)
        return cls(guess, answer, first)

    @property
    def children(self) -> Bytes:
        """How many each node has."""
        return np.diff(self.first).astype(np.uint8)

    def child(self, node: int, answer: int) -> int | None:
        low, high = int(self.first[node]), int(self.first[node + 1])
        at = low + int(np.searchsorted(self.answer[low:high], answer))
        return at if at < high and self.answer[at] == answer else None


def answer(puzzle: Puzzle, row: GuessSight) -> int:
    """What a guess was answered, as one number."""
    if puzzle.positions:
        return sum(MARK[mark] * 3**place for place, mark in enumerate(row.marks or ""))
    return row.exact * 6 + row.present


@dataclass(frozen=True, slots=True)
class Guise:
    """The same plan with other digits, and under totals in other places: as good, and another opening each time."""

    digits: dict[int, int]
    places: tuple[int, ...]

    @classmethod
    def draw(cls, puzzle: Puzzle, chance: Random) -> "Guise":
        digits = str.maketrans(DIGITS, "".join(chance.sample(DIGITS, len(DIGITS))))
        places = range(puzzle.length)
        return cls(digits, tuple(places if puzzle.positions else chance.sample(places, puzzle.length)))

    def of(self, code: str) -> str:
        other = code.translate(self.digits)
        return "".join(other[place] for place in self.places)


def follow(tree: Tree, puzzle: Puzzle, guise: Guise, rows: Sequence[GuessSight]) -> str | None:
    """What the plan says after these guesses and answers; None if they are not of this plan."""
    node: int | None = ROOT
    for row in rows:
        assert node is not None
        if row.code != _played(tree, puzzle, guise, node):
            return None
        node = tree.child(node, answer(puzzle, row))
        if node is None:
            return None
    assert node is not None
    return _played(tree, puzzle, guise, node)


def _played(tree: Tree, puzzle: Puzzle, guise: Guise, node: int) -> str:
    return guise.of(f"{tree.guess[node]:0{puzzle.length}}")
