"""What holds of every match, whatever is asked for and whenever (R4, R5): random commands at random instants."""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import cycle

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from matches.core.machine import (
    SEATS,
    Adjudicate,
    Arrive,
    Arrived,
    Command,
    CommitSecret,
    Confirm,
    Confirmed,
    Created,
    CreditOutage,
    Ended,
    Event,
    GuessMarked,
    Leave,
    Left,
    Limits,
    OfferRematch,
    OutageCredited,
    PlayGuess,
    Reason,
    RematchMade,
    RematchOffered,
    Resign,
    Said,
    Say,
    SecretCommitted,
    Settle,
    Started,
    State,
    Status,
    Step,
    create,
    due_event,
    fold,
    other,
    replay,
    step,
)
from matches.core.marking import mark
from matches.core.sight import SPECTATOR, Sight, Telling, see, tell
from matches.core.terms import ClockKind, Feedback, Start
from tests.matches.core.builders import (
    EPOCH,
    LIMITS,
    MIN,
    PRESET_NAMES,
    SALTS,
    S,
    alike,
    secret_of,
    terms_of,
    told,
    wrong,
)

VIEWERS = (0, 1, SPECTATOR)
often = settings(max_examples=100, deadline=None)


@dataclass(frozen=True)
class Turn:
    """One command, the state it met, and what came of it."""

    before: State
    command: Command
    now: int
    taken: Step

    @property
    def after(self) -> State:
        return self.taken.state

    @property
    def instant(self) -> int:
        """When what came of it happened: what was due is decided at its own instant, however late it is found."""
        return self.taken.events[0].at if self.taken.events else max(self.now, self.before.at)


@dataclass(frozen=True)
class History:
    created: Created
    turns: list[Turn]

    @property
    def events(self) -> list[Event]:
        return [event for turn in self.turns for event in turn.taken.events]

    def of(self, *kinds: type) -> list[Event]:
        return [event for event in self.events if isinstance(event, kinds)]

    def told(self) -> Iterator[tuple[State, Event]]:
        return told([self.created, *self.events])


# How histories are made

ALL_TERMS = [
    terms_of(preset, clock={"seconds": seconds}, **asked)
    for preset in PRESET_NAMES
    for seconds in (60, 300)
    for asked in (
        [{}] * 4
        if preset == "classic"
        else [
            {"length": length, "repeats": repeats, "feedback": feedback}
            for length in (4, 5)
            for repeats in (True, False)
            for feedback in ("positions", "totals")
        ]
    )
]
UNDER_TOTALS = [terms for terms in ALL_TERMS if terms.feedback is Feedback.TOTALS]
ALL_LIMITS = [LIMITS, Limits(60 * MIN, 60 * MIN, 60 * MIN), Limits(10 * S, MIN, MIN)]
KINDS = (
    *["move"] * 24 + ["guess"] * 4,  # a move is a guess by whoever is to move
    *["commit", "confirm", "arrive"] * 3,
    *["leave", "credit", "rematch", "say", "settle"] * 2,
    *["resign", "adjudicate"],
)
KINDS_ONCE_OVER = ("rematch", "rematch", "rematch", *sorted(set(KINDS)))
DELAYS = (
    *[0] * 4 + [1, S, 2 * S, 5 * S] * 3,
    *[10 * S, 30 * S - 1, 30 * S, MIN - 1, MIN, MIN + 1, 5 * MIN],
    *[-1, -S, -MIN],
)


one_of = cache(st.sampled_from)


