"""A match, from choosing to its rematch (R4, R5): who may do what when, and every way in which it ends."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from matches.core.machine import (
    PHRASES,
    SEATS,
    Adjudicate,
    Arrive,
    Arrived,
    Command,
    CommitSecret,
    Confirm,
    Created,
    CreditOutage,
    Ended,
    Guess,
    GuessMarked,
    Leave,
    OfferRematch,
    OutageCredited,
    PlayGuess,
    Reason,
    Refusal,
    Refused,
    Rematch,
    RematchMade,
    RematchOffered,
    Resign,
    Say,
    SecretCommitted,
    Settle,
    Started,
    create,
    decide,
    other,
    replay,
)
from tests.matches.core.builders import (
    AWAY,
    BUDGET,
    CHOOSE,
    CONFIRM,
    EPOCH,
    GRACE,
    HOUR,
    LIMITS,
    MIN,
    MOVE,
    NOT_CODES,
    PRESET_NAMES,
    SALTS,
    WITH_GRACE,
    Match,
    S,
    named,
    offer,
    over,
    playing,
    secret_of,
    terms_of,
    wrong,
)


def half(preset: str = "duel", seat: int = 0, **kwargs) -> Match:
    """`seat` has committed at 0, the other has not."""
    match = Match(preset, **kwargs)
    match.commit(seat)
    return match


def confirming(*confirmed: int) -> Match:
    """A classic match, both committed at 0, some confirmed."""
    match = Match("classic").commit_both()
    for seat in confirmed:
        match.do(Confirm(seat))
    return match


def then(match: Match, *commands_and_instants) -> Match:
    """`match` after each command at the instant that follows it."""
    for command, at in zip(commands_and_instants[::2], commands_and_instants[1::2], strict=True):
        match.do(command, at)
    return match


# Who may do what when

STAGES: dict[str, Callable[[str], Match]] = {
    "choosing": Match,
    "i_am_ready": lambda preset: half(preset, 0),
    "they_are": lambda preset: half(preset, 1),
    "confirming": lambda _: confirming(),
    "i_confirmed": lambda _: confirming(0),
    "they_did": lambda _: confirming(1),
    "playing": playing,
    "over": over,
}
COMMANDS: dict[str, Callable[[int], Command]] = {
    "commit": lambda length: CommitSecret(0, secret_of(0, length), SALTS[0]),
    "confirm": lambda _: Confirm(0),
    "guess": lambda length: PlayGuess(0, wrong(length)),
    "break": lambda length: PlayGuess(0, secret_of(1, length)),
    "resign": lambda _: Resign(0),
    "settle": lambda _: Settle(),
    "decide": lambda _: Adjudicate(1),
    "rematch": lambda _: offer(0),
    "say": lambda _: Say(0, 3),
    "arrive": lambda _: Arrive(0),
    "leave": lambda _: Leave(0),
    "credit": lambda _: CreditOutage(S),
}
READY_START = """
         choosing         i_am_ready      they_are                 playing            over
commit   SecretCommitted  already_ready   SecretCommitted+Started  already_ready      match_over
confirm  not_playing      not_playing     not_playing              not_playing        match_over
guess    not_playing      not_playing     not_playing              GuessMarked        match_over
break    not_playing      not_playing     not_playing              GuessMarked+Ended  match_over
resign   Ended            Ended           Ended                    Ended              match_over
settle   -                -               -                        -                  -
decide   Ended            Ended           Ended                    Ended              match_over
rematch  not_over         not_over        not_over                 not_over           RematchOffered
say      Said             Said            Said                     Said               Said
arrive   -                -               -                        -                  -
leave    Left             Left            Left                     Left               Left
credit   OutageCredited   OutageCredited  OutageCredited           OutageCredited     -
"""
CONFIRM_START = """
        choosing        i_am_ready      they_are        confirming      i_confirmed     they_did
commit  SecretCommitted already_ready   SecretCommitted already_ready   already_ready   already_ready
confirm not_playing     not_playing     not_playing     Confirmed       already_ready   Confirmed+Started
guess   not_playing     not_playing     not_playing     not_playing     not_playing     not_playing
break   not_playing     not_playing     not_playing     not_playing     not_playing     not_playing
resign  Ended           Ended           Ended           Ended           Ended           Ended
settle  -               -               -               -               -               -
decide  Ended           Ended           Ended           Ended           Ended           Ended
rematch not_over        not_over        not_over        not_over        not_over        not_over
say     Said            Said            Said            Said            Said            Said
arrive  -               -               -               -               -               -
leave   Left            Left            Left            Left            Left            Left
credit  OutageCredited  OutageCredited  OutageCredited  OutageCredited  OutageCredited  OutageCredited
"""
CONFIRMED_PLAY = """
         playing            over
