"""How many numbers are still possible: the same as trying every one of them with the real rule."""

from itertools import permutations, product

import pytest

from bots.core.counting import possible
from bots.core.puzzle import PUZZLES, Puzzle
from bots.core.solo import Board, play, see
from matches.core.marking import mark, totals
from matches.core.terms import Terms
from tests.builders import ALL_TERMS, terms_of


def every(terms: Terms) -> list[str]:
    digits = "0123456789"
    found = product(digits, repeat=terms.length) if terms.repeats else permutations(digits, terms.length)
    return ["".join(code) for code in found]


@pytest.mark.parametrize("puzzle", PUZZLES, ids=str)
def test_at_first_every_lawful_number_is_possible(puzzle: Puzzle) -> None:
    """R2.1, R2.2"""
    expected = {(4, True): 10_000, (4, False): 5_040, (5, True): 100_000, (5, False): 30_240}
    assert possible(puzzle, ()) == expected[puzzle.length, puzzle.repeats]


@pytest.mark.parametrize(("preset", "asked"), ALL_TERMS)
def test_each_guess_leaves_those_that_would_have_earned_the_same(preset: str, asked: dict[str, str]) -> None:
    """R3.2, R3.3"""
    terms = terms_of(preset, **asked)
    secret = "90718"[: terms.length]
    guesses = ["01234"[: terms.length], "98765"[: terms.length], "97081"[: terms.length]]
    left, board = every(terms), Board(terms, secret, room=10)
    for guess in guesses:
        board = play(board, guess)
        seen = mark(secret, guess)
        if see(board).rows[-1].marks is None:
            left = [code for code in left if totals(mark(code, guess)) == totals(seen)]
        else:
            left = [code for code in left if mark(code, guess) == seen]
        assert possible(Puzzle.of(terms), see(board).rows) == len(left) > 0
