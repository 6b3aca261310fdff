"""What a bot has to do in a match as its seat sees it, and how long it takes over it (R7). Chance is handed in."""

from enum import StrEnum
from random import Random

from matches.core.machine import Status
from matches.core.sight import Sight

SHARE = 10
"""A bot never thinks longer than one part in so many of the time it has left."""


class Errand(StrEnum):
    """The verbs a bot may owe a match. The words are those of the public interface."""

    SECRET = "secret"  # noqa: S105  no password
    CONFIRM = "confirm"
    GUESS = "guess"
    REMATCH = "rematch"


def errand(sight: Sight) -> Errand | None:
    """What the match waits for from this seat; None while it waits for somebody else, or nobody."""
    assert sight.you is not None
    own = sight.seats[sight.you]
    match sight.status:
        case Status.CHOOSING if not own.ready:
            return Errand.SECRET
        case Status.CONFIRMING if not own.confirmed:
            return Errand.CONFIRM
        case Status.PLAYING if sight.turn == sight.you:
            return Errand.GUESS
        case Status.OVER if sight.offered_by == 1 - sight.you and sight.rematch is None:
            return Errand.REMATCH
        case _:
            return None


def delay_ms(errand: Errand, sight: Sight, delay: tuple[float, float], chance: Random) -> int:
    """How long a bot takes: `delay` (seconds, low and high) where a person would think, else no time at all."""
    if errand in (Errand.CONFIRM, Errand.REMATCH):
        return 0
    return min(round(chance.uniform(*delay) * 1000), _time_left(sight) // SHARE)


def _time_left(sight: Sight) -> int:
    assert sight.you is not None
    if sight.until is not None:
        return max(0, sight.until - sight.server_time)
    return sight.seats[sight.you].clock_ms