commit   already_ready      match_over
confirm  already_ready      match_over
guess    GuessMarked        match_over
break    GuessMarked+Ended  match_over
resign   Ended              match_over
settle   -                  -
decide   Ended              match_over
rematch  not_over           RematchOffered
say      Said               Said
arrive   -                  -
leave    Left               Left
credit   OutageCredited     -
"""


def cells(*presets_and_tables):
    for presets, table in presets_and_tables:
        head, *lines = table.strip("\n").splitlines()
        for line in lines:
            command, *leads_to = line.split()
            for stage, what in zip(head.split(), leads_to, strict=True):
                yield from (
                    pytest.param(p, stage, command, what, id=f"{p}-{stage}-{command}") for p in presets
                )


CELLS = [*cells((WITH_GRACE, READY_START), (["classic"], CONFIRM_START), (["classic"], CONFIRMED_PLAY))]


@pytest.mark.parametrize(("preset", "stage", "command", "what"), CELLS)
def test_each_command_at_each_stage_leads_to_its_events_or_is_refused(preset, stage, command, what):
    """R4.2–R4.4, R5: a refusal changes nothing; seat 0 acts, and is to move where somebody is."""
    match = STAGES[stage](preset)
    before = match.state
    taken = match.step(COMMANDS[command](before.terms.length), at=2 * S)
    if what.islower():
        assert (taken.refusal, taken.events, taken.state) == (what, (), before)
    else:
        assert taken.refusal is None
        assert "+".join(type(event).__name__ for event in taken.events) == what.strip("-")
        assert all(event.at == EPOCH + 2 * S for event in taken.events)
    assert replay(match.events) == match.state


@pytest.mark.parametrize("refusal", Refusal)
def test_a_refusal_says_its_word(refusal):
    """The words are those of the public interface."""
    assert (str(Refused(refusal)), Refused(refusal).refusal) == (refusal.value, refusal)


def test_deciding_a_refused_command_raises():
    """House habit 3; `step` is for those who would rather have it answered."""
    with pytest.raises(Refused) as refused:
        decide(playing().state, PlayGuess(1, wrong(4)), EPOCH)
    assert refused.value.refusal is Refusal.OUT_OF_TURN


# What may be committed and guessed


@pytest.mark.parametrize("other_input", NOT_CODES, ids=named)
def test_what_is_no_code_is_neither_committed_nor_guessed(other_input):
    """R1.2, D4: no event, and state, turn and clocks as before."""
    choosing, moving = Match(), playing()
    for match, command in (
        (choosing, CommitSecret(0, other_input, SALTS[0])),
        (moving, PlayGuess(0, other_input)),
    ):
        before = match.state
        assert match.refused(command, at=S) == "bad_code"
        assert match.state == before


def test_a_code_that_starts_with_zero_is_kept_whole_and_wins():
    """R1.1, D3"""
    match = Match(length=5)
    match.commit(0, code="00417")
    match.commit(1, code="90718")
    match.guess(0)
    assert match.refused(PlayGuess(1, "417")) == "bad_code"
    match.guess(1, code="00417")
    assert match.state.seats[0].code == match.state.seats[1].guesses[-1].code == "00417"
    assert match.ending == ("win", 1, "broken", 0)


@pytest.mark.parametrize("easy", ["0000", "1234", "1111"])
def test_no_lawful_secret_is_refused_for_being_easy(easy):
    """R1.3"""
    match = Match()
    match.commit(0, code=easy)
    assert match.state.seats[0].code == easy


@pytest.mark.parametrize(
    ("preset", "asked", "refused"),
    [
        ("duel", {"repeats": True}, None),
        ("duel", {"repeats": False}, "bad_code"),
        ("probe", {"repeats": False}, None),
        ("classic", {}, "bad_code"),
    ],
)
def test_a_guess_with_a_repeated_digit_is_free_or_refused_at_no_cost(preset, asked, refused):
    """R2.3: where refused, the turn and clock go on as if it had not been sent."""
    match = playing(preset, **asked)
    before, repeated = match.state, "55555"[: match.state.terms.length]
    assert match.refused(PlayGuess(0, repeated), at=10 * S) == refused
    if refused:
        assert match.state == before
        assert match.left(at=10 * S)[0] == before.terms.clock.ms - 10 * S
    else:
        assert match.turn == 1


@pytest.mark.parametrize(("preset", "asked"), [("duel", {"repeats": False}), ("probe", {"repeats": False})])
def test_a_secret_with_a_repeated_digit_is_refused_where_all_are_different(preset, asked):
    """R2.2"""
    assert Match(preset, **asked).refused(CommitSecret(0, "1223", SALTS[0])) == "bad_code"


def test_guesses_are_marked_against_the_other_secret_and_kept_in_order():
    """R3, R4.8"""
    match = Match(length=5)
    match.commit(0, code="72815")
    match.commit(1, code="11234")
    match.guess(0, at=S, code="43211")
    match.guess(1, at=2 * S, code="71825")
    match.guess(0, at=3 * S, code="51111")
    first, second = (seat.guesses for seat in match.state.seats)
    assert first == (Guess("43211", "PPEPP", EPOCH + S), Guess("51111", "AEPAA", EPOCH + 3 * S))
    assert second == (Guess("71825", "EPEPE", EPOCH + 2 * S),)
    assert match.state.moves == 3


# Choosing and the start


@pytest.mark.parametrize("preset", WITH_GRACE)
@pytest.mark.parametrize("first", SEATS)
def test_committing_stops_ones_own_clock_and_the_second_commit_starts_the_first_mover(preset, first):
    """R4.2, D8: 300 s each, ready at 10 and at 40, leave 290 and 260."""
    match = Match(preset, first=first)
    assert match.left(at=5 * S) == (295 * S, 295 * S)
    match.commit(0, at=10 * S)
    assert (match.state.status, match.turn, match.left(at=40 * S)) == ("choosing", None, (290 * S, 260 * S))
    match.commit(1, at=40 * S)
    assert (match.state.status, match.turn) == ("playing", first)
    assert match.left(at=50 * S) == ((280 * S, 260 * S), (290 * S, 250 * S))[first]


@pytest.mark.parametrize("preset", PRESET_NAMES)
def test_a_committed_secret_cannot_be_changed(preset):
    """R4.2"""
    match = half(preset)
    before = match.state
    assert match.refused(CommitSecret(0, wrong(before.terms.length), SALTS[1])) == "already_ready"
    assert match.state == before


def test_a_secret_and_its_salt_are_kept_as_they_were_handed_in():
    """R1.1"""
    match = half(length=5)
    assert match.events[-1] == SecretCommitted(0, "90718", SALTS[0], EPOCH)
    assert (match.state.seats[0].code, match.state.seats[0].salt) == ("90718", SALTS[0])


def test_no_clock_runs_until_both_have_confirmed():
    """R4.3"""
    match = Match("classic")
    for command, at in (
        (CommitSecret(1, secret_of(1, 5), SALTS[1]), 100 * S),
        (CommitSecret(0, secret_of(0, 5), SALTS[0]), 299 * S),
        (Confirm(1), 310 * S),
    ):
        match.do(command, at)
        assert match.turn is None
        assert match.left(at + 20 * S) == (MOVE, MOVE)
    match.do(Confirm(0), 328 * S)
    assert match.turn == 0
    assert match.left(at=330 * S) == (MOVE - 2 * S, MOVE)


@pytest.mark.parametrize("first", SEATS)
@pytest.mark.parametrize("preset", PRESET_NAMES)
def test_the_one_drawn_moves_first(preset, first):
    """R4.1, R4.4"""
    match = playing(preset, first=first)
    assert match.turn == first
    assert match.refused(PlayGuess(other(first), wrong(match.state.terms.length))) == "out_of_turn"
    match.guess(first)
    assert match.turn == other(first)


@pytest.mark.parametrize("confirmed", [(), (0,), (1,)])
def test_without_both_confirmed_the_countdown_ends_it_for_both(confirmed):
    """R4.3, D15: whoever leaves or confirms too late."""
    match = Match("classic").commit_both(at=MIN)
    for seat in confirmed:
        match.do(Confirm(seat), MIN + S)
    match.do(Leave(1), MIN + 2 * S)
    assert match.settle(MIN + CONFIRM - 1) == ()
    assert match.refused(Confirm(0), MIN + CONFIRM) == "match_over"
    assert match.ending == ("void", None, "unconfirmed", MIN + CONFIRM)
    assert match.refused(Confirm(1), HOUR) == "match_over"


def test_both_confirming_in_the_last_instant_start_it_once():
    """D15"""
    match = Match("classic").commit_both()
    match.do(Confirm(1), CONFIRM - 1)
    match.do(Confirm(0), CONFIRM - 1)
    assert match.settle(CONFIRM) == match.settle(CONFIRM + 1) == ()
    assert sum(isinstance(event, Started) for event in match.events) == 1
    assert match.due == CONFIRM - 1 + MOVE


def test_the_last_instant_of_choosing_is_one_before_its_end():
    """R4.3: and the countdown to confirm is whole however late both were ready."""
    match = Match("classic").commit_both(at=CHOOSE - 1)
    assert (match.state.status, match.due) == ("confirming", CHOOSE - 1 + CONFIRM)
    late = half("classic")
    assert late.refused(CommitSecret(1, secret_of(1, 5), SALTS[1]), CHOOSE) == "match_over"
    assert late.ending == ("void", None, "unconfirmed", CHOOSE)


# Turns


def test_a_guess_out_of_turn_is_refused_and_costs_nothing():
    """R4.4, D5: even the winning one; the mover's clock goes on."""
    match = playing()
    before = match.state
    assert match.refused(PlayGuess(1, match.secret(0)), at=10 * S) == "out_of_turn"
    assert match.state == before
    assert match.left(at=20 * S) == (BUDGET - 20 * S, BUDGET)


