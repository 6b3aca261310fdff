"""Bots against each other, without a match around them. The same seed gives the same games; time is handed in."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from bots.core.levels import Level, Shelf, choose
from bots.core.puzzle import Puzzle
from matches.core.machine import Guess
from matches.core.marking import mark
from matches.core.sight import GuessSight, see_guess
from matches.core.terms import Terms

Nanoseconds = Callable[[], int]


@dataclass(slots=True)
class Record:
    """How many guesses a bot needed, board by board, and how long (ns) it took over each guess."""

    guesses: list[int] = field(default_factory=list)
    took: list[int] = field(default_factory=list)

    @property
    def average(self) -> float:
        return sum(self.guesses) / len(self.guesses)

    @property
    def spread(self) -> dict[int, int]:
        """How many boards took how many guesses."""
        return dict(sorted(Counter(self.guesses).items()))

    def mean_ms(self) -> float:
        return sum(self.took) / len(self.took) / 1e6

    def p99_ms(self) -> float:
        return sorted(self.took)[len(self.took) * 99 // 100] / 1e6


@dataclass(slots=True)
class Arena:
    """Who plays on what terms, and how it has gone so far."""

    terms: Terms
    levels: tuple[Level, Level]
    shelf: Shelf
    clock: Nanoseconds
    records: tuple[Record, Record] = field(default_factory=lambda: (Record(), Record()))
    wins: list[int] = field(default_factory=lambda: [0, 0])
    by_seat: list[int] = field(default_factory=lambda: [0, 0])

    def play(self, first: int, chance: Random) -> None:
        """One game. Each finishes its board; who needed fewer guesses has won, of equals who moved first."""
        needed = [self._break(which, chance) for which in (0, 1)]
        second = 1 - first
        winner = first if needed[first] <= needed[second] else second
        self.wins[winner] += 1
        self.by_seat[winner != first] += 1

    def _break(self, which: int, chance: Random) -> int:
        puzzle, record, level = Puzzle.of(self.terms), self.records[which], self.levels[which]
        secret = puzzle.secrets.text(chance.randrange(len(puzzle.secrets)))
        seed = chance.getrandbits(63)
        rows: list[GuessSight] = []
        while not rows or rows[-1].code != secret:
            began = self.clock()
            code = choose(level, puzzle, rows, seed, self.shelf)
            record.took.append(self.clock() - began)
            rows.append(see_guess(self.terms, len(rows) + 1, Guess(code, mark(secret, code), at=0)))
        record.guesses.append(len(rows))
        return len(rows)