@st.composite
def histories(draw, terms=ALL_TERMS, *, naming: bool = True) -> History:
    """A match and what is asked of it, at instants that also go back: often begun in good order, then at random.

    Without `naming`, no guess names a secret.
    """

    def pick(*choices):
        return draw(one_of(choices))

    created = Created(
        pick(*terms),
        pick(*ALL_LIMITS),
        pick(*SEATS),
        EPOCH,
        pick((False, False), (False, True), (True, True)),
    )
    length = created.terms.length
    guesses = [wrong(length), "13579"[:length], "98760"[:length], "77777"[:length], "²234"] * 2
    if naming:
        guesses += [secret_of(seat, length) for seat in SEATS]
    state, now, turns = create(created), EPOCH, []

    def take(command: Command) -> None:
        nonlocal state
        turns.append(Turn(state, command, now, step(state, command, now)))
        state = turns[-1].after

    if pick(True, True, False):
        commits = [CommitSecret(seat, secret_of(seat, length), SALTS[seat]) for seat in SEATS]
        in_order: list[Command] = [*map(Arrive, SEATS), *commits, *map(Confirm, SEATS)]
        for command in in_order[: pick(6, 6, 6, 6, 5, 4, 3)]:
            take(command)
    for _ in range(pick(4, 15, 30, 30)):
        if len(turns) > 5 and turns[-6].before.result:
            break  # long over
        kind, seat = pick(*(KINDS_ONCE_OVER if state.result else KINDS)), pick(*SEATS)
        now += pick(*DELAYS) + draw(st.integers(0, 3))
        if kind == "move" and state.turn is not None:
            seat = state.turn
        take(command_of(pick, kind, seat, length, guesses))
    return History(created, turns)


def command_of(pick, kind: str, seat: int, length: int, guesses: list[str]) -> Command:
    match kind:
        case "guess" | "move":
            return PlayGuess(seat, pick(*guesses), pick(None, None, None, 1, 2))
        case "commit":
            return CommitSecret(seat, pick(*[secret_of(seat, length)] * 3, "²234"), SALTS[seat])
        case "rematch":
            return OfferRematch(seat, pick("one", "two"))
        case "say":
            return Say(seat, pick(1, 6, 7))
        case "adjudicate":
            return Adjudicate(pick(None, *SEATS))
        case "credit":
            return CreditOutage(pick(3 * S + 1, 10 * S, MIN, 5 * MIN))
        case "settle":
            return Settle()
        case "confirm":
            return Confirm(seat)
        case "resign":
            return Resign(seat)
        case "arrive":
            return Arrive(seat)
        case _:
            return Leave(seat)


# The story


@often
@given(histories())
def test_replaying_the_events_gives_the_state(history):
    assert replay([history.created, *history.events]) == history.turns[-1].after if history.turns else True


@often
@given(histories())
def test_versions_count_the_numbered_events_by_one(history):
    version = 1
    for state, event in history.told():
        version += not isinstance(event, Arrived | Left | OutageCredited)
        assert state.version == version


@often
@given(histories())
def test_a_refusal_changes_nothing_but_what_was_due_anyway(history):
    for turn in history.turns:
        if turn.taken.refusal:
            assert turn.taken.decided == ()
            assert turn.after == fold(turn.before, turn.taken.settled)
            assert turn.taken.settled or turn.after == turn.before


@often
@given(histories())
def test_instants_never_go_back_and_no_event_lies_after_its_command(history):
    """R4.6: though the clock may be set back between two commands."""
    last = EPOCH
    for turn in history.turns:
        for event in turn.taken.events:
            assert event.at <= max(turn.now, turn.before.at)
            if not isinstance(event, Arrived | Left):
                assert event.at >= last
                last = event.at
        assert turn.after.at == last


@often
@given(histories())
def test_nothing_that_was_due_is_left_undecided_and_nothing_is_due_in_the_past(history):
    """R4.6, D7"""
    for turn in history.turns:
        due = due_event(turn.after)
        assert due is None or due.at > max(turn.now, turn.after.at)