def test_a_guess_sent_twice_is_taken_once():
    """D5: the second finds the turn passed."""
    match = playing()
    match.guess(0)
    assert match.refused(PlayGuess(0, wrong(4))) == "out_of_turn"
    assert match.state.moves == 1


@pytest.mark.parametrize(("n", "refusal"), [(None, None), (2, None), (1, "out_of_turn"), (3, "out_of_turn")])
def test_a_guess_meant_for_another_turn_is_refused(n, refusal):
    """D5: a page left open since turn 1 sends its guess in turn 3; `n` counts one's own board."""
    match = playing()
    match.guess(0)
    match.guess(1)
    before = match.state
    assert match.refused(PlayGuess(0, "5678", n)) == refusal
    assert (match.state == before) is (refusal is not None)


def test_guesses_are_unlimited_and_their_number_decides_nothing():
    """R4.7"""
    match = playing()
    for move in range(1_000):
        match.guess(move % 2, at=move)
    assert (match.state.status, match.turn, match.state.moves) == ("playing", 0, 1_000)
    assert [len(seat.guesses) for seat in match.state.seats] == [500, 500]


# Clocks


def test_what_is_left_of_a_budget_carries_over():
    """R4.5"""
    match = playing()
    match.guess(0, at=10 * S)
    match.guess(1, at=30 * S)
    assert match.left(at=35 * S) == (BUDGET - 15 * S, BUDGET - 20 * S)
    match.guess(0, at=40 * S)
    assert match.left(at=HOUR) == (BUDGET - 20 * S, 0)
    assert match.due == 40 * S + BUDGET - 20 * S


