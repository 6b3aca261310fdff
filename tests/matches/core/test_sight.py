"""Who may see what (R3.4, R4.8, R5.5, D22): secrets that were never guessed are looked for in everything told."""

import hashlib
import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from matches.core.machine import (
    SEATS,
    Adjudicate,
    Arrive,
    Confirm,
    CreditOutage,
    Ended,
    Leave,
    PlayGuess,
    Resign,
    Say,
    SecretCommitted,
    Settle,
    State,
    other,
    replay,
)
from matches.core.sight import SPECTATOR, ResultSight, Sight, Telling, commitment, narrate, see, tell
from tests.matches.core.builders import (
    AWAY,
    BUDGET,
    CONFIRM,
    EPOCH,
    GRACE,
    HOUR,
    MIN,
    MOVE,
    SALTS,
    Match,
    S,
    alike,
    offer,
    playing,
    secret_of,
)

PER_POSITION = [("duel", {"feedback": "positions"}), ("probe", {"feedback": "positions"})]
UNDER_TOTALS = [("duel", {"feedback": "totals"}), ("probe", {"feedback": "totals"}), ("classic", {})]


def on(terms):
    return pytest.mark.parametrize(
        ("preset", "asked"),
        [pytest.param(*each, id="-".join([each[0], *each[1].values()])) for each in terms],
    )


VIEWERS = (0, 1, SPECTATOR)
PROBES = ("03156", "90817", "13056", "81709")  # each close to the secret it is meant for


def a_whole_match(preset: str, asked: dict[str, Any]) -> Match:
    """Every kind of event there is, secrets 90718 and 03165, which nobody names before the end."""
    match = Match(preset, length=5, **asked)
    match.commit(0, at=S)
    match.do(Say(1, 2), 2 * S)
    match.commit(1, at=3 * S)
    if match.state.status == "confirming":
        match.do(Confirm(1), 4 * S)
        match.do(Confirm(0), 5 * S)
    for n, probe in enumerate(PROBES):
        match.guess(n % 2, at=(10 + n) * S, code=probe)
    match.do(Leave(0), 20 * S)
    match.do(CreditOutage(5 * S), 30 * S)
    match.do(Arrive(0), 31 * S)
    match.do(Resign(1), 40 * S)
    match.do(offer(0), 41 * S)
    match.do(offer(1), 42 * S)
    return match


def written(shown: Sight | Telling | None) -> str:
    """All of it as text: as Python writes it, and as JSON would."""
    return repr(shown) + (json.dumps(asdict(shown), default=str) if shown else "")


def secrets_and_salts(seat: int) -> list[str]:
    return [secret_of(seat, 5), SALTS[seat].hex(), repr(SALTS[seat])[2:-1]]


def the_end_told(match: Match) -> dict[str, Any]:
    """What is told of how it ended, to everybody."""
    (over,) = [tell(state, event) for state, event in match.told() if isinstance(event, Ended)]
    assert over is not None
    return over.fields


@pytest.mark.parametrize("viewer", VIEWERS)
@on(PER_POSITION + UNDER_TOTALS)
def test_no_viewer_finds_a_secret_or_salt_of_another_before_the_end(preset, asked, viewer):
    """R4.8, D22: your own secret you may see, no salt."""
    for state, _ in a_whole_match(preset, asked).told():
        if state.result:
            return
        text = written(see(state, viewer, state.at + S))
        for seat in SEATS:
            secret, *salts = secrets_and_salts(seat)
            assert (secret in text) is (viewer == seat and state.seats[seat].ready)
            assert not any(salt in text for salt in salts)
    pytest.fail("the match never ended")


@on(PER_POSITION + UNDER_TOTALS)
def test_no_event_tells_a_secret_or_salt_before_the_end(preset, asked):
    """R4.8, D22"""
    for state, event in a_whole_match(preset, asked).told():
        if state.result:
            return
        text = written(tell(state, event))
        assert not any(word in text for seat in SEATS for word in secrets_and_salts(seat))
    pytest.fail("the match never ended")


@on(PER_POSITION + UNDER_TOTALS)
def test_the_end_reveals_both_to_everyone(preset, asked):
    """R5.5: in the event that ends it, and in every sight from then on."""
    match = a_whole_match(preset, asked)
    secrets, salts = [secret_of(seat, 5) for seat in SEATS], [salt.hex() for salt in SALTS]
    over = the_end_told(match)
    assert (over["secrets"], over["salts"]) == (secrets, salts)
    for viewer in VIEWERS:
        seats = match.sight(viewer, HOUR).seats
        assert [seat.secret for seat in seats] == secrets
        assert [seat.salt for seat in seats] == salts