@often
@given(histories(), st.randoms())
def test_it_makes_no_difference_how_often_anybody_sweeps(history, random):
    """R4.6, R5.4: late sweeps settle at the instants that were due; before an outage at most until it began."""
    state, now = create(history.created), EPOCH
    events: list[Event] = []
    for turn in history.turns:
        latest = turn.now - (turn.command.ms if isinstance(turn.command, CreditOutage) else 0)
        sweeps = [(Settle(), random.randint(now, latest)) for _ in range(2) if now <= latest]
        for command, at in [*sweeps, (turn.command, turn.now)]:
            taken = step(state, command, at)
            state, events = taken.state, [*events, *taken.events]
        now = turn.now
    assert events == history.events


@often
@given(histories())
def test_the_name_of_the_preset_decides_nothing(history):
    """The engine knows terms only."""
    state = create(replace(history.created, terms=replace(history.created.terms, preset="house rules")))
    events: list[Event] = []
    for turn in history.turns:
        taken = step(state, turn.command, turn.now)
        state, events = taken.state, [*events, *taken.events]
    assert events == history.events


# Turns, the start, the end


@often
@given(histories())
def test_turns_alternate_strictly_from_the_first_mover_on(history):
    """R4.1, R4.4"""
    first = history.created.first
    movers = cycle((first, other(first)))
    assert all(event.seat == next(movers) for event in history.of(GuessMarked))
    for turn in history.turns:
        assert (turn.after.turn is not None) is (turn.after.status is Status.PLAYING)


@often
@given(histories())
def test_play_starts_once_when_both_have_done_all_that_is_asked(history):
    """R4.2, R4.3"""
    confirm = history.created.terms.start is Start.CONFIRM
    committed, confirmed = history.of(SecretCommitted), history.of(Confirmed)
    for events in (committed, confirmed):
        assert len({event.seat for event in events}) == len(events)
    ready = len(committed) == 2 and len(confirmed) == 2 * confirm
    started = history.of(Started)
    assert len(started) == ready
    asked = [*committed, *confirmed]
    assert all(event.at == max(each.at for each in asked) for event in started)
    assert ready or not history.of(GuessMarked)
    assert confirm or not confirmed


@often
@given(histories())
def test_a_guess_is_lawful_and_marked_against_the_other_secret(history):
    """R2, R3"""
    for state, event in history.told():
        if isinstance(event, GuessMarked):
            assert state.terms.admits_guess(event.code)
            assert event.marks == mark(state.seats[other(event.seat)].code, event.code)


@often
@given(histories())
def test_a_match_ends_at_most_once_and_then_for_good(history):
    """R5: afterwards there is only talk, a rematch, and who comes and goes."""
    kinds = [type(event) for event in history.events]
    assert kinds.count(Ended) <= 1
    if Ended in kinds:
        later = kinds[kinds.index(Ended) + 1 :]
        assert set(later) <= {Said, RematchOffered, RematchMade, Arrived, Left}
        assert later.count(RematchOffered) <= 1
        assert later.count(RematchMade) <= later.count(RematchOffered)
        assert len({event.seat for event in history.of(RematchOffered, RematchMade)}) == len(
            history.of(RematchOffered, RematchMade)
        )


@often
@given(histories())
def test_once_over_a_match_stays_as_it_ended(history):
    """R5"""

    def lasting(state: State) -> State:
        first, second = (replace(seat, connected=False, seen_at=0, said=0) for seat in state.seats)
        return replace(state, seats=(first, second), rematch=None, version=0, at=0)

    for turn in history.turns:
        if turn.before.status is Status.OVER:
            assert lasting(turn.after) == lasting(turn.before)
            assert due_event(turn.after) is None