def test_a_clock_per_move_is_full_for_every_move():
    """R4.5"""
    match = playing("classic")
    for seat, at in ((0, MOVE - 1), (1, MOVE + 9 * S), (0, MOVE + 10 * S)):
        match.guess(seat, at)
        assert match.left(at) == (MOVE, MOVE)
        assert match.left(at + 10 * S)[other(seat)] == MOVE - 10 * S
        assert match.due == at + MOVE


@pytest.mark.parametrize("late", [0, 1, HOUR])
def test_a_guess_after_the_flag_loses_at_the_moment_it_fell(late):
    """R4.6: even the winning guess, and though nothing had swept the flag."""
    match = playing()
    assert match.refused(PlayGuess(0, match.secret(1)), at=BUDGET + late) == "match_over"
    assert match.ending == ("win", 1, "time", BUDGET)
    assert match.state.moves == 0


def test_a_guess_in_the_last_instant_still_wins():
    """R4.6"""
    match = playing()
    match.guess(0, at=BUDGET - 1, code=match.secret(1))
    assert match.ending == ("win", 0, "broken", BUDGET - 1)


def test_a_lost_clock_stands_at_zero_and_the_other_where_it_was():
    """D8"""
    match = playing()
    match.guess(0, at=10 * S)
    match.settle(HOUR)
    assert match.left(HOUR) == match.left(2 * HOUR) == (BUDGET - 10 * S, 0)
    assert match.state.clocks.running == (False, False)


def test_a_clock_set_back_takes_a_command_at_the_last_instant():
    """R4.6: time is the server's, and never turns back within a match."""
    match = playing()
    match.guess(0, at=10 * S)
    match.guess(1, at=5 * S)
    assert match.events[-1] == GuessMarked(1, wrong(4), match.state.seats[1].guesses[0].marks, EPOCH + 10 * S)
    assert match.left(at=10 * S) == (BUDGET - 10 * S, BUDGET)


# How it ends

ENDINGS = {
    "broken by the first": (
        lambda: then(playing(), PlayGuess(0, secret_of(1, 4)), 5 * S),
        ("win", 0, "broken", 5 * S),
    ),
    "broken by the second": (
        lambda: then(playing(), PlayGuess(0, wrong(4)), 5 * S, PlayGuess(1, secret_of(0, 4)), 9 * S),
        ("win", 1, "broken", 9 * S),
    ),
    "time in play": (lambda: then(playing(), Settle(), HOUR), ("win", 1, "time", BUDGET)),
    "time of a move": (lambda: then(playing("classic"), Settle(), HOUR), ("win", 1, "time", MOVE)),
    "time, one committed": (lambda: then(half(), Settle(), HOUR), ("win", 0, "time", BUDGET)),
    "resigned choosing": (lambda: then(Match(), Resign(0), S), ("win", 1, "resigned", S)),
    "resigned when ready": (lambda: then(half(), Resign(0), S), ("win", 1, "resigned", S)),
    "resigned confirming": (lambda: then(confirming(0), Resign(0), S), ("win", 1, "resigned", S)),
    "resigned in play": (lambda: then(playing(), Resign(0), S), ("win", 1, "resigned", S)),
    "resigned out of turn": (lambda: then(playing(), Resign(1), S), ("win", 0, "resigned", S)),
    "forfeit choosing": (
        lambda: then(Match(), Leave(0), S, Settle(), HOUR),
        ("win", 1, "forfeit", S + GRACE),
    ),
    "forfeit in play": (
        lambda: then(playing(), Leave(1), S, Settle(), HOUR),
        ("win", 0, "forfeit", S + GRACE),
    ),
    "unplayed": (lambda: then(Match(), Settle(), HOUR), ("void", None, "unplayed", BUDGET)),
    "unplayed probe": (lambda: then(Match("probe"), Settle(), HOUR), ("draw", None, "unplayed", BUDGET)),
    "unplayed, both away": (
        lambda: then(Match(connected=AWAY), Settle(), HOUR),
        ("void", None, "unplayed", GRACE),
    ),
    "unplayed probe, both away": (
        lambda: then(Match("probe", connected=AWAY), Settle(), HOUR),
        ("draw", None, "unplayed", GRACE),
    ),
    "none chose": (lambda: then(Match("classic"), Settle(), HOUR), ("void", None, "unconfirmed", CHOOSE)),
    "one chose": (lambda: then(half("classic"), Settle(), HOUR), ("void", None, "unconfirmed", CHOOSE)),
    "none confirmed": (lambda: then(confirming(), Settle(), HOUR), ("void", None, "unconfirmed", CONFIRM)),
    "one confirmed": (lambda: then(confirming(1), Settle(), HOUR), ("void", None, "unconfirmed", CONFIRM)),
    "adjudicated to 0": (lambda: then(playing(), Adjudicate(0), S), ("win", 0, "adjudicated", S)),
    "adjudicated to 1": (lambda: then(Match(), Adjudicate(1), S), ("win", 1, "adjudicated", S)),
    "adjudicated void": (
        lambda: then(playing("probe"), Adjudicate(None), S),
        ("void", None, "adjudicated", S),
    ),
}
every_ending = pytest.mark.parametrize(("ended", "ending"), ENDINGS.values(), ids=ENDINGS)