@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_end_of_a_match_nobody_began_reveals_nothing(viewer):
    """R5.5: where nothing was committed there is nothing to reveal."""
    match = Match()
    match.do(Settle(), HOUR)
    over = the_end_told(match)
    assert over["secrets"] == over["salts"] == [None, None]
    for seat in match.sight(viewer, HOUR).seats:
        assert (seat.secret, seat.salt, seat.commitment) == (None, None, None)


@on(PER_POSITION + UNDER_TOTALS)
def test_a_commitment_stands_from_the_commit_on_and_binds(preset, asked):
    """SHA-256 of the 16 salt bytes and the ASCII code, the same before and after the reveal."""
    bound = [hashlib.sha256(SALTS[seat] + secret_of(seat, 5).encode()).hexdigest() for seat in SEATS]
    for state, event in a_whole_match(preset, asked).told():
        expected = [bound[seat] if state.seats[seat].ready else None for seat in SEATS]
        assert [commitment(seat) for seat in state.seats] == expected
        assert [seat.commitment for seat in see(state, SPECTATOR, state.at).seats] == expected
        if isinstance(event, SecretCommitted):
            telling = tell(state, event)
            assert telling is not None
            assert telling.fields == {"seat": event.seat, "commitment": bound[event.seat]}


# Places


@on(PER_POSITION + UNDER_TOTALS)
def test_marks_are_shown_per_position_and_nowhere_under_totals(preset, asked):
    """R3.3, R3.4: also after the end; exact and present mean the same in every preset."""
    match = a_whole_match(preset, asked)
    places = asked.get("feedback") == "positions"
    for viewer in VIEWERS:
        first, second = match.sight(viewer, HOUR).seats
        shown = [(guess.n, guess.code, guess.marks, guess.exact, guess.present) for guess in first.guesses]
        assert shown == [
            (1, "03156", "EEEPP" if places else None, 3, 2),
            (2, "13056", "PEPPP" if places else None, 1, 4),
        ]
        assert [(guess.code, guess.at - EPOCH) for guess in second.guesses] == [
            ("90817", 11 * S),
            ("81709", 13 * S),
        ]


@on(UNDER_TOTALS)
def test_under_totals_no_sight_or_event_depends_on_places(preset, asked):
    """R3.4: the same totals in other places look the same to everybody, to the last character."""
    for state, event in a_whole_match(preset, asked).told():
        moved = shuffled_marks(state)
        for viewer in VIEWERS:
            assert written(see(state, viewer, state.at)) == written(see(moved, viewer, state.at))
        assert written(tell(state, event)) == written(tell(moved, event))
        assert "marks='" not in written(see(state, SPECTATOR, state.at)) + written(tell(state, event))


def shuffled_marks(state: State) -> State:
    first, second = (
        replace(seat, guesses=tuple(replace(guess, marks=guess.marks[::-1]) for guess in seat.guesses))
        for seat in state.seats
    )
    return replace(state, seats=(first, second))


@on(PER_POSITION + UNDER_TOTALS)
def test_both_boards_are_seen_in_full_by_everyone(preset, asked):
    """R4.8: players and spectators see the same boards, and nothing else of each other."""
    for state, _ in a_whole_match(preset, asked).told():
        sights = [see(state, viewer, state.at) for viewer in VIEWERS]
        assert [sight.you for sight in sights] == [0, 1, None]
        assert alike(sights[0]) == alike(sights[1]) == alike(sights[2])
        assert [len(seat.guesses) for seat in sights[2].seats] == [len(seat.guesses) for seat in state.seats]


# What else a sight says


def test_a_sight_says_who_is_to_move_and_what_each_has_left():
    """R4.5, R4.8: `clock_ms` is what is left at `server_time`."""
    match = playing(first=1)
    match.guess(1, at=10 * S)
    sight = match.sight(0, at=25 * S)
    assert (sight.status, sight.turn, sight.first, sight.you) == ("playing", 0, 1, 0)
    assert (sight.server_time, sight.version) == (EPOCH + 25 * S, 5)
    assert [(seat.clock_ms, seat.running) for seat in sight.seats] == [
        (BUDGET - 15 * S, True),
        (BUDGET - 10 * S, False),
    ]
    assert sight.terms == match.state.terms
    assert (sight.result, sight.offered_by, sight.rematch) == (None, None, None)


def test_a_sight_never_shows_less_than_zero_nor_an_instant_before_the_last_event():
    """D8"""
    match = playing()
    match.guess(0, at=10 * S)
    assert match.sight(at=HOUR).seats[1].clock_ms == 0
    early = match.sight(at=S)
    assert (early.server_time, early.seats[1].clock_ms) == (EPOCH + 10 * S, BUDGET)


