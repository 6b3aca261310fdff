"""The most that any lawful guess is expected to tell in a position, and one that tells it. Exact; no chance.

What a guess is expected to tell is the entropy of its answers over the codes still possible, in bits. Few guesses need
be answered to know the best: there is a bound, quick to know for all at once, that none can exceed, so they are looked
at from the most promising down until no other can do better. Of guesses the position cannot tell apart one is enough.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots.core.puzzle import Bytes, Codes, Puzzle, codes
from matches.core.codes import DIGITS
from matches.core.terms import LENGTHS

Numbers = NDArray[np.intp]
Floats = NDArray[np.float64]
Answers = NDArray[np.uint8] | NDArray[np.uint16]
Told = tuple[tuple[str, int], ...]
"""Guesses with what they were answered."""
Symmetry = tuple[list[int], Bytes]
"""Which place each place is taken from, and what each digit becomes."""

CELLS = 1 << 17
"""Guesses times codes answered in one go: what fits in a processor's cache."""
MUCH = 1 << 20
"""From so many on it pays to ask first which guesses are alike."""
FEW_TOLD = range(2, 4)
"""Guesses told that are worth asking what they are alike in: one is all in swaps, many are alike in nothing."""
LIKELY = 1e-9
"""What a guess that may itself be right is preferred by: between equals only, and more than rounding makes of them."""
BASE = len(DIGITS)


@dataclass(frozen=True, slots=True)
class Best:
    bits: float
    code: str


def best(puzzle: Puzzle, left: Codes, told: Told = ()) -> Best:
    """Of all lawful guesses, where `left` are the codes still possible after what was `told`."""
    if len(left) == len(puzzle.secrets):
        return opening(puzzle)
    search = _Search(puzzle, left)
    search.look(search.own[: search.step])
    if search.most < np.log2(len(left)):  # else every answer names one code, and nothing can tell more
        at_most = bounds(puzzle, left) + search.bonus
        guesses = np.flatnonzero(at_most > search.most)
        guesses = guesses[np.argsort(-at_most[guesses], kind="stable")]
        if len(guesses) * len(left) > MUCH:
            guesses = search.narrow(guesses, at_most)
        if len(guesses) * len(left) > MUCH:
            guesses = _unlike(guesses, left, [*_swaps_of(left), *symmetries_of_told(puzzle, told)])
        while len(guesses):
            guesses = search.narrow(guesses, at_most)
    return search.best


def opening(puzzle: Puzzle) -> Best:
    """Where nothing is known yet, digits that are all different tell most, whatever the puzzle: searched for once."""
    code = DIGITS[: puzzle.length]
    first = codes(puzzle.length, repeats=True).where(np.array([int(code)]))
    return Best(float(entropies(answers(puzzle, first, puzzle.secrets))[0]), code)