@often
@given(histories())
def test_reason_winner_and_outcome_agree_with_what_happened(history):
    """R5, its table"""
    for turn in history.turns:
        result, before, terms = turn.after.result, turn.before, turn.before.terms
        if result is None or before.result is not None:
            continue
        assert (result.outcome == "win") is (result.winner is not None)
        match result.reason:
            case Reason.BROKEN:
                broken = turn.after.seats[other(result.winner)].code
                assert turn.after.seats[result.winner].guesses[-1].code == broken
            case Reason.TIME:
                loser = other(result.winner)
                assert turn.after.clocks.left[loser] == 0
                assert before.clocks.running[loser]
                assert not before.clocks.running[result.winner]
            case Reason.RESIGNED:
                assert turn.command == Resign(other(result.winner))
            case Reason.FORFEIT:
                assert terms.grace
                assert not before.seats[other(result.winner)].connected
            case Reason.UNPLAYED:
                assert result.outcome == terms.never_started
                assert not any(seat.ready for seat in before.seats)
                assert turn.after.clocks.left == (0, 0) or not any(seat.connected for seat in before.seats)
            case Reason.UNCONFIRMED:
                assert (terms.start, result.outcome) == (Start.CONFIRM, "void")
                assert not all(seat.confirmed for seat in before.seats)
            case Reason.ADJUDICATED:
                assert turn.command == Adjudicate(result.winner)


# Clocks


@often
@given(histories())
def test_a_budget_never_grows_but_by_an_outage_given_back(history):
    """R4.5, R5.4: after an outage it shows what it did when the outage began, and no more."""
    if history.created.terms.clock.kind is not ClockKind.BUDGET:
        return
    for turn in history.turns:
        before, at, shown = turn.before, turn.instant, turn.after.clocks.left_at(turn.instant)
        if any(isinstance(event, OutageCredited) for event in turn.taken.events):
            began = at - turn.command.ms
            assert all(now <= then for now, then in zip(shown, before.clocks.left_at(began), strict=True))
            assert shown == before.clocks.left_at(max(began, before.at))  # no outage before the last event
        else:
            assert shown == before.clocks.left_at(at)
        assert all(now <= then for now, then in zip(turn.after.clocks.left, before.clocks.left, strict=True))


@often
@given(histories([terms for terms in ALL_TERMS if terms.clock.kind is ClockKind.MOVE]))
def test_a_move_clock_is_full_whenever_a_turn_begins_and_never_over_full(history):
    """R4.5"""
    full = history.created.terms.clock.ms
    for state, event in history.told():
        assert max(state.clocks.left_at(event.at)) <= full
        if isinstance(event, Started | GuessMarked):
            assert state.clocks.left_at(event.at) == (full, full)


@often
@given(histories())
def test_the_clocks_that_run_are_those_of_whoever_is_asked(history):
    """R4.2, R4.3, R4.5, R5.1: choosing, those not ready (confirm start: none); playing, the mover's; over, none."""
    for turn in history.turns:
        state = turn.after
        asked = {
            Status.CHOOSING: [not seat.ready for seat in state.seats],
            Status.CONFIRMING: [False, False],
            Status.PLAYING: [state.turn == seat for seat in SEATS],
            Status.OVER: [False, False],
        }[state.status]
        if state.status is Status.CHOOSING and state.terms.start is Start.CONFIRM:
            asked = [False, False]
        assert list(state.clocks.running) == asked


@often
@given(histories())
def test_presence_touches_no_clock(history):
    """D8"""
    for turn in history.turns:
        if isinstance(turn.command, Arrive | Leave) and not turn.taken.settled:
            assert turn.after.clocks == turn.before.clocks


# Who may see what


def hidden(state: State, viewer: int | None) -> list[int]:
    """The seats whose committed secret `viewer` may not see."""
    over = state.status is Status.OVER
    return [seat for seat in SEATS if not over and seat != viewer and state.seats[seat].ready]


def leaves(shown: object, key: str = "") -> Iterator[tuple[str, object]]:
    """Every value in what is shown, with the name it stands under."""
    if isinstance(shown, dict):
        for name, value in shown.items():
            yield from leaves(value, name)
    elif isinstance(shown, list | tuple):
        for value in shown:
            yield from leaves(value, key)
    else:
        yield key, shown