def test_a_sight_says_who_is_ready_confirmed_and_there():
    """R4.3, R5.3"""
    match = Match("classic")
    match.commit(0, at=S)
    match.do(Leave(1), 2 * S)
    first, second = match.sight().seats
    assert (first.ready, first.connected, second.ready, second.connected) == (True, True, False, False)
    match.commit(1, at=MIN)
    match.do(Confirm(1), MIN)
    sight = match.sight()
    assert [seat.confirmed for seat in sight.seats] == [False, True]
    assert (sight.status, sight.until) == ("confirming", EPOCH + MIN + CONFIRM)
    assert [seat.forfeits_at for seat in sight.seats] == [None, None]  # classic knows no grace


def test_a_sight_says_when_an_absent_seat_forfeits():
    """R5.3"""
    match = Match(connected=AWAY)
    match.do(Arrive(0), 5 * S)
    assert [seat.forfeits_at for seat in match.sight().seats] == [None, EPOCH + GRACE]


@pytest.mark.parametrize(
    ("preset", "command", "shown"),
    [
        ("duel", Resign(0), ("win", 1, "resigned", EPOCH + S)),
        ("probe", Adjudicate(None), ("void", None, "adjudicated", EPOCH + S)),
        ("duel", PlayGuess(0, secret_of(1, 4)), ("win", 0, "broken", EPOCH + S)),
    ],
)
def test_a_sight_says_how_it_ended(preset, command, shown):
    """R5"""
    match = playing(preset)
    match.do(command, S)
    sight = match.sight(at=HOUR)
    assert sight.result == ResultSight(*shown)
    assert (sight.status, sight.turn, sight.until) == ("over", None, None)
    assert not any(seat.running for seat in sight.seats)


def test_a_sight_says_who_offered_a_rematch_and_which_match_it_became():
    """R5.6"""
    match = a_whole_match("duel", {})
    assert (match.sight().offered_by, match.sight().rematch) == (0, "k3v9x2qa")


# What is told of each event


def test_each_numbered_event_is_told_once_in_order_and_nothing_else_is():
    """The creation is what a whole sight says; who comes and goes has no version."""
    match = a_whole_match("classic", {})
    assert tell(match.state, match.events[0]) is None
    tellings = [tell(state, event) for state, event in match.told()]
    kinds = [(telling.version, telling.kind) for telling in tellings if telling]
    in_order = "ready said ready confirmed confirmed started guess guess guess guess over rematch rematch"
    assert kinds == list(enumerate(in_order.split(), start=2))


def test_a_narration_is_what_is_told_of_each_event_in_turn():
    match = a_whole_match("classic", {})
    tellings = [tell(state, event) for state, event in match.told()]
    assert [*narrate(replay(match.events[:1]), match.events[1:])] == [each for each in tellings if each]


def test_what_is_told_carries_what_the_interface_names():
    """Each with the clocks and the turn right after it."""
    match = a_whole_match("duel", {})
    tellings = [*narrate(replay(match.events[:1]), match.events[1:])]
    by_kind: list[tuple[str, dict[str, Any]]] = [(telling.kind, telling.fields) for telling in tellings]
    assert by_kind[1] == ("said", {"seat": 1, "phrase": 2})
    assert by_kind[3] == ("started", {})
    guesses = [fields for kind, fields in by_kind if kind == "guess"]
    assert [(fields["seat"], fields["guess"].n, fields["move"]) for fields in guesses] == [
        (0, 1, 0),
        (1, 1, 1),
        (0, 2, 2),
        (1, 2, 3),
    ]
    assert [fields for kind, fields in by_kind if kind == "rematch"] == [
        {"rematch": {"offered_by": 0, "match": None}},
        {"rematch": {"offered_by": 0, "match": "k3v9x2qa"}},
    ]
    first_guess = next(telling for telling in tellings if telling.kind == "guess")
    assert (first_guess.turn, first_guess.at) == (1, EPOCH + 10 * S)
    assert first_guess.clocks == (BUDGET - 8 * S, BUDGET - 3 * S)
    over = next(telling for telling in tellings if telling.kind == "over")
    assert over.fields["result"] == ResultSight("win", 0, "resigned", EPOCH + 40 * S)
    assert over.turn is None


def test_a_move_clock_is_told_full_after_each_guess():
    """R4.5"""
    tellings = [tell(state, event) for state, event in a_whole_match("classic", {}).told()]
    assert {t.clocks for t in tellings if t and t.kind == "guess"} == {(MOVE, MOVE)}


@pytest.mark.parametrize("seat", SEATS)
def test_a_board_is_answered_against_the_other_seat_alone(seat):
    """R4.8: seats[i].guesses are the guesses made by seat i."""
    match = playing(first=seat)
    match.guess(seat, code=match.secret(other(seat)))
    seats = match.sight(other(seat)).seats
    assert [len(each.guesses) for each in seats] == [1 - seat, seat]
    assert seats[seat].guesses[0].marks == "EEEE"
