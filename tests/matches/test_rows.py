"""What the database itself refuses, what its events add up to, and how often it is asked."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from lobby.models import Invitation
from matches import queries, services, store
from matches.core.machine import Refused, State, replay
from matches.models import Connection, Event, Match, Outage, Pulse, Seat
from players.models import ApiToken, User
from tests.builders import ALL_TERMS, Api, Duel, S, invitation_of, movers, person, signed_in

pytestmark = pytest.mark.django_db

# What cannot be written, by whatever way


def change(duel: Duel, **columns: Any) -> None:
    Match.objects.filter(pk=duel.id).update(**columns)


def follow_twice(duel: Duel) -> None:
    players = duel.players
    for _ in range(2):
        services.create_match(
            duel.state.terms, players, public=True, first=0, rematch_of=Match.objects.get(pk=duel.id)
        )


def withdraw_taken(duel: Duel) -> None:
    invitation = invitation_of(duel.players[0])
    Invitation.objects.filter(pk=invitation.pk).update(match=duel.id, withdrawn=True)


LIVE: dict[str, Callable[[Duel], object]] = {
    "an event numbered twice": lambda d: Event.objects.create(
        match_id=d.id, version=1, kind="said", data={}, at=1, clocks=[1, 1]
    ),
    "a seat taken twice": lambda d: Seat.objects.create(match_id=d.id, index=0, player=person("cleo")),
    "a third seat": lambda d: Seat.objects.create(match_id=d.id, index=2, player=person("cleo")),
    "one player on both seats": lambda d: Seat.objects.filter(match_id=d.id, index=1).update(
        player=d.players[0]
    ),
    "an unknown status": lambda d: change(d, status="paused"),
    "over without an end": lambda d: change(d, status="over", outcome="void", reason="unplayed"),
    "an end while it goes on": lambda d: change(d, ended_at=timezone.now()),
    "over without an outcome": lambda d: change(d, status="over", ended_at=timezone.now()),
    "a winner while nobody has won": lambda d: change(d, winner=1),
    "a rematch twice": follow_twice,
    "a link both taken and withdrawn": withdraw_taken,
    "a second pulse": lambda d: Pulse.objects.create(id=2, beat_at=1),
    "an outage that ends before it began": lambda d: Outage.objects.create(began_at=2, ended_at=1),
    "a socket twice": lambda d: [
        Connection.objects.create(id="one", process="p", match_id=d.id, seat=0) for _ in range(2)
    ],
    "an unknown kind of player": lambda d: User.objects.filter(pk=d.players[0].pk).update(kind="ghost"),
    "a token twice": lambda d: [ApiToken.objects.create(user=d.players[0], digest="d") for _ in range(2)],
    "a match of nobody's": lambda d: Seat.objects.create(match_id="00000000", index=0),
}
OVER: dict[str, Callable[[Duel], object]] = {
    "something due after the end": lambda d: change(d, deadline_at=1),
    "an end that is taken back": lambda d: change(d, ended_at=None),
    "a third winner": lambda d: change(d, winner=2),
    "a void that somebody won": lambda d: change(d, outcome="void"),
}


def impossible(duel: Duel, write: Callable[[Duel], object]) -> None:
    """Foreign keys are looked at when a transaction ends; within a test, on demand."""

    def commit() -> None:
        write(duel)
        connection.check_constraints()

    with pytest.raises(IntegrityError), transaction.atomic():
        commit()


@pytest.mark.parametrize("write", LIVE.values(), ids=[*LIVE])
def test_the_database_refuses(write: Callable[[Duel], object]) -> None:
    """House habit 9"""
    impossible(Duel(), write)


@pytest.mark.parametrize("write", OVER.values(), ids=[*OVER])
def test_the_database_refuses_after_the_end(write: Callable[[Duel], object]) -> None:
    """R5: once, for good."""
    impossible(Duel().start().end(), write)


def test_a_match_survives_its_players() -> None:
    """D26: the seat stays, its player is gone."""
    duel = Duel().start().end()
    duel.players[0].delete()
    assert [seat.player_id for seat in duel.row.seats.all()] == [None, duel.players[1].pk]
    loaded = queries.load(duel.id)
    assert loaded.seat_of(None) is None
    assert queries.faces(loaded.players)[0].name


# What the events add up to


def without_presence(state: State) -> State:
    first, second = (replace(seat, connected=False, seen_at=0) for seat in state.seats)
    return replace(state, seats=(first, second))


def play_at_random(duel: Duel, chance: random.Random) -> None:
    """Some fifty orders, many of them refused; time passes, sockets come and go, nobody is spared."""
    verbs = ["guess"] * 12 + ["secret", "confirm"] * 4 + ["say", "flag", "rematch"] * 2 + ["resign"]
    codes = [*map(duel.secret, (0, 1)), duel.wrong(), "13579", "00112", "²3456", ""]
    for number in range(50):
        seat, verb = chance.choice((0, 1)), chance.choice(verbs)
        if verb == "guess" and duel.state.turn is not None and chance.random() < 0.8:
            seat = duel.state.turn
        code = chance.choice(codes[2:] if verb == "guess" and number < 40 else codes)
        ref = chance.choice((None, f"r{chance.randrange(30)}"))
        if verb == "resign" and number < 30:
            continue
        duel.refused(seat, verb, code=code, phrase=chance.randrange(1, 8), ref=ref)
        if chance.random() < 0.2:
            duel.wait(chance.randrange(8 * S))
        if chance.random() < 0.2:
            duel.arrive(seat)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("preset", "asked"), ALL_TERMS)
def test_the_stored_events_replay_to_the_stored_state(preset: str, asked: dict[str, Any], seed: int) -> None:
    """All but presence, which has no event. Seeds are reproducible; none of them is known to be special."""
    duel = Duel(preset, **asked)
    chance = random.Random(seed)
    play_at_random(duel.start() if seed % 2 else duel, chance)
    events = [event for event, _ in store.events(duel.id)]
    state = duel.state
    assert without_presence(replay(events)) == without_presence(state)
    assert state.version == len(events) == duel.row.version
    told = queries.tellings_since(duel.id, 0)
    assert [telling.version for telling in told] == list(range(2, state.version + 1))


def test_a_stored_row_says_in_columns_what_its_state_says() -> None:
    duel = Duel("classic").start()
    for seat, code in zip(movers(duel), ["13579", "02468", "31650"], strict=False):
        duel.guess(seat, code)
        row, state = duel.row, duel.state
        assert (row.version, row.status) == (state.version, state.status)
        result = state.result
        assert row.winner == (result.winner if result else None)
        assert row.deadline_at == (None if result else duel.due.at)


def test_a_seat_is_live_until_the_end_of_its_match() -> None:
    """What a player has running is found by this, however much they have played."""
    duel = Duel().start()
    assert list(Seat.objects.filter(match_id=duel.id).values_list("live", flat=True)) == [True, True]
    assert [loaded.id for loaded in queries.live_of(duel.players[0].pk)] == [duel.id]
    duel.end()
    assert not Seat.objects.filter(match_id=duel.id, live=True).exists()
    assert queries.live_of(duel.players[0].pk) == []


# How often it is asked

AROUND = 2
"""The transaction itself: inside a test's it is a savepoint, made and released."""


