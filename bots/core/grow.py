"""Grows the plan of a puzzle: in every position the guess that is expected to tell most. Takes minutes, no chance.

One step ahead: of all lawful guesses the one whose answers split the secrets still possible best; of equals one that
may itself be right. Guesses that differ only in digits nothing tells apart are looked at once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bots.core.puzzle import EXACT, PRESENT, Bytes, Numbers, Puzzle
from bots.core.tree import Tree
from matches.core.codes import DIGITS

Floats = NDArray[np.float64]

CELLS = 1 << 20
"""Guesses times secrets marked in one go: what fits in a processor's cache."""
FEW = 24
"""Up to so many secrets, comparing every two answers is quicker than counting every answer there is."""
LIKELY = 1e-6
"""What a guess that may itself be right is preferred by: between equals only."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A position: the secrets still possible, the digits guessed so far, and the answer that led here."""

    left: Numbers
    guessed: frozenset[int]
    answer: int


def grow(puzzle: Puzzle, tell: Callable[[str], None] = lambda _: None) -> Tree:
    """The whole plan, guess by guess. `tell` hears how far it has come."""
    table = _Table(puzzle)
    guess: list[int] = []
    answer: list[int] = []
    children: list[int] = []
    level, depth = [_Node(np.arange(len(table.secrets)), frozenset(), 0)], 1
    while level:
        tell(f"{puzzle}: guess {depth} in {len(level)} positions")
        below: list[_Node] = []
        for node in level:
            best = table.best(node)
            parts = list(table.split(node, best))
            guess.append(int(table.guesses.text(best)))
            answer.append(node.answer)
            children.append(len(parts))
            below += parts
        level, depth = below, depth + 1
    return Tree.of(np.array(guess, np.uint32), np.array(answer, np.uint8), np.array(children, np.uint8))


