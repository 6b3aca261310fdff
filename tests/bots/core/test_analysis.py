"""What guesses told and could have told (issue 5), against an oracle that marks every code by the rule, one by one."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from math import log2
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.core import best as search
from bots.core import tree
from bots.core.analysis import Board, analyse
from bots.core.best import LIKELY, best, opening
from bots.core.puzzle import PUZZLES, Codes, Puzzle
from bots.core.puzzle import codes as codes_of
from matches.core.codes import DIGITS, all_different
from matches.core.machine import Guess
from matches.core.marking import mark, totals
from matches.core.sight import GuessSight

SHORT = [puzzle for puzzle in PUZZLES if puzzle.length == 4]
CLOSE = 1e-9


@cache
def lawful(puzzle: Puzzle, *, guess: bool) -> list[str]:
    codes = ["".join(digits) for digits in product(DIGITS, repeat=puzzle.length)]
    return (
        codes
        if puzzle.repeats or (guess and puzzle.free)
        else [code for code in codes if all_different(code)]
    )


def answer(puzzle: Puzzle, secret: str, guess: str) -> object:
    marks = mark(secret, guess)
    return marks if puzzle.positions else totals(marks)


def entropy(puzzle: Puzzle, left: Sequence[str], guess: str) -> float:
    counts = Counter(answer(puzzle, code, guess) for code in left)
    return -sum(n / len(left) * log2(n / len(left)) for n in counts.values())


def board(puzzle: Puzzle, secret: str, codes: Sequence[str]) -> list[GuessSight]:
    """The rows of a board as its guesser sees them."""
    rows = []
    for n, code in enumerate(codes, start=1):
        guess = Guess(code, mark(secret, code), at=0)
        exact, present = totals(guess.marks)
        rows.append(GuessSight(n, code, guess.marks if puzzle.positions else None, exact, present, 0))
    return rows


def played(puzzle: Puzzle, seed: int, guesses: int) -> tuple[list[GuessSight], Board]:
    """A board of guesses drawn at random, and its analysis."""
    chance = Random(f"{puzzle} {seed}")
    secret = chance.choice(lawful(puzzle, guess=False))
    rows = board(puzzle, secret, [chance.choice(lawful(puzzle, guess=True)) for _ in range(guesses)])
    return rows, analyse(puzzle, rows)


def positions(puzzle: Puzzle, rows: list[GuessSight]) -> list[list[str]]:
    """The codes still possible before each guess and after the last, by the rule itself."""
    left = [lawful(puzzle, guess=False)]
    for row in rows:
        told = row.marks if puzzle.positions else (row.exact, row.present)
        left.append([code for code in left[-1] if answer(puzzle, code, row.code) == told])
    return left


@pytest.mark.parametrize("puzzle", PUZZLES, ids=str)
def test_the_codes_still_possible_and_the_bits_are_those_of_the_rule(puzzle: Puzzle):
    rows, told = played(puzzle, seed=1, guesses=5)
    left = positions(puzzle, rows)
    for n, step in enumerate(told.steps):
        before, after = left[n], left[n + 1]
        assert (step.before, step.after) == (len(before), len(after))
        assert step.gained == pytest.approx(log2(len(before) / len(after)))
        assert step.expected == pytest.approx(entropy(puzzle, before, rows[n].code), abs=CLOSE)
        assert (step.luck > 0) == (step.after < step.typical) or abs(step.luck) < CLOSE


@pytest.mark.parametrize("puzzle", SHORT, ids=str)
def test_no_lawful_guess_of_four_digits_is_expected_to_tell_more_than_the_best(puzzle: Puzzle):
    rows, told = played(puzzle, seed=2, guesses=4)
    for before, step in zip(positions(puzzle, rows), told.steps, strict=False):
        if len(before) <= 40:
            most = max(entropy(puzzle, before, guess) for guess in lawful(puzzle, guess=True))
            assert step.best.bits == pytest.approx(most, abs=CLOSE)
            assert entropy(puzzle, before, step.best.code) == pytest.approx(most, abs=CLOSE)


@pytest.mark.parametrize("puzzle", [puzzle for puzzle in PUZZLES if puzzle.length == 5], ids=str)
def test_no_guess_of_five_digits_drawn_at_random_tells_more_than_the_best(puzzle: Puzzle):
    rows, told = played(puzzle, seed=3, guesses=3)
    chance = Random(3)
    for before, step in zip(positions(puzzle, rows), told.steps, strict=False):
        if len(before) <= 3000:
            drawn = [*chance.sample(lawful(puzzle, guess=True), 10_000 // (len(before) + 9)), *before[:9]]
            assert max(entropy(puzzle, before, guess) for guess in drawn) <= step.best.bits + CLOSE
            assert entropy(puzzle, before, step.best.code) == pytest.approx(step.best.bits, abs=CLOSE)


@pytest.mark.parametrize("puzzle", PUZZLES, ids=str)
def test_the_short_cuts_pass_over_nothing(puzzle: Puzzle):
    """Every lawful guess is answered, where the search answers only the few that its bound and symmetries leave."""
    chance = Random(4)
    secrets = puzzle.secrets
    guess = chance.choice(lawful(puzzle, guess=True))
    for shares in (40, 400):
        told = search.answers(puzzle, one(guess), secrets)[0]
        left = secrets.where(np.flatnonzero(told == told[chance.randrange(len(secrets))]))
        left = left.where(np.flatnonzero(np.arange(len(left)) % max(1, len(left) // shares) == 0))
        every = [entropies(puzzle, left, some) for some in batches(puzzle)]
        assert best(puzzle, left).bits == pytest.approx(max(map(max, every)), abs=CLOSE)


SYMMETRIC = [
    ("5-repeats-totals", "01234", ["12960", "41283"]),
    ("5-repeats-totals", "66688", ["19581", "52607"]),
    ("4-repeats-totals", "7777", ["0012", "3345", "6012"]),
    ("4-repeats-positions", "7777", ["0012", "3345"]),
    ("5-strict-positions", "89567", ["01234", "21034"]),
]


@pytest.mark.parametrize(("name", "secret", "codes"), SYMMETRIC)
def test_what_turns_guesses_into_each_other_leaves_the_possible_codes_and_the_best_as_they_are(
    name: str, secret: str, codes: list[str]
) -> None:
    (puzzle,) = [puzzle for puzzle in PUZZLES if str(puzzle) == name]
    told = tuple((row.code, tree.answer(puzzle, row)) for row in board(puzzle, secret, codes))
    there = set(positions(puzzle, board(puzzle, secret, codes))[-1])
    turns = list(search.symmetries_of_told(puzzle, told))
    assert len(turns) > 1
    for places, becomes in turns:
        assert {"".join(str(becomes[int(code[place])]) for place in places) for code in there} == there
    fits = np.isin(np.array(list(puzzle.secrets)), sorted(there))
    left = puzzle.secrets.where(np.flatnonzero(fits))
    assert best(puzzle, left, told).bits == pytest.approx(best(puzzle, left).bits, abs=CLOSE)


@pytest.mark.parametrize("puzzle", PUZZLES, ids=str)
def test_where_nothing_is_known_yet_no_guess_tells_more_than_digits_all_different(puzzle: Puzzle):
    """Of guesses alike but for the names of digits and the order of places, one of each is answered."""
    shapes = {
        "".join(sorted(digit * n for digit, n in zip(DIGITS, sizes, strict=False)))
        for sizes in shares(puzzle.length)
    }
    allowed = [shape for shape in shapes if puzzle.repeats or puzzle.free or all_different(shape)]
    most = max(
        float(search.entropies(search.answers(puzzle, one(shape), puzzle.secrets))[0]) for shape in allowed
    )
    assert opening(puzzle).bits == pytest.approx(most, abs=CLOSE)


@pytest.mark.parametrize("puzzle", PUZZLES, ids=str)
def test_of_equally_good_guesses_one_that_may_be_right_is_named(puzzle: Puzzle):
    rows, told = played(puzzle, seed=5, guesses=4)
    for before, step in zip(positions(puzzle, rows), told.steps, strict=False):
        if len(before) <= 60:
            own = max(entropy(puzzle, before, code) for code in before)
            assert (step.best.code in before) == (own > step.best.bits - LIKELY / 2)


def test_a_guess_that_told_nothing_is_shown_as_that():
    puzzle = Puzzle(4, repeats=True, free=False, positions=True)
    told = analyse(puzzle, board(puzzle, "0417", ["2222", "2222", "2222"]))
    first, *others = told.steps
    assert (first.before, first.after) == (10_000, 6561)
    for step in others:
        assert (step.before, step.after, step.gained, step.expected, step.luck) == (6561, 6561, 0, 0, 0)
        assert step.best == others[0].best
        assert step.best.bits > 3


def test_a_number_that_is_known_leaves_nothing_to_ask():
    puzzle = Puzzle(4, repeats=False, free=True, positions=True)
    told = analyse(puzzle, board(puzzle, "0417", ["0417", "9999"]))
    assert told.steps[1].best.bits == 0
    assert told.steps[1].best.code == "0417"
    assert told.skill == pytest.approx(told.steps[0].expected / told.steps[0].best.bits)


def test_a_board_without_a_guess_has_neither_skill_nor_luck():
    told = analyse(PUZZLES[0], [])
    assert told.steps == ()
    assert told.skill is None
    assert told.luck == 0


@given(data=st.data(), puzzle=st.sampled_from(SHORT))
def test_whatever_is_played_the_figures_hold_together(data: st.DataObject, puzzle: Puzzle):
    secret = data.draw(st.sampled_from(lawful(puzzle, guess=False)))
    codes = data.draw(st.lists(st.sampled_from(lawful(puzzle, guess=True)), min_size=1, max_size=6))
    told = analyse(puzzle, board(puzzle, secret, codes))
    assert told.skill is not None
    assert 0 <= told.skill <= 1 + CLOSE
    possible = len(lawful(puzzle, guess=False))
    for code, step in zip(codes, told.steps, strict=True):
        assert step.code == code
        assert step.before == possible
        assert 1 <= step.after <= step.before
        assert -CLOSE <= step.expected <= step.best.bits + CLOSE <= log2(step.before) + 2 * CLOSE
        assert step.best.code in lawful(puzzle, guess=True)
        possible = step.after
    if secret in codes:
        assert told.steps[-1].after == 1


@given(data=st.data(), puzzle=st.sampled_from(SHORT))
def test_other_names_for_the_digits_change_no_figure(data: st.DataObject, puzzle: Puzzle):
    secret = data.draw(st.sampled_from(lawful(puzzle, guess=False)))
    codes = data.draw(st.lists(st.sampled_from(lawful(puzzle, guess=True)), min_size=1, max_size=4))
    renamed = str.maketrans(DIGITS, "".join(data.draw(st.permutations(DIGITS))))
    one = analyse(puzzle, board(puzzle, secret, codes))
    other = analyse(
        puzzle, board(puzzle, secret.translate(renamed), [code.translate(renamed) for code in codes])
    )
    for step, same in zip(one.steps, other.steps, strict=True):
        assert (step.before, step.after, step.expected, step.best.bits) == (
            same.before,
            same.after,
            same.expected,
            same.best.bits,
        )


@given(data=st.data(), puzzle=st.sampled_from(SHORT))
def test_no_guess_exceeds_its_bound(data: st.DataObject, puzzle: Puzzle):
    chosen = data.draw(
        st.lists(st.integers(0, len(puzzle.secrets) - 1), min_size=1, max_size=40, unique=True)
    )
    left = puzzle.secrets.where(np.array(chosen))
    at_most = search.bounds(puzzle, left)
    guesses = np.flatnonzero(np.isfinite(at_most))
    told = search.entropies(
        search.answers(puzzle, codes_of(puzzle.length, repeats=True).where(guesses), left)
    )
    assert (told <= at_most[guesses] + CLOSE).all()


def one(code: str) -> Codes:
    return codes_of(len(code), repeats=True).where(np.array([int(code)]))


def batches(puzzle: Puzzle) -> Iterator[Codes]:
    for start in range(0, len(puzzle.guesses), 500):
        yield puzzle.guesses.where(np.arange(start, min(start + 500, len(puzzle.guesses))))


def entropies(puzzle: Puzzle, left: Codes, guesses: Codes) -> list[float]:
    return [float(bits) for bits in search.entropies(search.answers(puzzle, guesses, left))]


def shares(total: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """Every way to share places out among digits, the largest share first."""
    if total == 0:
        yield ()
    for first in range(min(total, most or total), 0, -1):
        for rest in shares(total - first, first):
            yield (first, *rest)