class _Search:
    """The best of the guesses looked at so far."""

    def __init__(self, puzzle: Puzzle, left: Codes) -> None:
        self.puzzle, self.left, self.every = puzzle, left, codes(puzzle.length, repeats=True)
        self.own = _numbers(left.digits)
        self.bonus = np.zeros(len(self.every))
        self.bonus[self.own] = LIKELY
        self.step = max(1, CELLS // len(left))
        self.most, self.found = -1.0, -1

    def look(self, some: Numbers) -> None:
        told = entropies(answers(self.puzzle, self.every.where(some), self.left)) + self.bonus[some]
        self.most, self.found = max((self.most, self.found), (float(told.max()), int(some[told.argmax()])))

    def narrow(self, guesses: Numbers, at_most: Floats) -> Numbers:
        """Look at the first of `guesses`, the most promising first: those of the others that might still do better."""
        self.look(guesses[: self.step])
        rest = guesses[self.step :]
        return rest[at_most[rest] > self.most]

    @property
    def best(self) -> Best:
        return Best(self.most - float(self.bonus[self.found]), self.every.text(self.found))


def answers(puzzle: Puzzle, guesses: Codes, left: Codes) -> Answers:
    """`[guess, code]`: numbers that differ where the answers do."""
    return (
        _marked(puzzle.length, guesses, left) if puzzle.positions else _counted(puzzle.length, guesses, left)
    )


def _marked(length: int, guesses: Codes, left: Codes) -> Answers:
    """Which places are exact and how often each guessed digit is found say the same as marks do."""
    told = np.zeros((len(guesses), len(left)), np.uint16)
    for place, (theirs, ours) in enumerate(zip(guesses.digits, left.digits, strict=True)):
        told += (theirs[:, None] == ours) * np.uint16(1 << place)
    weight = np.full(len(guesses), 1 << length, np.uint16)
    for theirs, ours in zip(guesses.counts, left.counts, strict=True):
        if theirs.any():
            told += np.minimum(theirs[:, None], ours) * weight[:, None]
            weight *= theirs + np.uint16(1)
    return told


def _counted(length: int, guesses: Codes, left: Codes) -> Answers:
    """How many places are exact, and how many digits found. A byte is enough for both."""
    found = np.zeros((len(guesses), len(left)), np.uint8)
    for theirs, ours in zip(guesses.counts, left.counts, strict=True):
        if theirs.any():
            found += np.minimum(theirs[:, None], ours)
    told = found * np.uint8(1 << length)
    for theirs, ours in zip(guesses.digits, left.digits, strict=True):
        told += (theirs[:, None] == ours).view(np.uint8)
    return told


def entropies(answers: Answers) -> Floats:
    """In bits, of each row: by counting every answer there is, or where codes are fewer, by putting equals together."""
    rows, columns = answers.shape
    width = int(answers.max()) + 1
    if columns > width:
        apart = answers + np.arange(0, rows * width, width)[:, None]
        return _told(np.bincount(apart.ravel(), minlength=rows * width).reshape(rows, width).T, columns)
    ordered = np.sort(answers, axis=1)
    last = np.ones(answers.shape, np.bool_)  # of those that are alike
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=last[:, :-1])
    ends = np.flatnonzero(last)
    alike = np.diff(ends, prepend=-1)
    unknown: Floats = np.bincount(ends // columns, weights=alike * np.log2(alike)) / columns
    bits: Floats = np.log2(columns) - unknown
    return bits


def bounds(puzzle: Puzzle, left: Codes) -> Floats:
    """By its number, what no guess can exceed; minus infinity for those that are not lawful.

    An answer in parts tells at most what its parts tell one by one.
    """
    parts = _by_digit(puzzle.length, left) if puzzle.positions else _by_total(puzzle.length, left)
    at_most = np.minimum(parts, np.log2(len(left)))
    if not (puzzle.repeats or puzzle.free):
        at_most[codes(puzzle.length, repeats=True).counts.max(axis=0) > 1] = -np.inf
    return at_most


def _by_digit(length: int, left: Codes) -> Floats:
    """What the marks of each digit tell by themselves, summed: at which places it is exact, and how often found."""
    alike, first = _alike(length)
    numbers = _numbers(left.digits)
    placed = _placed(length)
    stands = [
        np.bincount(where[numbers] * np.uint8(length + 1) + counts, minlength=alike.shape[1])
        for where, counts in zip(placed, left.counts, strict=True)
    ]
    counts = np.array(stands, np.float32) @ alike.T
    known = np.add.reduceat(_weights()[counts.astype(np.intp)], first, axis=1) / len(left)
    told = np.log2(len(left)) - known
    at_most = np.zeros(BASE**length)
    for bits, where in zip(told, placed, strict=True):
        if bits.any():  # else it stands in no code, or in all alike
            at_most += bits.take(where)
    return at_most


def _by_total(length: int, left: Codes) -> Floats:
    """What the number of exact digits and the number of those found tell by themselves, summed."""
    kinds, kind = _kinds(length)
    used, weight = np.unique(kind[_numbers(left.digits)], return_counts=True)
    shared = np.zeros((kinds.shape[1], len(used)), np.uint8)
    for theirs in kinds:
        shared += np.minimum(theirs[:, None], theirs[used])
    found = np.array([(shared == number) @ weight for number in range(length + 1)])
    return _told(_exact(length, left), len(left)) + entropy(found)[kind]


def _exact(length: int, left: Codes) -> NDArray[np.int32]:
    """`[exact, guess]`: how many of `left` have so many digits in place with each guess there is.

    Place after place: of those counted so far, the ones that agree in it too have one more.
    """
    here = np.bincount(_numbers(left.digits), minlength=BASE**length).astype(np.int32)
    exact = here.reshape(1, *(BASE,) * length)
    for place in range(length):
        agree = exact
        exact = np.zeros((place + 2, *agree.shape[1:]), np.int32)
        exact[:-1] = agree.sum(axis=place + 1, dtype=np.int32, keepdims=True) - agree
        exact[1:] += agree
    return exact.reshape(length + 1, -1)


def _told(counts: NDArray[Any], of: int) -> Floats:
    """In bits, of each column of whole numbers that add up to `of`."""
    bits: Floats = np.log2(of) - _weights()[counts].sum(axis=0) / of
    return bits


def entropy(counts: Floats | Numbers) -> Floats:
    """In bits, of each column."""
    shares = counts / counts.sum(axis=0)
    bits: Floats = -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=0)
    return bits


def _unlike(guesses: Numbers, left: Codes, symmetries: Iterable[Symmetry]) -> Numbers:
    """The first of all guesses that symmetries of the codes still possible turn into each other: they tell as much."""
    digits = codes(len(left.digits), repeats=True).digits[:, guesses]
    at = np.full(BASE ** len(digits), -1)
    at[guesses] = np.arange(len(guesses))
    images = [at[_numbers(relabel[digits[places]])] for places, relabel in symmetries]
    first = np.arange(len(guesses))
    while True:
        lower = first
        for image in images:
            lower = np.where(image < 0, lower, np.minimum(lower, lower[image]))
        if np.array_equal(lower, first):
            firsts: Numbers = guesses[first == np.arange(len(guesses))]
            return firsts
        first = lower


