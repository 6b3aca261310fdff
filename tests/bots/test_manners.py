"""What a bot owes a match, and how long it takes over it (R7)."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from bots.core.manners import Errand, delay_ms, errand
from matches.core.sight import Sight, see
from matches.core.terms import PRESETS
from tests.builders import Duel

pytestmark = pytest.mark.django_db

BOT = 1


def sight(duel: Duel) -> Sight:
    return see(duel.state, BOT, duel.state.at)


def chosen(duel: Duel) -> Duel:
    for seat in (0, 1):
        duel.commit(seat)
    return duel


def offered(duel: Duel) -> Duel:
    duel.start().end().do(0, "rematch")
    return duel


def answered(duel: Duel) -> Duel:
    offered(duel).do(1, "rematch")
    return duel


OWED: list[tuple[str, Callable[[Duel], Duel], Errand | None]] = [
    *((preset, lambda duel: duel, Errand.SECRET) for preset in PRESETS),
    ("duel", chosen, None),
    ("classic", chosen, Errand.CONFIRM),
    ("duel", Duel.start, None),
    ("classic", lambda duel: duel.start().end(), None),
    ("duel", offered, Errand.REMATCH),
    ("duel", answered, None),
]


@pytest.mark.parametrize(("preset", "until", "owed"), OWED)
def test_a_bot_owes_what_the_match_waits_for(
    preset: str, until: Callable[[Duel], Duel], owed: Errand | None
) -> None:
    """R4.2, R4.3, R5.6: ada is to move."""
    assert errand(sight(until(Duel(preset)))) == owed


def test_a_bot_that_is_to_move_owes_a_guess() -> None:
    assert errand(sight(Duel(first=BOT).start())) == Errand.GUESS


def test_a_bot_thinks_as_long_as_it_is_told_to() -> None:
    seen = sight(Duel(first=BOT).start())
    taken = [delay_ms(Errand.GUESS, seen, (1, 4), Random(seed)) for seed in range(200)]
    assert 1000 <= min(taken) < 1100
    assert 3900 < max(taken) <= 4000
    assert delay_ms(Errand.GUESS, seen, (0, 0), Random(0)) == 0


def test_it_confirms_and_takes_a_rematch_at_once() -> None:
    seen = sight(Duel(first=BOT).start())
    for owed in (Errand.CONFIRM, Errand.REMATCH):
        assert delay_ms(owed, seen, (3600, 3600), Random(0)) == 0


@pytest.mark.parametrize("left", [300_000, 20_000, 1_000, 50, 0])
def test_it_never_thinks_longer_than_a_tenth_of_the_clock_it_has_left(left: int) -> None:
    """R7"""
    seen = sight(Duel(first=BOT).start())
    seat = replace(seen.seats[BOT], clock_ms=left)
    seen = replace(seen, seats=(seen.seats[0], seat))
    assert delay_ms(Errand.GUESS, seen, (3600, 3600), Random(0)) == left // 10


def test_while_no_clock_runs_it_is_the_time_for_choosing_that_is_left() -> None:
    """R4.3"""
    seen = sight(Duel("classic"))
    assert delay_ms(Errand.SECRET, seen, (3600, 3600), Random(0)) == 300_000 // 10
