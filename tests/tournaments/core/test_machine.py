"""A tournament command by command (R8): entering, the start, the odd one, who goes on, and the end."""

import pytest

from tournaments.core.machine import (
    CallOff,
    Cancelled,
    Command,
    Decided,
    DrawRound,
    Ending,
    Enter,
    Event,
    Fall,
    Finished,
    Leave,
    Refused,
    Reschedule,
    RoundDrawn,
    Start,
    State,
    Status,
    TakeEnding,
    ToReplay,
    Why,
    Withdrawn,
    create,
    fold,
    step,
)

START, PAUSE = 1_000_000, 5_000

FIRST_WON, SECOND_WON = Ending("win", 0), Ending("win", 1)
NO_SHOW = Ending("void", None, (False, False))
VOID = Ending("void", None)
DRAW = Ending("draw", None)


def entered(*entrants: int, maximum: int = 50) -> State:
    state = create(START, maximum, PAUSE)
    for entrant in entrants:
        state, _ = step(state, Enter(entrant), 0)
    return state


def running(*entrants: int, seed: int = 0) -> State:
    state, _ = step(entered(*entrants), Start(seed), START)
    return state


def pairing_of(state: State, entrant: int) -> int:
    return next(index for index, pairing in enumerate(state.round) if entrant in pairing.entrants)


def end(state: State, pairing: int, ending: Ending, at: int = START) -> tuple[State, tuple[Event, ...]]:
    return step(state, TakeEnding(pairing, ending, at), at)


def refusal(state: State, command: Command, now: int = 0) -> str | None:
    try:
        step(state, command, now)
    except Refused as refused:
        return refused.refusal.value
    return None


# Before the start


def test_who_enters_twice_is_entered_once() -> None:
    state = entered(1, 2, 1)
    assert state.entrants == (1, 2)


def test_a_full_tournament_takes_no_more() -> None:
    """R8.1; who is in already is still in."""
    state = entered(1, 2, maximum=2)
    assert refusal(state, Enter(3)) == "full"
    assert refusal(state, Enter(1)) is None


def test_who_leaves_before_the_start_is_forgotten_and_may_come_back() -> None:
    state, _ = step(entered(1, 2), Leave(1), 0)
    assert state.entrants == (2,)
    state, _ = step(state, Enter(1), 0)
    assert state.entrants == (2, 1)


def test_nobody_enters_once_it_has_started_or_was_called_off() -> None:
    called_off, _ = step(entered(1), CallOff(), 0)
    for state in (running(1, 2), called_off):
        assert refusal(state, Enter(9)) == "closed"
        assert refusal(state, CallOff()) == "closed"
        assert refusal(state, Reschedule(START, 50)) == "closed"
        assert refusal(state, Start(0)) == "closed"


def test_another_start_and_another_maximum_hold_from_then_on() -> None:
    state, _ = step(entered(1, 2, 3), Reschedule(START + 1, 3), 0)
    assert (state.due_at, refusal(state, Enter(4))) == (START + 1, "full")
    assert refusal(state, Reschedule(START, 2)) == "full"


@pytest.mark.parametrize("entrants", [(), (1,)])
def test_with_fewer_than_two_it_is_cancelled_at_its_hour(entrants: tuple[int, ...]) -> None:
    """R8.2; a moderator who starts it sooner is told instead."""
    state = entered(*entrants)
    assert refusal(state, Start(0), START - 1) == "too_few"
    state, events = step(state, Start(0), START)
    assert events == (Cancelled(Why.TOO_FEW, START),)
    assert (state.status, state.due_at) == (Status.CANCELLED, None)


# Rounds


def test_an_odd_number_gives_one_the_bot_and_never_the_same_while_another_has_not_met_it() -> None:
    """R8.3"""
    for seed in range(200):
        state = running(1, 2, 3, 4, 5, seed=seed)
        (first,) = state.met_bot
        for index in range(3):
            state, _ = end(state, index, FIRST_WON)
        state, _ = step(state, DrawRound(seed), START + PAUSE)
        assert len(state.alive) == 3
        assert len(state.met_bot) == 2, first


def test_who_meets_whom_is_what_the_seed_says() -> None:
    assert running(*range(8), seed=7) == running(*range(8), seed=7)
    assert len({running(*range(8), seed=seed).round for seed in range(50)}) > 40


def test_the_next_round_comes_a_pause_after_the_last_match_has_ended() -> None:
    state = running(1, 2, 3, 4)
    state, _ = end(state, 0, FIRST_WON, START + 10)
    assert state.due_at is None
    state, _ = end(state, 1, FIRST_WON, START + 90)
    assert state.due_at == START + 90 + PAUSE
    assert step(state, DrawRound(0), START + 89 + PAUSE) == (state, ())
    state, (drawn,) = step(state, DrawRound(0), START + 90 + PAUSE)
    assert isinstance(drawn, RoundDrawn)
    assert state.due_at is None
    assert step(state, DrawRound(0), START + 10 * PAUSE) == (state, ())


def test_an_ending_that_comes_twice_counts_once() -> None:
    state, _ = end(running(1, 2, 3, 4), 0, FIRST_WON)
    assert end(state, 0, SECOND_WON) == (state, ())


# R8.4, one by one

ENDINGS = [
    (FIRST_WON, 0, Fall.LOST),
    (SECOND_WON, 1, Fall.LOST),
    (Ending("win", 1, by_moderator=True), 1, Fall.LOST),
    (Ending("void", None, (True, False)), 0, Fall.NO_SHOW),
    (Ending("void", None, (False, True)), 1, Fall.NO_SHOW),
    (NO_SHOW, None, Fall.NO_SHOW),
    (Ending("draw", None, (False, False)), None, Fall.NO_SHOW),
    (VOID, None, Fall.UNDECIDED),
    (DRAW, None, Fall.UNDECIDED),
]