def everything_shown(history: History) -> Iterator[tuple[State, int | None, dict[str, object]]]:
    """What each viewer sees after each event, and what all are told of it."""
    for state, event in history.told():
        for viewer in VIEWERS:
            yield state, viewer, asdict(see(state, viewer, state.at + S))
        telling = tell(state, event)
        if telling:
            yield state, SPECTATOR, asdict(telling)


@often
@given(histories(naming=False))
def test_nothing_shown_before_the_end_holds_a_secret_or_salt_of_another(history):
    """R4.8, D22: neither as text, nor within text, nor as a number."""
    for state, viewer, shown in everything_shown(history):
        for seat in hidden(state, viewer):
            secret, salt = secret_of(seat, state.terms.length), SALTS[seat]
            for name, value in leaves(shown):
                assert not isinstance(value, bytes)
                assert name == "commitment" or secret not in str(value) or isinstance(value, int)
                assert salt.hex() not in str(value)


def with_other_secrets(state: State, seats: list[int]) -> State:
    """The same match, had `seats` hidden something else: the marks are kept, so that nothing else could differ."""
    first, second = (
        replace(seat, code=secret_of(n, state.terms.length)[::-1], salt=SALTS[n][::-1])
        if n in seats
        else seat
        for n, seat in enumerate(state.seats)
    )
    return replace(state, seats=(first, second))


def uncommitted(shown: Sight | Telling | None) -> list[tuple[str, object]]:
    assert shown is not None
    return [(name, value) for name, value in leaves(asdict(shown)) if name != "commitment"]


@often
@given(histories())
def test_nothing_shown_before_the_end_depends_on_the_secret_of_another(history):
    """R1.3, R4.8: but for its commitment, a match looks the same whatever lawful secret was hidden."""
    for state, event in history.told():
        for viewer in VIEWERS:
            disguised = with_other_secrets(state, hidden(state, viewer))
            assert uncommitted(see(disguised, viewer, state.at)) == uncommitted(see(state, viewer, state.at))
        telling = tell(state, event)
        if telling and state.status is not Status.OVER:
            disguised = with_other_secrets(state, hidden(state, SPECTATOR))
            assert uncommitted(tell(disguised, event)) == uncommitted(telling)


@often
@given(histories(UNDER_TOTALS))
def test_under_totals_nothing_shown_holds_marks(history):
    """R3.4: at no time, to nobody."""
    for _, _, shown in everything_shown(history):
        for name, value in leaves(shown):
            assert name != "marks" or value is None
            assert not isinstance(value, str) or not re.fullmatch("[EPA]{4,5}", value)


@often
@given(histories(UNDER_TOTALS), st.randoms())
def test_under_totals_nothing_shown_depends_on_places(history, random):
    """R3.4: the same two numbers in any other places look the same."""
    for state, event in history.told():
        first, second = (
            replace(
                seat,
                guesses=tuple(
                    replace(guess, marks="".join(random.sample(guess.marks, len(guess.marks))))
                    for guess in seat.guesses
                ),
            )
            for seat in state.seats
        )
        shuffled = replace(state, seats=(first, second))
        for viewer in VIEWERS:
            assert see(shuffled, viewer, state.at) == see(state, viewer, state.at)
        assert tell(shuffled, event) == tell(state, event)


@often
@given(histories())
def test_all_viewers_see_the_same_but_for_their_own_secret(history):
    """R4.8"""
    for turn in history.turns:
        sights = [see(turn.after, viewer, turn.now) for viewer in VIEWERS]
        assert alike(sights[0]) == alike(sights[1]) == alike(sights[2])
        for sight in sights:
            assert all(seat.clock_ms >= 0 for seat in sight.seats)


def test_the_histories_reach_every_ending():
    """So that what is said above is said of all of them."""
    reached: set[Reason] = set()

    @settings(max_examples=400, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
    @given(histories())
    def look(history):
        reached.update(event.reason for event in history.of(Ended))

    look()
    assert reached == set(Reason)