@every_ending
def test_a_match_ends_as_the_table_says(ended, ending):
    """R5, its table; R4.6: at the instant it was due, though settled an hour later."""
    match = ended()
    assert match.ending == ending
    assert sum(isinstance(event, Ended) for event in match.events) == 1


def test_the_endings_above_are_all_there_are():
    """R5"""
    assert {ending[2] for _, ending in ENDINGS.values()} == set(Reason)


@every_ending
@pytest.mark.parametrize("seat", SEATS)
def test_once_over_whatever_comes_is_refused_and_changes_nothing(ended, ending, seat):
    """R5: once, for good."""
    match = ended()
    before = match.state
    length = before.terms.length
    for command in (
        CommitSecret(seat, secret_of(seat, length), SALTS[seat]),
        Confirm(seat),
        PlayGuess(seat, secret_of(other(seat), length)),
        PlayGuess(seat, "²"),
        Resign(seat),
        Adjudicate(seat),
        Adjudicate(None),
    ):
        assert match.refused(command, at=ending[3]) == match.refused(command, at=2 * HOUR) == "match_over"
        assert match.state == before
    assert match.settle(3 * HOUR) == match.do(CreditOutage(HOUR), at=3 * HOUR) == ()
    assert match.state == before


@every_ending
def test_once_over_nothing_runs_nor_is_due(ended, ending):
    """R5, D8: clocks equal from then on, no turn, no grace."""
    match = ended()
    assert match.due is None
    assert match.turn is None
    assert [match.forfeits(seat) for seat in SEATS] == [None, None]
    assert match.left(ending[3]) == match.left(ending[3] + HOUR)


@every_ending
def test_once_over_secrets_and_boards_stay(ended, ending):
    """R5.5: in the events they are replayed from."""
    match = ended()
    assert replay(match.events) == match.state
    committed = {event.seat: event.code for event in match.events if isinstance(event, SecretCommitted)}
    assert {seat: match.state.seats[seat].code for seat in SEATS} == {
        seat: committed.get(seat) for seat in SEATS
    }


def test_the_secret_named_wins_at_once():
    """R5 broken: the other gets no reply move."""
    match = playing()
    marked, ended = match.do(PlayGuess(0, match.secret(1)), at=S)
    assert marked == GuessMarked(0, match.secret(1), "EEEE", EPOCH + S)
    assert ended == Ended("win", 0, Reason.BROKEN, EPOCH + S)
    assert match.refused(PlayGuess(1, match.secret(0)), at=S) == "match_over"


def left_behind(preset: str = "duel", **kwargs) -> Match:
    """In play, seat 1 left at 2 s."""
    return then(playing(preset, **kwargs), Leave(1), 2 * S)


DUE = {
    "both choose": (Match, BUDGET),
    "one chooses": (half, BUDGET),
    "in play": (playing, BUDGET),
    "a move": (lambda: playing("classic"), MOVE),
    "choosing": (lambda: Match("classic"), CHOOSE),
    "confirming": (confirming, CONFIRM),
    "away": (left_behind, 2 * S + GRACE),
    "both away": (lambda: Match(connected=AWAY), GRACE),
}


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"credit"}))
@pytest.mark.parametrize(("started", "due"), DUE.values(), ids=DUE)
def test_whatever_command_comes_first_finds_what_was_due_decided_at_its_instant(started, due, command):
    """R4.6, D7: not a millisecond sooner; a browser's claim, a sweep or a late guess make no difference."""
    for late in (0, 1, HOUR):
        match = started()
        assert match.due == due
        assert match.settle(due - 1) == ()
        taken = match.step(COMMANDS[command](match.state.terms.length), due + late)
        assert isinstance(taken.events[0], Ended)
        assert taken.events[0].at == EPOCH + due
        assert all(not isinstance(event, GuessMarked | SecretCommitted | Started) for event in taken.events)


def test_with_one_committed_the_other_clock_alone_runs_and_loses_on_time():
    """R5.1: also when the other has been thinking before."""
    match = Match()
    match.commit(1, at=50 * S)
    assert match.left(at=60 * S) == (BUDGET - 60 * S, BUDGET - 50 * S)
    match.settle(BUDGET)
    assert match.ending == ("win", 1, "time", BUDGET)