GUESS = 2 if connection.vendor == "postgresql" else 3
"""The row; then event and row, which PostgreSQL takes as one."""


def test_a_guess_takes_four_statements_with_its_transaction(django_assert_num_queries: Any) -> None:
    """Five on SQLite, which is asked without a way there and back."""
    duel = Duel().start()
    with django_assert_num_queries(GUESS + AROUND):
        duel.guess(0, "24680")


def test_a_refused_guess_takes_one(django_assert_num_queries: Any) -> None:
    duel = Duel().start()
    with django_assert_num_queries(1 + AROUND), pytest.raises(Refused):
        duel.guess(1, "24680")


def test_a_guess_over_the_api_takes_two_more(django_assert_num_queries: Any) -> None:
    """Whose token, and the match with its players."""
    duel = Duel().start()
    api = Api(duel.players[0])
    api.get("/matches?mine=live")  # the first of the day notes that it was used
    with django_assert_num_queries(2 + GUESS + AROUND):
        assert api.post(f"/matches/{duel.id}/guesses", {"code": "24680"}).status == 201


@pytest.mark.parametrize("path", ["/matches?mine=live", "page"])
@pytest.mark.parametrize("many", [1, 20])
def test_a_list_of_matches_takes_as_many_questions_for_one_as_for_twenty(
    many: int, path: str, django_assert_num_queries: Any
) -> None:
    """House habit 6: who asks (a token; or a session and its user), the matches, their seats, their players."""
    players = person("ada"), person("bob")
    for _ in range(many):
        Duel(players=players)
    if path == "page":
        client = signed_in(players[0])
        client.get("/")
        with django_assert_num_queries(9):  # and open seeks, tournaments, what can be watched, the ladder
            assert client.get("/").content.count(b"/m/") == many
    else:
        api = Api(players[0])
        api.get(path)  # the first of the day notes that it was used
        with django_assert_num_queries(4):
            assert len(api.get(path).body) == many


@pytest.mark.parametrize("guesses", [0, 20])
def test_a_match_page_takes_five_questions_however_long_the_match(
    guesses: int, django_assert_num_queries: Any
) -> None:
    """Session, user, match with its players, spectators, whether one has muted the other."""
    duel = Duel().start()
    for seat, _ in zip(movers(duel), range(guesses), strict=False):
        duel.guess(seat)
    client = signed_in(duel.players[0])
    client.get(f"/m/{duel.id}/")
    with django_assert_num_queries(5):
        assert client.get(f"/m/{duel.id}/").status_code == 200