@pytest.mark.parametrize(("ending", "seat", "fall"), ENDINGS)
def test_every_ending_says_who_goes_on(ending: Ending, seat: int | None, fall: Fall) -> None:
    """R8.4, in the first round of four."""
    state = running(1, 2, 3, 4)
    pairing = state.round[0]
    state, (decided,) = end(state, 0, ending)
    through = None if seat is None else pairing.seat(seat)
    assert decided == Decided(0, through, fall, START)
    assert state.out == set(pairing.entrants) - {through}


@pytest.mark.parametrize(("ending", "seat", "fall"), ENDINGS)
def test_in_a_final_the_same_makes_a_champion_or_none_and_says_why(
    ending: Ending, seat: int | None, fall: Fall
) -> None:
    """R8.5"""
    state = running(1, 2)
    pairing = state.round[0]
    state, events = end(state, 0, ending)
    champion = None if seat is None else pairing.seat(seat)
    why = None if champion else Why(fall.value)
    assert events[-1] == Finished(champion, why, START)
    assert (state.status, state.champion, state.why) == (Status.OVER, champion, why)


@pytest.mark.parametrize(("ending", "seat", "fall"), ENDINGS)
def test_against_the_bot_only_the_entrant_can_go_on(ending: Ending, seat: int | None, fall: Fall) -> None:
    """R8.3: the bot goes no further."""
    state = running(1, 2, 3)
    index = next(index for index, pairing in enumerate(state.round) if pairing.second is None)
    entrant = state.round[index].first
    state, (decided,) = end(state, index, ending)
    assert isinstance(decided, Decided)
    assert decided.through == (entrant if seat == 0 else None)
    assert decided.fall == (Fall.BOT_WON if seat == 1 else fall)


@pytest.mark.parametrize("outcome", ["void", "draw"])
def test_what_a_moderator_voids_is_replayed(outcome: str) -> None:
    state = running(1, 2)
    ending = Ending("void", None, (False, True), by_moderator=True)
    after, events = end(state, 0, ending)
    assert (after, events) == (state, (ToReplay(0),))
    after, _ = end(after, 0, FIRST_WON)
    assert after.champion == state.round[0].first


def test_who_withdraws_loses_the_current_match_and_is_out() -> None:
    state = running(1, 2, 3, 4)
    index = pairing_of(state, 1)
    other = next(one for one in state.round[index].entrants if one != 1)
    state, events = step(state, Leave(1), START)
    assert events == (Withdrawn(1), Decided(index, other, Fall.WITHDRAWN, START))
    assert other in state.alive


def test_both_of_a_pairing_may_withdraw() -> None:
    state = running(1, 2, 3, 4)
    first, second = state.round[0].entrants
    for entrant in (first, second):
        state, _ = step(state, Leave(entrant), START)
    assert state.out == {first, second}


def test_who_withdraws_from_the_bot_leaves_nobody_to_go_on() -> None:
    """R8.4: the bot's seat is never vacated."""
    state = running(1, 2, 3)
    index = next(index for index, pairing in enumerate(state.round) if pairing.second is None)
    state, events = step(state, Leave(state.round[index].first), START)
    assert events[-1] == Decided(index, None, Fall.WITHDRAWN, START)


def test_who_withdraws_between_two_rounds_is_not_paired() -> None:
    """D17"""
    state = running(1, 2, 3, 4, 5, 6)
    for index in range(3):
        state, _ = end(state, index, FIRST_WON)
    gone = state.alive[0]
    state, _ = step(state, Leave(gone), START)
    state, (drawn,) = step(state, DrawRound(1), START + PAUSE)
    assert isinstance(drawn, RoundDrawn)
    assert all(gone not in pairing.entrants for pairing in drawn.pairings)


def test_the_only_one_who_does_not_withdraw_is_champion_at_once() -> None:
    state = running(1, 2, 3, 4)
    for index in range(2):
        state, _ = end(state, index, FIRST_WON)
    first, second = state.alive
    state, events = step(state, Leave(first), START)
    assert events[-1] == Finished(second, None, START)


def test_when_all_withdraw_it_closes_without_a_champion() -> None:
    """D17"""
    state = running(*range(1, 8))
    while state.status is Status.RUNNING:
        state, _ = step(state, Leave(state.alive[0]), START)
    assert state.champion is not None  # the last one left
    state = running(1, 2, 3)
    bot = next(index for index, pairing in enumerate(state.round) if pairing.second is None)
    for entrant in (*state.round[1 - bot].entrants, state.round[bot].first):
        if state.status is Status.RUNNING:
            state, _ = step(state, Leave(entrant), START)
    assert (state.status, state.champion, state.why) == (Status.OVER, None, Why.WITHDRAWN)


def test_a_round_that_nobody_survives_for_several_reasons_says_so() -> None:
    state = running(1, 2, 3, 4)
    state, _ = end(state, 0, NO_SHOW)
    state, events = end(state, 1, VOID)
    assert events[-1] == Finished(None, Why.NOBODY_LEFT, START)


def test_once_over_nobody_leaves_and_nothing_counts() -> None:
    state, _ = end(running(1, 2), 0, FIRST_WON)
    assert refusal(state, Leave(1)) == "closed"
    assert end(state, 0, SECOND_WON) == (state, ())


def test_folding_the_events_gives_the_state() -> None:
    state = entered(1, 2, 3)
    after, events = step(state, Start(4), START)
    assert fold(state, events) == after