def test_both_flags_fall_together_and_a_commit_at_that_instant_is_too_late():
    """R5 unplayed, R4.6"""
    match = Match()
    assert match.refused(CommitSecret(0, "1234", SALTS[0]), at=BUDGET) == "match_over"
    assert match.ending == ("void", None, "unplayed", BUDGET)
    assert match.left(HOUR) == (0, 0)


# Presence and grace


@pytest.mark.parametrize("first", SEATS)
@pytest.mark.parametrize("gone", SEATS)
def test_who_stays_away_past_the_grace_forfeits_whoever_is_to_move(gone, first):
    """R5 forfeit, D11"""
    match = then(playing(first=first), Leave(gone), 0)
    assert match.settle(GRACE - 1) == ()
    match.settle(GRACE)
    assert match.ending == ("win", other(gone), "forfeit", GRACE)


def test_a_return_ends_the_countdown_and_a_new_absence_starts_it_anew():
    """D11: away at 0, back at G−1, away at G+1: nothing before 2G+1."""
    match = then(playing(), Leave(0), 0, Arrive(0), GRACE - 1)
    assert match.forfeits(0) is None
    assert match.settle(GRACE) == ()
    then(match, Leave(0), GRACE + 1, Settle(), 2 * GRACE)
    assert (match.ending, match.due) == (None, 2 * GRACE + 1)


def test_a_return_at_the_end_of_the_grace_is_too_late():
    """R4.6, R5.3"""
    match = left_behind()
    assert match.do(Arrive(1), 2 * S + GRACE)[-1] == Arrived(1, EPOCH + 2 * S + GRACE)
    assert match.ending == ("win", 0, "forfeit", 2 * S + GRACE)


def test_the_first_grace_to_end_decides_and_nothing_later_changes_it():
    """R5.3, D11"""
    match = then(playing(), Leave(0), 0, Leave(1), 5 * S, Settle(), GRACE)
    then(match, Arrive(0), GRACE + S, Settle(), GRACE + 5 * S)
    assert match.ending == ("win", 1, "forfeit", GRACE)


@pytest.mark.parametrize("first", SEATS)
def test_of_two_graces_that_end_together_the_one_to_move_loses(first):
    """R5.3"""
    match = then(playing(first=first), Leave(0), S, Leave(1), S, Settle(), HOUR)
    assert match.ending == ("win", other(first), "forfeit", S + GRACE)


@pytest.mark.parametrize("ready", SEATS)
def test_of_two_graces_that_end_together_while_choosing_the_one_still_choosing_loses(ready):
    """R5.3, R5.1: its clock is the one that runs."""
    match = then(half(seat=ready), Leave(0), S, Leave(1), S, Settle(), HOUR)
    assert match.ending == ("win", ready, "forfeit", S + GRACE)


@pytest.mark.parametrize("sooner", SEATS)
@pytest.mark.parametrize(("preset", "outcome"), [("duel", "void"), ("probe", "draw")])
def test_both_away_with_neither_committed_is_unplayed_at_the_first_grace(preset, outcome, sooner):
    """R5.3"""
    match = then(Match(preset), Leave(sooner), S, Leave(other(sooner)), 9 * S, Settle(), HOUR)
    assert match.ending == (outcome, None, "unplayed", S + GRACE)


def test_both_away_with_one_committed_is_decided_by_the_first_grace():
    """R5.3: even against the only one who was ready."""
    match = then(half(seat=0), Leave(0), S, Leave(1), 2 * S, Settle(), HOUR)
    assert match.ending == ("win", 1, "forfeit", S + GRACE)


def test_of_two_who_never_came_the_one_who_comes_at_last_wins():
    """R5.3: at the end of the other's grace only one is away."""
    match = then(Match(connected=AWAY), Arrive(1), GRACE - 1, Settle(), HOUR)
    assert match.ending == ("win", 1, "forfeit", GRACE)


@pytest.mark.parametrize("preset", WITH_GRACE)
def test_who_never_connects_is_away_since_the_match_began(preset):
    """R5.3"""
    match = Match(preset, connected=(True, False))
    assert [match.forfeits(seat) for seat in SEATS] == [None, GRACE]


@pytest.mark.parametrize(
    "command",
    [CommitSecret(0, "1234", SALTS[0]), PlayGuess(0, "1234"), Say(0, 1)],
    ids=lambda command: type(command).__name__,
)
def test_an_accepted_command_is_a_sign_of_life_of_its_sender_alone(command):
    """R5.3: so a bot's author who plays over HTTP needs no socket."""
    match = Match(connected=AWAY) if isinstance(command, CommitSecret) else playing(connected=AWAY)
    match.do(command, at=40 * S)
    assert [match.forfeits(seat) for seat in SEATS] == [40 * S + GRACE, GRACE]
    assert not match.state.seats[0].connected


def test_confirming_is_a_sign_of_life_too():
    """R5.3: no preset has both a countdown and a grace, but the engine knows terms only."""
    match = Match(terms=replace(terms_of("classic"), grace=True), connected=AWAY).commit_both(at=S)
    match.do(Confirm(0), at=20 * S)
    assert [match.forfeits(seat) for seat in SEATS] == [20 * S + GRACE, S + GRACE]


