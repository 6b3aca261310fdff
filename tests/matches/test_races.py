"""At the same instant, on threads of their own: each thing happens once (D5, D6, D9, D13, D14, D21).

On SQLite there is one writer, and a few rounds show that nobody fails while waiting for it; on PostgreSQL
there are many.
"""

import random
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from lobby import services as lobby
from matches import services, store
from matches.core.machine import Settle, replay
from matches.models import Event, Match
from players.models import User
from players.services import welcome_guest
from tests.builders import Duel, S, dump, invitation_of, movers, person
from tests.threads import Job, rounds, together, words

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def players() -> tuple[User, User]:
    return person("ada"), person("bob")


@rounds(5, 50)
def test_one_guess_sent_twice_at_once_is_one_guess(rounds: int) -> None:
    """D5: one row, and the turn passes once."""
    duel = Duel().arrive(0, 1).start()
    for number, seat in zip(range(rounds), movers(duel), strict=False):
        outcomes = together(*[lambda seat=seat: duel.guess(seat, "24680")] * 2)
        assert words(outcomes) == ["done", "out_of_turn"]
        assert (duel.state.moves, duel.state.turn) == (number + 1, 1 - seat)
    assert duel.kinds.count("guess") == rounds


@rounds(5, 50)
def test_one_ref_sent_twice_at_once_gets_one_answer(rounds: int) -> None:
    """D5: neither is refused, and only one is a guess."""
    duel = Duel().arrive(0, 1).start()
    for number, seat in zip(range(rounds), movers(duel), strict=False):
        first, second = together(
            *[lambda seat=seat, ref=f"r{number}": duel.guess(seat, "24680", ref=ref)] * 2
        )
        assert first.telling == second.telling
        assert duel.state.moves == number + 1


