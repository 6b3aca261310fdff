"""At the same instant, on threads of their own: each end is counted once, and nobody waits for ever (R6.4, D6)."""

from functools import partial

import pytest

from matches.signals import match_moved
from players.models import User
from ratings import queries, services
from ratings.models import LedgerRow, Result
from tests.builders import Duel, person
from tests.ratings.builders import lose, points, sums_agree
from tests.threads import rounds, together

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """An end is counted when the test says so."""
    monkeypatch.setattr(match_moved, "receivers", [])
    match_moved.sender_receivers_cache.clear()


@pytest.fixture
def players() -> tuple[User, User]:
    return person("ada"), person("bob")


@rounds(2, 20)
def test_one_end_counted_five_times_at_once_counts_once(rounds: int, players: tuple[User, User]) -> None:
    """D6: points, wins and losses applied once."""
    for number in range(1, rounds + 1):
        duel = lose(Duel(players=players), 3)
        outcomes = together(*[partial(services.count, duel.id)] * 3, *[services.count_pending] * 2)
        assert all(outcome in (None, 0, 1) for outcome in outcomes), outcomes
        assert points(*players) == [2 * number, 10 * number]
        assert LedgerRow.objects.count() == Result.objects.count() == 2 * number
    assert queries.record(queries.tallies(players[0].pk)).lost == rounds
    sums_agree()


@rounds(2, 20)
def test_matches_of_the_same_two_counted_at_once_all_count(rounds: int, players: tuple[User, User]) -> None:
    """No total is lost between two readers of it, and neither waits for the other: both seats both ways round."""
    for number in range(1, rounds + 1):
        duels = [lose(Duel(players=pair), 3) for pair in (players, players[::-1]) * 3]
        assert together(*[partial(services.count, duel.id) for duel in duels]) == [None] * 6
        assert points(*players) == [36 * number, 36 * number]
        sums_agree()


@rounds(2, 20)
def test_a_reversal_and_counts_at_once_leave_what_they_leave_one_after_the_other(
    rounds: int, players: tuple[User, User]
) -> None:
    for _ in range(rounds):
        before = points(*players)
        first, second = (lose(Duel(players=players), 3) for _ in range(2))
        jobs = [partial(services.count, first.id), *[partial(services.reverse, first.id)] * 2]
        assert together(*jobs, partial(services.count, second.id)) == [None] * 4
        assert points(*players) == [before[0] + 2, before[1] + 10]
        sums_agree()


@rounds(2, 20)
def test_two_who_leave_just_after_an_end_wait_for_each_other_in_one_order(rounds: int) -> None:
    """It is counted on the way out of whoever goes first, for both."""
    for number in range(rounds):
        pair = person(f"ada-{number}"), person(f"bob-{number}")
        duel = lose(Duel(players=pair), 3)
        outcomes = together(*(player.delete for player in pair))
        assert not [outcome for outcome in outcomes if isinstance(outcome, str)], outcomes
        assert duel.row.counted
