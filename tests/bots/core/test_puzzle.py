"""The twelve puzzles as arrays, against the rule itself (R2, R3)."""

from random import Random

import numpy as np
import pytest

from bots.core.grow import _Table
from bots.core.puzzle import MARK, PUZZLES, Puzzle, marks, totals
from matches.core import marking
from tests.builders import terms_of

each = pytest.mark.parametrize("puzzle", PUZZLES, ids=str)


@each
def test_there_are_as_many_secrets_and_guesses_as_the_rules_admit(puzzle: Puzzle) -> None:
    """R2.1, R2.2, R2.3"""
    every, different = 10**puzzle.length, {4: 5040, 5: 30240}[puzzle.length]
    assert len(puzzle.secrets) == (every if puzzle.repeats else different)
    assert len(puzzle.guesses) == (every if puzzle.repeats or puzzle.free else different)
    assert all(len(set(code)) == puzzle.length or puzzle.repeats for code in puzzle.secrets)


@each
def test_many_codes_are_marked_as_each_would_be(puzzle: Puzzle) -> None:
    """R3.2, R3.3"""
    chance, secrets = Random(str(puzzle)), puzzle.secrets
    for _ in range(10):
        guess = puzzle.guesses.text(chance.randrange(len(puzzle.guesses)))
        some = secrets.where(np.array([chance.randrange(len(secrets)) for _ in range(50)]))
        exact, present = totals(some, guess)
        for n, secret in enumerate(some):
            marked = marking.mark(secret, guess)
            assert [MARK[mark] for mark in marked] == marks(some, guess)[:, n].tolist()
            assert marking.totals(marked) == (exact[n], present[n])


@each
def test_a_growing_tree_marks_by_the_same_rule(puzzle: Puzzle) -> None:
    """R3.2, R3.3: two guesses are answered alike exactly if their marks or totals are alike."""
    chance, table = Random(str(puzzle)), _Table(puzzle)
    guesses = np.array([chance.randrange(len(puzzle.guesses)) for _ in range(40)])
    left = np.array([chance.randrange(len(puzzle.secrets)) for _ in range(40)])
    names: dict[int, object] = {}
    for row, guess in zip(table.mark(guesses, left), guesses, strict=True):
        for answer, secret in zip(row, left, strict=True):
            marked = marking.mark(puzzle.secrets.text(secret), puzzle.guesses.text(guess))
            name = marked if puzzle.positions else marking.totals(marked)
            assert names.setdefault(int(answer), name) == name
    assert len(set(names.values())) == len(names)


def test_every_preset_sets_one_of_them() -> None:
    assert str(Puzzle.of(terms_of("classic"))) == "5-strict-totals"
    assert str(Puzzle.of(terms_of("duel"))) == "4-repeats-positions"
    assert str(Puzzle.of(terms_of("probe", length=5, repeats=False))) == "5-free-positions"
    assert Puzzle.of(terms_of("probe", length=5)) == Puzzle.of(terms_of("duel", length=5))