@pytest.mark.parametrize(
    "command", [PlayGuess(1, "1234"), Confirm(1), CommitSecret(1, "1234", b""), Say(1, 9)]
)
def test_a_refused_command_is_no_sign_of_life(command):
    """R5.3: last *accepted* command."""
    match = playing(connected=(True, False))
    assert match.refused(command, at=40 * S)
    assert match.forfeits(1) == GRACE


def test_a_connected_player_thinks_as_long_as_the_clock_allows():
    """D11: silence is no absence."""
    match = playing()
    assert [match.forfeits(seat) for seat in SEATS] == [None, None]
    assert match.settle(BUDGET - 1) == ()


def test_reloads_and_second_tabs_start_no_grace():
    """D10: the first socket arrives, the last one leaves; anything between is no event."""
    match = playing()
    assert match.do(Arrive(0), S) == ()
    for second in range(2, 12):
        then(match, Leave(0), second * S, Arrive(0), second * S + 1)
    assert match.forfeits(0) is None
    assert match.settle(GRACE + 5 * S) == ()


def test_leaving_twice_does_not_prolong_the_grace():
    """R5.3"""
    match = left_behind()
    assert match.do(Leave(1), 30 * S) == ()
    assert match.forfeits(1) == 2 * S + GRACE


@pytest.mark.parametrize("preset", WITH_GRACE)
def test_absence_leaves_every_clock_as_it_was(preset):
    """D8"""
    match, alone = playing(preset), playing(preset)
    then(match, Leave(0), S, Leave(1), 5 * S, Arrive(0), 9 * S)
    assert match.state.clocks == alone.state.clocks


@pytest.mark.parametrize("away", SEATS)
def test_classic_knows_no_grace(away):
    """The table: an hour's move is played from one's pocket."""
    match = then(playing("classic", clock={"seconds": 3600}), Leave(away), 0)
    assert match.forfeits(away) is None
    assert match.settle(HOUR - 1) == ()
    match.settle(HOUR)
    assert match.ending == ("win", 1, "time", HOUR)


def test_nobody_is_there_unless_they_come():
    """R5.3"""
    state = create(Created(terms_of("duel"), LIMITS, 0, EPOCH))
    assert [seat.connected for seat in state.seats] == [False, False]


def test_a_bot_is_always_connected():
    """R5.3"""
    match = Match(connected=(True, False), bots=(False, True))
    assert match.state.seats[1].connected
    assert match.forfeits(1) is None


def test_where_flag_and_grace_end_together_the_flag_decides():
    """Ours: a flag that has fallen needs no second reason, whoever was away."""
    for away in SEATS:
        match = then(playing(), Leave(away), BUDGET - GRACE, Settle(), HOUR)
        assert match.ending == ("win", 1, "time", BUDGET)


def test_the_grace_is_the_sites_own():
    """R5.3: a setting; one longer than the clock never decides."""
    short = replace(LIMITS, grace_ms=3 * S)
    long = replace(LIMITS, grace_ms=HOUR)
    assert Match(connected=AWAY, limits=short).due == 3 * S
    assert Match(connected=AWAY, limits=long).due == BUDGET


# An outage: `CreditOutage(ms)` at its end


def test_an_outage_is_charged_to_no_clock():
    """R5.4"""
    match = then(playing(), PlayGuess(0, wrong(4)), 10 * S, CreditOutage(2 * MIN), 3 * MIN)
    assert match.left(3 * MIN) == (BUDGET - 10 * S, BUDGET - 50 * S)
    assert match.left(4 * MIN) == (BUDGET - 10 * S, BUDGET - 110 * S)


@pytest.mark.parametrize(("started", "due"), DUE.values(), ids=DUE)
def test_what_would_have_fallen_due_in_an_outage_is_given_back_first(started, due):
    """R5.4: before anything else is settled; a clock or countdown has left what it had when the outage began."""
    match = started()
    began, back = due - 1, due + HOUR
    assert match.do(CreditOutage(back - began), back) == (OutageCredited(back - began, EPOCH + back),)
    assert match.ending is None
    away = not all(seat.connected for seat in match.state.seats)
    assert match.due == back + (GRACE if away else 1)


@pytest.mark.parametrize(("started", "due"), DUE.values(), ids=DUE)
def test_what_had_fallen_due_before_an_outage_is_decided_at_its_instant(started, due):
    """R5.4: late sweeps settle at the instants that were due."""
    match = started()
    (ended,) = match.do(CreditOutage(HOUR), at=due + S + HOUR)
    assert ended.at == EPOCH + due


def test_every_absent_seat_starts_with_its_full_grace_again():
    """R5.4: those who are there are not touched."""
    match = then(playing(), Leave(1), 2 * S, CreditOutage(30 * S), 40 * S)
    assert [match.forfeits(seat) for seat in SEATS] == [None, 40 * S + GRACE]
    match = then(playing(connected=AWAY), CreditOutage(30 * S), 40 * S)
    assert [match.forfeits(seat) for seat in SEATS] == [40 * S + GRACE] * 2