def symmetries_of_told(puzzle: Puzzle, told: Told) -> Iterator[Symmetry]:
    """What turns guesses that were answered alike into each other, and so leaves the codes still possible as they are.

    Marks name places, which then stay where they are.
    """
    if len(told) not in FEW_TOLD:
        return
    here = tuple(range(puzzle.length))
    for order in permutations(told):
        if [answer for _, answer in order] != [answer for _, answer in told]:
            continue
        wanted = "".join(code for code, _ in order)
        for places in [here] if puzzle.positions else permutations(here):
            moved = "".join(code[place] for code, _ in told for place in places)
            pairs = set(zip(moved, wanted, strict=True))
            becomes = dict(pairs)
            if len(pairs) == len(becomes) == len(set(becomes.values())):  # one for one
                named = [DIGITS.index(becomes.get(digit, digit)) for digit in DIGITS]
                yield list(places), np.array(named, np.uint8)


def _swaps_of(left: Codes) -> Iterator[Symmetry]:
    """Swaps of two places, of two digits, or both at once where neither does alone, that leave the set as it is."""
    there = np.zeros(BASE ** len(left.digits), np.bool_)
    there[_numbers(left.digits)] = True
    stands = np.array([(left.digits == digit).sum(axis=1) for digit in range(BASE)])

    places, relabels = _swaps(len(left.digits)), np.array(_swaps(BASE), np.uint8)
    # Soon known, and mostly that it does not: whether each digit stands as often at each place.
    swapped = stands[relabels][:, :, places]  # [digits, digit, places, place]
    alike = (swapped == stands[:, None]).all(axis=(1, 3)).T

    def keeps(swap: int, digits: int) -> bool:
        return bool(
            alike[swap, digits] and there[_numbers(relabels[digits][left.digits[places[swap]]])].all()
        )

    alone = [(swap, 0) for swap in range(1, len(places))] + [(0, swap) for swap in range(1, len(relabels))]
    kept = [swaps for swaps in alone if keeps(*swaps)]
    both = [
        (swap, digits)
        for swap, digits in np.argwhere(alike[1:, 1:]) + 1
        if (swap, 0) not in kept and (0, digits) not in kept and keeps(swap, digits)
    ]
    for swap, digits in kept + both:
        yield places[swap], relabels[digits]


def _swaps(size: int) -> list[list[int]]:
    """All orders that swap two at most."""
    orders = [list(range(size))]
    for one, other in combinations(range(size), 2):
        order = list(range(size))
        order[one], order[other] = other, one
        orders.append(order)
    return orders


def _numbers(digits: Bytes) -> Numbers:
    """What codes read as."""
    numbers: Numbers = np.ravel_multi_index(tuple(digits), (BASE,) * len(digits))
    return numbers


@lru_cache
def _placed(length: int) -> Bytes:
    """`[digit, number]`: at which places each digit stands in each code there is, as bits."""
    bit = np.array([1 << place for place in range(length)], np.uint8)[:, None]
    every = codes(length, repeats=True).digits
    return np.array([((every == digit) * bit).sum(axis=0) for digit in range(BASE)], np.uint8)


@lru_cache
def _alike(length: int) -> tuple[NDArray[np.float32], Numbers]:
    """`[answer, state]`: which states of a digit in a code are answered alike where a guess has it at some places.

    A state is where the digit stands, as bits, and how often. Answers to each choice of places lie side by side, from
    the number on that the second array gives.
    """
    stands, often = np.divmod(np.arange((length + 1) << length), length + 1)
    rows: list[NDArray[np.bool_]] = []
    first: list[int] = []
    for places in range(1 << length):
        key = (stands & places) * (length + 1) + np.minimum(often, places.bit_count())
        first.append(len(rows))
        rows += [key == answer for answer in np.unique(key)]
    return np.array(rows, np.float32), np.array(first)


@lru_cache
def _weights() -> Floats:
    """Every number times its logarithm, up to all the codes there are."""
    numbers = np.arange(BASE ** max(LENGTHS) + 1)
    weights: Floats = numbers * np.log2(np.maximum(numbers, 1))
    return weights


@lru_cache
def _kinds(length: int) -> tuple[Bytes, Numbers]:
    """What codes can be made of, `[digit, kind]` how often, and of which kind each code is by its number."""
    counts = codes(length, repeats=True).counts
    made_of = (length + 1) ** np.arange(BASE) @ counts
    _, one, kind = np.unique(made_of, return_index=True, return_inverse=True)
    return counts[:, one], kind
