"""How well a seek fits what somebody wants to play. Terms and figures only."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from matches.core.terms import Terms

Id = TypeVar("Id")


@dataclass(frozen=True, slots=True)
class Offer(Generic[Id]):
    """An open seek: what it is on, the points of its owner, and the instant (ms) it was opened."""

    id: Id
    terms: Terms
    points: int
    at: int


def differences(wanted: Terms, offered: Terms) -> int:
    """How many of the terms two players agree on are not as wanted."""
    pairs = (
        (wanted.length, offered.length),
        (wanted.repeats, offered.repeats),
        (wanted.feedback, offered.feedback),
        (wanted.clock, offered.clock),
        (wanted.rated, offered.rated),
    )
    return sum(first != second for first, second in pairs)


def best_first(wanted: Terms, points: int, offers: Iterable[Offer[Id]]) -> list[Id]:
    """The offers of the wanted preset: nearest terms first, then the nearest in points, then the longest waiting."""
    fitting = [offer for offer in offers if offer.terms.preset == wanted.preset]
    fitting.sort(key=lambda offer: (differences(wanted, offer.terms), abs(offer.points - points), offer.at))
    return [offer.id for offer in fitting]