@pytest.mark.postgres
@pytest.mark.parametrize("between", ["a guess", "a refusal"])
def test_who_is_overtaken_decides_anew(between: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """D5: read without a lock, and meanwhile another thread has written: its guess, or only that it was refused."""
    duel = Duel().arrive(0, 1).start()
    read = store.read

    def late(match_id: str) -> tuple[Match, int, str]:
        monkeypatch.setattr(store, "read", read)
        found = read(match_id)
        code = "24680" if between == "a guess" else "2"
        together(lambda: duel.refused(0, "guess", code=code, ref="early"))
        return found

    monkeypatch.setattr(store, "read", late)
    refusal = duel.refused(0, "guess", code="13579", ref="late")
    assert refusal == ("out_of_turn" if between == "a guess" else None)
    assert duel.kinds.count("guess") == 1
    told = {ref: answer for ref, answer in duel.row.answers[0] if ref != "late"}
    assert told == {"early": duel.state.version if between == "a guess" else "bad_code"}


@pytest.mark.postgres
def test_a_guess_is_two_statements(outages_known: Callable[[], None], django_assert_num_queries: Any) -> None:
    """Issue 9: at most four: the row with the clock, and event and row in one that is its own transaction."""
    duel = Duel().arrive(0, 1).start()
    outages_known()
    with django_assert_num_queries(2):
        duel.guess(0, "24680", ref="one")


@rounds(10, 100)
def test_resigning_winning_and_the_flag_at_once_are_one_ending(
    rounds: int, players: tuple[User, User]
) -> None:
    """D6: bob resigns, ada names his number, her flag falls and is swept, all at once."""
    chance = random.Random(6)
    reasons: Counter[str] = Counter()
    for _ in range(rounds):
        duel = Duel("classic", players=players).start()
        jobs = [
            lambda duel=duel: duel.do(1, "resign"),
            lambda duel=duel: duel.guess(0, "31650"),
            lambda duel=duel: services.act(duel.id, Settle()),
        ]
        chance.shuffle(jobs)
        duel.wait_for_due(chance.choice((-1000, -6, -2, 0)))
        outcomes = together(*jobs)
        outcome, winner, reason = duel.ending or ("", None, "")
        assert (outcome, winner) == ("win", {"broken": 0, "resigned": 0, "time": 1}[reason])
        assert set(words(outcomes)) <= {"done", "match_over"}
        row = duel.row
        assert (row.status, row.outcome, row.winner, row.reason) == ("over", "win", winner, reason)
        assert duel.kinds.count("over") == 1
        assert replay(event for event, _ in store.events(duel.id)).result == duel.state.result
        before = dump()
        assert set(words(together(*jobs))) == {"done", "match_over"}  # settling is never refused
        assert dump() == before
        reasons[reason] += 1
    assert rounds < 100 or len(reasons) == 3  # each of them has been first at times


@rounds(5, 50)
def test_both_wishing_a_rematch_at_once_make_one(rounds: int, players: tuple[User, User]) -> None:
    """D13, R5.6: one answer is the new match, the other was the offer."""
    for _ in range(rounds):
        duel = Duel(players=players).start().end()
        outcomes = together(*[lambda seat=seat, duel=duel: duel.do(seat, "rematch") for seat in (0, 1)])
        made = [done.state.rematch.match for done in outcomes]
        assert sorted(made, key=bool) == [None, duel.follow().id]
        assert Match.objects.filter(rematch_of=duel.id).count() == 1


@rounds(2, 10)
def test_three_clicks_of_each_at_once_make_one_rematch(rounds: int, players: tuple[User, User]) -> None:
    """D13"""
    for _ in range(rounds):
        duel = Duel(players=players).start().end()
        outcomes = together(*[lambda seat=seat, duel=duel: duel.do(seat, "rematch") for seat in (0, 1) * 3])
        assert words(outcomes) == ["done"] * 6
        assert Match.objects.filter(rematch_of=duel.id).count() == 1
        assert duel.kinds[-2:] == ["offered", "rematch"]


@rounds(1, 5)
def test_sixteen_takers_of_one_link_make_one_match(rounds: int) -> None:
    """D14: fifteen ordinary refusals, none of them an error."""
    owner, takers = person("ada"), [person(f"taker-{number}") for number in range(16)]
    for _ in range(rounds):
        token, matches = invitation_of(owner).pk, Match.objects.count()
        outcomes = together(
            *[lambda taker=taker, token=token: lobby.accept(token, taker) for taker in takers]
        )
        refused = [outcome for outcome in outcomes if outcome == "taken"]
        (made,) = set(outcomes) - {"taken"}
        assert (len(refused), Match.objects.count()) == (15, matches + 1)
        assert Match.objects.get(pk=made).seats.count() == 2


@rounds(1, 20)
def test_taking_and_withdrawing_a_link_at_once_is_one_of_the_two(rounds: int) -> None:
    ada, bob = person("ada"), person("bob")
    for _ in range(rounds):
        invitation = invitation_of(ada)
        accept = partial(lobby.accept, invitation.pk, bob)
        withdraw = partial(lobby.withdraw, invitation.pk, ada.pk)
        taken, withdrawn = together(accept, withdraw)
        assert (taken == "closed") == (withdrawn is None)
        invitation.refresh_from_db()
        assert (invitation.match_id is None) == invitation.withdrawn


@rounds(2, 10)
def test_five_sweeps_at_once_end_each_match_once(rounds: int, players: tuple[User, User]) -> None:
    """D9, D18"""
    for _ in range(rounds):
        duels = [Duel("classic", players=players).start().wait_for_due(S) for _ in range(4)]
        due = [duel.due.at for duel in duels]
        outcomes = together(*[services.sweep] * 5)
        assert all(isinstance(outcome, int) for outcome in outcomes)
        assert [duel.ending for duel in duels] == [("win", 1, "time")] * 4
        assert [duel.state.at for duel in duels] == due
        assert [duel.kinds.count("over") for duel in duels] == [1] * 4


@rounds(2, 20)
def test_sockets_that_open_and_close_at_once_leave_the_seat_as_they_leave_it(rounds: int) -> None:
    """D10: three open, two of them close: there. Then the last one: away."""
    duel = Duel().arrive(1)
    for number in range(rounds):
        names = [f"{number}-{letter}" for letter in "abc"]
        together(*[lambda name=name: services.connect(duel.id, 0, name) for name in names])
        together(*[lambda name=name: services.disconnect(duel.id, 0, name) for name in names[:2]])
        assert duel.state.seats[0].connected
        services.disconnect(duel.id, 0, names[2])
        assert not duel.state.seats[0].connected


def test_guests_who_arrive_at_once_have_names_of_their_own() -> None:
    guests = together(*[welcome_guest] * 8)
    assert len({guest.username for guest in guests}) == 8


def test_twenty_matches_guessed_by_eight_threads_lock_nobody_out(players: tuple[User, User]) -> None:
    """D21: no *locked*, no error, no guess lost."""
    duels = [Duel(players=players).start() for _ in range(20)]
    until = time.monotonic() + 3

    def guess_on(number: int) -> Job:
        def guess() -> int:
            made, chance = 0, random.Random(number)
            while time.monotonic() < until:
                duel = chance.choice(duels)
                made += sum(duel.refused(seat, "guess", code="24680") is None for seat in (0, 1))
            return made

        return guess

    made = together(*map(guess_on, range(8)))
    assert all(isinstance(count, int) for count in made), made
    assert sum(made) == Event.objects.filter(kind="guess").count() > 50
    for duel in duels:
        moves = [len(seat.guesses) for seat in duel.state.seats]
        assert moves[0] - moves[1] in (0, 1)