class _Table:
    """Every guess of a puzzle against every secret, by their numbers in the two lists."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.secrets, self.guesses = puzzle.secrets, puzzle.guesses
        number = {code: n for n, code in enumerate(self.guesses)}
        self.as_guess = np.array([number[code] for code in self.secrets])
        self.mark = _Positions(puzzle) if puzzle.positions else _Totals(puzzle)
        self.cost = _cost(puzzle, np.arange(1, len(self.secrets) + 1))
        self.most_dead = 1 if puzzle.repeats or puzzle.free else len(DIGITS)
        self.canonical = lru_cache(maxsize=256)(self._canonical)

    def best(self, node: _Node) -> int:
        """The guess that splits best; of equals one that may be right."""
        own = self.as_guess[node.left]
        if len(own) <= 2:
            return int(own[0])
        if len(own) <= self.mark.right:
            cost, guess = self._least(own, node.left, own)
            if cost < len(own) * self.cost[0]:  # every answer names one secret: there is nothing better
                return guess
        alive = self.secrets.counts[:, node.left].any(axis=1)
        dead = frozenset(np.flatnonzero(~alive).tolist())
        fresh = frozenset(range(len(DIGITS))) - node.guessed - dead
        return self._least(self.canonical(fresh, dead), node.left, own)[1]

    def split(self, node: _Node, guess: int) -> Iterator[_Node]:
        """The positions after `guess`, in the order of their answers, the right one left out."""
        answers = self.mark(np.array([guess]), node.left)[0]
        guessed = node.guessed | set(self.guesses.digits[:, guess].tolist())
        for answer in np.unique(answers):
            if answer != self.mark.right:
                yield _Node(node.left[answers == answer], guessed, int(answer))

    def _least(self, guesses: Numbers, left: Numbers, own: Numbers) -> tuple[float, int]:
        """What the best of `guesses` costs, and which that is."""
        likely = np.zeros(len(self.guesses), np.bool_)
        likely[own] = True
        best = (np.inf, -1)
        step = max(1, CELLS // len(left))
        for start in range(0, len(guesses), step):
            some = guesses[start : start + step]
            costs = self._costs(self.mark(some, left)) - LIKELY * likely[some]
            at = int(costs.argmin())
            best = min(best, (float(costs[at]), int(some[at])))
        return best

    def _costs(self, answers: Bytes) -> Floats:
        """How badly each guess splits: what every secret costs that shares its answer with so many, summed."""
        guesses, secrets = answers.shape
        if secrets > FEW:
            all_answers = self.mark.right + 1
            apart = answers + np.arange(0, guesses * all_answers, all_answers)[:, None]
            counts = np.bincount(apart.ravel(), minlength=guesses * all_answers).reshape(guesses, -1)
            each: Floats = (counts * self.cost[counts - 1]).sum(axis=1)
            return each
        costs = np.zeros(guesses)
        columns = np.ascontiguousarray(answers.T)
        for column in columns:
            costs += self.cost[(columns == column).sum(axis=0, dtype=np.uint8) - 1]
        return costs

    def _canonical(self, fresh: frozenset[int], dead: frozenset[int]) -> Numbers:
        """One guess of all that differ only in digits nothing tells apart.

        `fresh` digits have never been guessed, `dead` ones stand in no secret still possible. Of either kind the
        lowest come first; where digits may repeat, one dead digit does for all.
        """
        wanted = np.ones(len(self.guesses), np.bool_)
        for kind, most in ((fresh, len(DIGITS)), (dead, self.most_dead)):
            rank = np.full(len(DIGITS), -1, np.int8)
            rank[sorted(kind)] = np.arange(len(kind))
            used = np.zeros(len(self.guesses), np.int8)
            for place in self.guesses.digits:
                ranks = rank[place]
                wanted &= (ranks <= used) & (ranks < most)
                np.maximum(used, ranks + 1, out=used)
        return np.flatnonzero(wanted)


def _cost(puzzle: Puzzle, sizes: NDArray[np.int_]) -> Floats:
    """What a secret costs that shares its answer with `sizes`, itself counted: the bits that are then still missing.

    Five different digits, marked per position, are found so soon that it is the number of answers which counts (each
    costs one, whatever its size), and bits decide between equals: 3.88 guesses on average instead of 3.90 and 3.91.
    """
    bits: Floats = np.log2(sizes)
    by_answers = puzzle.positions and puzzle.length == 5 and not puzzle.repeats
    return bits / 1000 - 1 / sizes if by_answers else bits


class _Positions:
    """Answers per position: marks as one number, a place each to the base of three."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.secrets, self.guesses = puzzle.secrets, puzzle.guesses
        self.right = 3**puzzle.length - 1

    def __call__(self, guesses: Numbers, left: Numbers) -> Bytes:
        """`[guess, secret]` (R3.2)."""
        theirs, ours = self.guesses.digits[:, guesses], self.secrets.digits[:, left]
        counts = self.secrets.counts[:, left]
        exact = [their[:, None] == our for their, our in zip(theirs, ours, strict=True)]
        answers = np.zeros((len(guesses), len(left)), np.uint8)
        for place, digits in enumerate(theirs):
            # Copies not yet claimed: equal digits to the left have claimed theirs by either mark, those to the right
            # only where they are exact.
            unclaimed = counts[digits].view(np.int8)
            for other, others in enumerate(theirs):
                twin = (others == digits)[:, None]
                if other != place and twin.any():
                    unclaimed -= twin if other < place else exact[other] & twin
            present = ~exact[place] & (unclaimed > 0)
            answers += exact[place] * np.uint8(EXACT * 3**place) + present * np.uint8(PRESENT * 3**place)
        return answers


class _Totals:
    """Answers as totals: exact and present as one number. How many digits two codes share depends on what they are
    made of alone, and is looked up."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.secrets, self.guesses = puzzle.secrets, puzzle.guesses
        self.right = 6 * puzzle.length
        counts = np.concatenate([self.secrets.counts, self.guesses.counts], axis=1)
        kinds, kind = np.unique(counts, axis=1, return_inverse=True)
        self.secret_kind, self.guess_kind = np.split(kind.ravel(), [len(self.secrets)])
        self.shared = np.array([np.minimum(kinds, one[:, None]).sum(axis=0) for one in kinds.T], np.uint8)

    def __call__(self, guesses: Numbers, left: Numbers) -> Bytes:
        """`[guess, secret]` (R3.3): six for each exact, one for each present."""
        answers = self.shared[self.guess_kind[guesses]][:, self.secret_kind[left]]
        for their, our in zip(self.guesses.digits[:, guesses], self.secrets.digits[:, left], strict=True):
            answers += (their[:, None] == our) * np.uint8(5)
        return answers