def test_a_credit_never_gives_more_clock_than_there_was():
    """R5.4: an outage is measured by heartbeats, and a guess may have come after the last one."""
    match = then(playing(), PlayGuess(0, wrong(4)), 10 * S, CreditOutage(30 * S), 15 * S)
    assert match.left(15 * S) == (BUDGET - 10 * S, BUDGET)
    assert match.due == 15 * S + BUDGET


def test_a_credit_never_gives_more_countdown_than_there_was():
    """R5.4: the same for a countdown that began after the last heartbeat."""
    match = then(Match("classic").commit_both(at=S), CreditOutage(10 * S), 10 * S)
    assert match.due == 10 * S + CONFIRM


@pytest.mark.parametrize("started", [playing, left_behind, confirming], ids=lambda started: started.__name__)
def test_an_outage_credited_twice_is_given_back_once(started):
    """R5.4"""
    match = then(started(), CreditOutage(10 * S), 15 * S)
    before = match.state
    match.do(CreditOutage(10 * S), 15 * S)
    assert match.state == before


def test_two_outages_are_both_given_back():
    """R5.4"""
    match = then(playing(), CreditOutage(10 * S), 20 * S, CreditOutage(10 * S), 40 * S)
    assert match.left(40 * S) == (BUDGET - 20 * S, BUDGET)


def test_a_clock_per_move_is_given_back_too():
    """R5.4, R4.5"""
    match = then(playing("classic"), CreditOutage(HOUR), HOUR + 50 * S)
    assert match.left(HOUR + 50 * S) == (MOVE - 50 * S, MOVE)


# Afterwards, and beside the game


@every_ending
@pytest.mark.parametrize("seat", SEATS)
def test_one_offers_a_rematch_and_the_other_accepts_by_offering(ended, ending, seat):
    """R5.6: the new match has the id handed in by the one who completes it."""
    match = ended()
    assert match.do(offer(seat, "unused"), HOUR) == (RematchOffered(seat, EPOCH + HOUR),)
    assert match.state.rematch == Rematch(seat, None)
    assert match.do(offer(other(seat), "taken"), HOUR + S) == (
        RematchMade(other(seat), "taken", EPOCH + HOUR + S),
    )
    assert match.state.rematch == Rematch(seat, "taken")
    assert match.ending == ending


def test_offering_again_offers_nothing_new():
    """R5.6, D13"""
    match = then(over(), offer(0, "one"), S)
    before = match.state
    assert match.do(offer(0, "two"), 2 * S) == match.do(offer(0, "three"), 3 * S) == ()
    assert match.state == before


def test_one_rematch_is_made_and_no_more():
    """R5.6, D13: asked again by either, the same id stands."""
    match = then(over(), offer(1, "one"), S, offer(0, "two"), S)
    before = match.state
    for seat in SEATS:
        assert match.do(offer(seat, "three"), 2 * S) == ()
    assert match.state == before
    assert match.state.rematch == Rematch(1, "two")


def test_an_offer_that_comes_when_time_is_up_finds_the_match_over():
    """R4.6, R5.6"""
    match = playing()
    ended, offered = match.do(OfferRematch(0, "x"), HOUR)
    assert (type(ended), offered) == (Ended, RematchOffered(0, EPOCH + HOUR))


@pytest.mark.parametrize("phrase", [*range(-1, 9), 10**9, "1", None])
def test_there_are_six_phrases_to_say(phrase):
    assert list(PHRASES) == [1, 2, 3, 4, 5, 6]
    match = playing()
    said = phrase in (1, 2, 3, 4, 5, 6)
    assert match.refused(Say(1, phrase), at=S) == (None if said else "invalid")
    assert match.state.clocks == playing().state.clocks


def test_after_three_phrases_something_else_must_happen_first():
    """Each seat by itself; whatever happens lets both speak again."""
    match = playing()
    then(match, *(step for n in range(3) for step in (Say(1, 1 + n), (1 + n) * S)))
    assert match.refused(Say(1, 4), at=4 * S) == "too_many"
    then(match, Say(0, 1), 5 * S, PlayGuess(0, wrong(4)), 6 * S, Say(1, 4), 7 * S)
    assert [seat.said for seat in match.state.seats] == [0, 1]
    assert replay(match.events) == match.state


def test_a_version_counts_what_is_told_and_not_who_comes_and_goes():
    """The versions a client counts by are those of numbered events."""
    match = Match()
    assert match.state.version == 1
    then(match, Leave(0), S, Arrive(0), 2 * S, CreditOutage(S), 4 * S)
    assert match.state.version == 1
    match.commit_both(at=5 * S)  # ready, ready, started
    assert match.state.version == 4
    then(match, Say(0, 1), 6 * S, Resign(0), 7 * S, offer(0), 8 * S, offer(1), 9 * S)
    assert match.state.version == 8


def test_the_name_of_a_preset_decides_nothing():
    """The engine knows terms only."""
    terms = replace(terms_of("probe", repeats=False), preset="house rules")
    match = then(Match(terms=terms), Settle(), HOUR)
    assert match.ending == ("draw", None, "unplayed", BUDGET)
