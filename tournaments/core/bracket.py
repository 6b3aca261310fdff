"""Where the pairings of a tournament stand in its bracket. The draw is new each round, so it is read from the end.

Whoever wins is drawn against anybody: only once the next round is drawn can the pairings whose winners meet be set side
by side. Every pairing then spans the first-round pairings that led to it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tournaments.core.machine import Pairing

Rounds = tuple[tuple[Pairing, ...], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """`pairing` is an index in its round, None for room left empty; `rows` how many first-round pairings it spans.

    `joins` is "first", "second" or "only" for one whose winner goes on to the next column, "" for one that ends here.
    """

    pairing: int | None
    rows: int
    joins: str = ""
    fed: bool = False


def columns(rounds: Rounds) -> list[list[Place]]:
    """For each round its places from top to bottom; every column spans as many rows."""
    found: list[list[Place]] = [[] for _ in rounds]
    for last in range(len(rounds) - 1, -1, -1):
        for index, pairing in enumerate(rounds[last]):
            if not _goes_on(rounds, last, pairing):
                rows = _stand(rounds, found, last, index, "")
                for later in found[last + 1 :]:
                    later.append(Place(None, rows))
    return found


def _goes_on(rounds: Rounds, number: int, pairing: Pairing) -> bool:
    """Whether its winner has been drawn in the round after."""
    if number + 1 == len(rounds) or pairing.through is None:
        return False
    return any(pairing.through in later.entrants for later in rounds[number + 1])


def _stand(rounds: Rounds, found: list[list[Place]], number: int, index: int, joins: str) -> int:
    """Set a pairing in its column with all that led to it; returns the rows it spans."""
    feeders = list(_feeders(rounds, number, rounds[number][index]))
    if not feeders:
        found[number].append(Place(index, 1, joins))
        return 1
    ways = ("only",) if len(feeders) == 1 else ("first", "second")
    rows = sum(
        _stand(rounds, found, number - 1, feeder, way) for feeder, way in zip(feeders, ways, strict=True)
    )
    found[number].append(Place(index, rows, joins, fed=True))
    return rows


def _feeders(rounds: Rounds, number: int, pairing: Pairing) -> Iterator[int]:
    """The pairings of the round before from which its entrants came, in the order they stand in."""
    for entrant in pairing.entrants if number else ():
        for index, earlier in enumerate(rounds[number - 1]):
            if earlier.through == entrant:
                yield index
