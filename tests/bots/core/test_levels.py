"""Easy, Medium and Hard: how strong they are on every set of terms, and that they keep to the rules (R7)."""

from random import Random
from statistics import stdev
from typing import Any

import pytest

from bots import forest
from bots.core.arena import Arena
from bots.core.levels import Level, choose
from bots.core.puzzle import PUZZLES, Puzzle
from matches.core.machine import Guess
from matches.core.marking import mark
from matches.core.sight import GuessSight, see_guess
from matches.core.terms import Terms
from tests.builders import terms_of

GAMES = 2000

# Averages that are wanted of Easy and Medium, and the most that Hard may need.
STRENGTH: dict[str, tuple[float, float, float]] = {
    "4-repeats-positions": (6.59, 5.26, 4.18),
    "4-repeats-totals": (8.18, 6.61, 5.64),
    "4-strict-positions": (6.23, 5.00, 3.85),
    "4-strict-totals": (7.69, 6.24, 5.25),
    "4-free-positions": (6.23, 5.00, 3.85),
    "4-free-totals": (7.69, 6.24, 5.25),
    "5-repeats-positions": (6.58, 5.13, 4.15),
    "5-repeats-totals": (8.52, 7.07, 6.14),
    "5-strict-positions": (6.06, 4.86, 3.90),
    "5-strict-totals": (8.25, 6.71, 5.74),
    "5-free-positions": (6.06, 4.86, 3.90),
    "5-free-totals": (8.25, 6.71, 5.73),
}

each = pytest.mark.parametrize("puzzle", PUZZLES, ids=str)


def terms_for(puzzle: Puzzle) -> Terms:
    asked: dict[str, Any] = {"length": puzzle.length, "repeats": puzzle.repeats}
    asked["feedback"] = "positions" if puzzle.positions else "totals"
    return terms_of("probe" if puzzle.free else "duel", **asked)


def needed(puzzle: Puzzle, *levels: Level) -> list[tuple[float, float]]:
    """For each of two levels the average over many boards, and its standard error."""
    arena = Arena(terms_for(puzzle), (levels[0], levels[1]), forest.tree, clock=lambda: 0)
    chance = Random(str(puzzle))
    for number in range(GAMES):
        arena.play(number % 2, chance)
    return [(record.average, stdev(record.guesses) / GAMES**0.5) for record in arena.records]


@pytest.mark.parametrize("puzzle", [puzzle for puzzle in PUZZLES if not puzzle.free], ids=str)
def test_easy_and_medium_need_as_many_guesses_as_they_are_meant_to(puzzle: Puzzle) -> None:
    """R7: within 0.15 of what is wanted, and the three standard errors of a sample."""
    for (average, error), wanted in zip(
        needed(puzzle, Level.EASY, Level.MEDIUM), STRENGTH[str(puzzle)][:2], strict=True
    ):
        assert abs(average - wanted) < 0.15 + 3 * error


@pytest.mark.parametrize("puzzle", [puzzle for puzzle in PUZZLES if puzzle.free], ids=str)
def test_where_guesses_are_free_easy_and_medium_play_as_where_they_are_not(puzzle: Puzzle) -> None:
    """R2.3: they guess what may be right, so that what holds there holds here."""
    strict = Puzzle(puzzle.length, puzzle.repeats, free=False, positions=puzzle.positions)
    rows = played(puzzle, puzzle.secrets.text(777), Level.EASY, seed=1)
    for level in (Level.EASY, Level.MEDIUM):
        for n in range(len(rows)):
            assert choose(level, puzzle, rows[:n], 1, forest.tree) == choose(
                level, strict, rows[:n], 1, forest.tree
            )


@each
def test_hard_needs_no_more_guesses_than_it_may(puzzle: Puzzle) -> None:
    """R7: up to the three standard errors of a sample; docs/bots.md has the averages over every secret."""
    for average, error in needed(puzzle, Level.HARD, Level.HARD):
        assert average < STRENGTH[str(puzzle)][2] + 3 * error


def played(puzzle: Puzzle, secret: str, level: Level, seed: int) -> list[GuessSight]:
    """A whole board."""
    terms, rows = terms_for(puzzle), list[GuessSight]()
    while not rows or rows[-1].code != secret:
        code = choose(level, puzzle, rows, seed, forest.tree)
        assert terms.admits_guess(code)
        rows.append(see_guess(terms, len(rows) + 1, Guess(code, mark(secret, code), at=0)))
    return rows


@each
@pytest.mark.parametrize("level", Level)
def test_no_guess_is_unlawful_or_made_twice_and_every_board_ends(puzzle: Puzzle, level: Level) -> None:
    """R2.3"""
    for seed in range(20):
        secret = puzzle.secrets.text(Random(seed).randrange(len(puzzle.secrets)))
        codes = [row.code for row in played(puzzle, secret, level, seed)]
        assert len(set(codes)) == len(codes) < 40


@each
@pytest.mark.parametrize("level", Level)
def test_the_same_seed_leads_to_the_same_board_and_another_to_another(puzzle: Puzzle, level: Level) -> None:
    secret = puzzle.secrets.text(4321)
    assert played(puzzle, secret, level, 5) == played(puzzle, secret, level, 5)
    openings = {played(puzzle, secret, level, seed)[0].code for seed in range(8)}
    assert len(openings) > 4


@each
def test_hard_goes_on_with_care_from_rows_that_are_not_of_its_tree(puzzle: Puzzle) -> None:
    """A restart with trees grown anew: what it says then fits every row."""
    terms, secret = terms_for(puzzle), puzzle.secrets.text(321)
    foreign = puzzle.secrets.text(4000)
    rows = [see_guess(terms, 1, Guess(foreign, mark(secret, foreign), at=0))]
    code = choose(Level.HARD, puzzle, rows, 9, forest.tree)
    assert see_guess(terms, 1, Guess(foreign, mark(code, foreign), at=0)) == rows[0]
