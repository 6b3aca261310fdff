"""The twelve puzzles that terms can set, and many codes marked at once, as arrays. Knows the rules, plays nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matches.core.terms import LENGTHS, Feedback, GuessRule, Terms

Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Numbers = NDArray[np.intp]

ABSENT, PRESENT, EXACT = 0, 1, 2
MARK = {"A": ABSENT, "P": PRESENT, "E": EXACT}


@dataclass(frozen=True, slots=True)
class Puzzle:
    """All that matters in terms to who wants to break a number. `free`: a guess may repeat digits, a secret not."""

    length: int
    repeats: bool
    free: bool
    positions: bool

    @classmethod
    def of(cls, terms: Terms) -> "Puzzle":
        free = not terms.repeats and terms.guesses is GuessRule.FREE
        return cls(terms.length, terms.repeats, free, terms.feedback is Feedback.POSITIONS)

    def __str__(self) -> str:
        digits = "repeats" if self.repeats else "free" if self.free else "strict"
        return f"{self.length}-{digits}-{'positions' if self.positions else 'totals'}"

    @property
    def secrets(self) -> "Codes":
        return codes(self.length, self.repeats)

    @property
    def guesses(self) -> "Codes":
        return codes(self.length, self.repeats or self.free)


PUZZLES = tuple(
    Puzzle(length, repeats, free, positions)
    for length in LENGTHS
    for repeats, free in ((True, False), (False, False), (False, True))
    for positions in (True, False)
)


@dataclass(frozen=True, slots=True)
class Codes:
    """Many codes of one length: `digits[place, n]`, and `counts[digit, n]`, how often each digit stands in them."""

    digits: Bytes
    counts: Bytes

    def __len__(self) -> int:
        return int(self.digits.shape[1])

    def __iter__(self) -> Iterator[str]:
        return (self.text(n) for n in range(len(self)))

    def text(self, n: int) -> str:
        return "".join(map(str, self.digits[:, n]))

    def where(self, which: Numbers) -> "Codes":
        """Those of these numbers."""
        return Codes(self.digits.take(which, axis=1), self.counts.take(which, axis=1))


@lru_cache
def codes(length: int, repeats: bool) -> Codes:
    """Every code there is (R2.1, R2.2), in the order of numbers."""
    digits = np.indices((10,) * length, np.uint8).reshape(length, -1)
    counts = np.array([(digits == digit).sum(axis=0) for digit in range(10)], np.uint8)
    every = Codes(digits, counts)
    return every if repeats else every.where(np.flatnonzero(counts.max(axis=0) == 1))


def marks(secrets: Codes, guess: str) -> Bytes:
    """What `guess` earns against each of `secrets` (R3.2): `marks[place, n]`."""
    exact = secrets.digits == np.array([[int(digit)] for digit in guess], np.uint8)
    earned: Bytes = exact.view(np.uint8) * np.uint8(EXACT)
    for digit in set(guess):
        places = [place for place, each in enumerate(guess) if each == digit]
        unclaimed = secrets.counts[int(digit)].copy()
        for place in places:
            unclaimed -= exact[place].view(np.uint8)
        for place in places:  # from left to right, each claims a copy that nothing has claimed yet
            claims = (~exact[place] & (unclaimed > 0)).view(np.uint8)
            earned[place] += claims
            unclaimed -= claims
    return earned


def totals(secrets: Codes, guess: str) -> tuple[Bytes, Bytes]:
    """Exact and present against each of `secrets` (R3.3), without working out which is where."""
    exact = np.zeros(len(secrets), np.uint8)
    found = np.zeros(len(secrets), np.uint8)
    for place, digit in enumerate(guess):
        exact += (secrets.digits[place] == int(digit)).view(np.uint8)
        copies = guess[:place].count(digit)
        found += (secrets.counts[int(digit)] > copies).view(np.uint8)
    return exact, found - exact
