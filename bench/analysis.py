"""How long an analysis takes that nobody has worked out before: of boards as bots of two kinds play them, and of random
guesses, up to forty. In CPU-ms, a line for each puzzle.

`.venv/bin/python bench/analysis.py` takes a minute and a half.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bots.core import analysis  # after the path
from bots.core.levels import Level, choose
from bots.core.puzzle import PUZZLES, Puzzle
from bots.forest import tree
from matches.core.marking import mark, totals
from matches.core.sight import GuessSight

BOARDS = 40
MOST = 40
Next = Callable[[list[GuessSight]], str]


def board(puzzle: Puzzle, secret: str, guess: Next, most: int) -> list[GuessSight]:
    """What is asked until the number is found, and answered, as its guesser sees it."""
    rows: list[GuessSight] = []
    while len(rows) < most and not (rows and rows[-1].code == secret):
        code = guess(rows)
        marks = mark(secret, code)
        rows.append(GuessSight(len(rows) + 1, code, marks if puzzle.positions else None, *totals(marks), 0))
    return rows


def boards(puzzle: Puzzle, seed: int) -> list[list[GuessSight]]:
    chance = Random(f"{puzzle} {seed}")
    secrets, guesses = puzzle.secrets, puzzle.guesses
    secret = secrets.text(chance.randrange(len(secrets)))
    players: list[Next] = [
        lambda rows: choose(Level.EASY, puzzle, rows, seed, tree),
        lambda rows: choose(Level.MEDIUM, puzzle, rows, seed, tree),
        lambda rows: guesses.text(chance.randrange(len(guesses))),
    ]
    return [board(puzzle, secret, player, chance.choice([8, 20, MOST])) for player in players]


def took(puzzle: Puzzle, rows: list[GuessSight]) -> float:
    analysis._best.cache_clear()
    analysis._left.cache_clear()
    begun = time.process_time()
    analysis.analyse(puzzle, rows)
    return (time.process_time() - begun) * 1000


def main() -> None:
    for puzzle in PUZZLES:
        took(puzzle, boards(puzzle, -1)[0])  # tables are made at first use
        times = sorted(took(puzzle, rows) for seed in range(BOARDS) for rows in boards(puzzle, seed))
        p50, p95 = (times[int(len(times) * share)] for share in (0.5, 0.95))
        sys.stdout.write(f"{puzzle!s:<20} p50 {p50:4.0f}  p95 {p95:4.0f}  max {times[-1]:4.0f}\n")


if __name__ == "__main__":
    main()
