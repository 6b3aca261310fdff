"""A match as a state machine: commands in, events out, state folded from events (R4, R5).

Knows codes, marks, terms and clocks. Time, salts and ids are handed in; nothing here asks for them.
`step` is the whole of it: what was due is settled first, then the command is decided.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, assert_never

from matches.core.clock import Clocks
from matches.core.marking import mark
from matches.core.terms import ClockKind, Start, Terms

SEATS = (0, 1)
PHRASES = range(1, 7)
AT_A_STRETCH = 3
"""How many phrases a seat may say until something else happens in the match."""


class Status(StrEnum):
    CHOOSING = "choosing"
    CONFIRMING = "confirming"
    PLAYING = "playing"
    OVER = "over"


class Reason(StrEnum):
    BROKEN = "broken"
    TIME = "time"
    RESIGNED = "resigned"
    FORFEIT = "forfeit"
    UNPLAYED = "unplayed"
    UNCONFIRMED = "unconfirmed"
    ADJUDICATED = "adjudicated"


class Refusal(StrEnum):
    """Why a command changed nothing. The words are those of the public interface."""

    BAD_CODE = "bad_code"
    INVALID = "invalid"
    OUT_OF_TURN = "out_of_turn"
    MATCH_OVER = "match_over"
    NOT_OVER = "not_over"
    ALREADY_READY = "already_ready"
    NOT_PLAYING = "not_playing"
    CLOSED = "closed"
    TOO_MANY = "too_many"


class Refused(Exception):
    """A command that may not be: nothing has changed."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal


Outcome = Literal["win", "void", "draw"]


# What is asked for: imperative.


@dataclass(frozen=True, slots=True)
class CommitSecret:
    seat: int
    code: str
    salt: bytes


@dataclass(frozen=True, slots=True)
class Confirm:
    seat: int


@dataclass(frozen=True, slots=True)
class PlayGuess:
    """`n`, where given, is the number this guess is meant to have on its own board."""

    seat: int
    code: str
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Resign:
    seat: int


@dataclass(frozen=True, slots=True)
class Settle:
    """Decide whatever is due: a claimed flag, the sweep. Nothing due is no fault."""


@dataclass(frozen=True, slots=True)
class Adjudicate:
    """A moderator's decision; `winner` is None for void."""

    winner: int | None


@dataclass(frozen=True, slots=True)
class OfferRematch:
    """`match` is the id the new match will have if this offer completes it."""

    seat: int
    match: str


@dataclass(frozen=True, slots=True)
class Say:
    seat: int
    phrase: int


@dataclass(frozen=True, slots=True)
class Arrive:
    """The first socket of a seat has opened."""

    seat: int


@dataclass(frozen=True, slots=True)
class Leave:
    """The last socket of a seat has closed."""

    seat: int


@dataclass(frozen=True, slots=True)
class CreditOutage:
    """The service was down for `ms` until now (R5.4)."""

    ms: int


Command = (
    CommitSecret
    | Confirm
    | PlayGuess
    | Resign
    | Settle
    | Adjudicate
    | OfferRematch
    | Say
    | Arrive
    | Leave
    | CreditOutage
)


# What has happened: past tense, each with its instant `at` in ms.


@dataclass(frozen=True, slots=True)
class Limits:
    """The site's own times (ms): grace, choosing (confirm start), confirming."""

    grace_ms: int
    choose_ms: int
    confirm_ms: int


@dataclass(frozen=True, slots=True)
class Created:
    """`present` names seats always connected: the site's own bots (R5.3). A `single` match has no rematch (R5.6)."""

    terms: Terms
    limits: Limits
    first: int
    at: int
    present: tuple[bool, bool] = (False, False)
    single: bool = False


@dataclass(frozen=True, slots=True)
class SecretCommitted:
    seat: int
    code: str
    salt: bytes
    at: int


@dataclass(frozen=True, slots=True)
class Confirmed:
    seat: int
    at: int


@dataclass(frozen=True, slots=True)
class Started:
    at: int


@dataclass(frozen=True, slots=True)
class GuessMarked:
    seat: int
    code: str
    marks: str
    at: int


@dataclass(frozen=True, slots=True)
class Ended:
    outcome: Outcome
    winner: int | None
    reason: Reason
    at: int


@dataclass(frozen=True, slots=True)
class RematchOffered:
    seat: int
    at: int


@dataclass(frozen=True, slots=True)
class RematchMade:
    seat: int
    match: str
    at: int


@dataclass(frozen=True, slots=True)
class Said:
    seat: int
    phrase: int
    at: int


@dataclass(frozen=True, slots=True)
class Arrived:
    seat: int
    at: int


@dataclass(frozen=True, slots=True)
class Left:
    seat: int
    at: int


@dataclass(frozen=True, slots=True)
class OutageCredited:
    ms: int
    at: int


Moving = Created | SecretCommitted | Confirmed | Started | GuessMarked | Ended | RematchOffered | RematchMade
Numbered = Moving | Said
"""Events of the match itself: they carry the version and are told in order."""

Passing = Arrived | Left | OutageCredited
"""Events around the match: who is there, time given back. They have no version."""

Event = Numbered | Passing


@dataclass(frozen=True, slots=True)
class Guess:
    code: str
    marks: str
    at: int


@dataclass(frozen=True, slots=True)
class Seat:
    """`seen_at` is the last sign of life; it counts only while the seat is not connected (R5.3).

    `said` counts phrases since something else happened in the match.
    """

    seen_at: int
    connected: bool
    code: str | None = None
    salt: bytes | None = None
    confirmed: bool = False
    guesses: tuple[Guess, ...] = ()
    said: int = 0

    @property
    def ready(self) -> bool:
        return self.code is not None


@dataclass(frozen=True, slots=True)
class Result:
    outcome: Outcome
    winner: int | None
    reason: Reason
    at: int


@dataclass(frozen=True, slots=True)
class Rematch:
    offered_by: int
    match: str | None


@dataclass(frozen=True, slots=True)
class State:
    """`until` is when choosing or confirming ends (confirm start); `at` is the instant of
    the last numbered event, or of the last outage given back."""

    terms: Terms
    limits: Limits
    first: int
    version: int
    status: Status
    turn: int | None
    clocks: Clocks
    seats: tuple[Seat, Seat]
    until: int | None
    result: Result | None
    rematch: Rematch | None
    at: int
    single: bool = False

    @property
    def moves(self) -> int:
        """Guesses made in the match by both."""
        return sum(len(seat.guesses) for seat in self.seats)


@dataclass(frozen=True, slots=True)
class Step:
    """What one command led to: the state after, the events to keep, and the refusal if it was refused.

    `settled` is what was due before the command came, which stands even where the command is refused;
    `decided` is what the command itself brought.
    """

    state: State
    settled: tuple[Event, ...]
    decided: tuple[Event, ...]
    refusal: Refusal | None

    @property
    def events(self) -> tuple[Event, ...]:
        return self.settled + self.decided


def step(state: State, command: Command, now: int) -> Step:
    """Settle what fell due before `now`, then decide `command`. A clock set back never turns time back."""
    now = max(now, state.at)
    # An outage is given back before anything that fell due in it is settled (R5.4).
    up_to = now - command.ms if isinstance(command, CreditOutage) else now
    due = due_event(state)
    settled: tuple[Event, ...] = (due,) if due is not None and due.at <= up_to else ()
    state = fold(state, settled)
    try:
        decided = decide(state, command, now)
    except Refused as refused:
        return Step(state, settled, (), refused.refusal)
    return Step(fold(state, decided), settled, decided, None)


def decide(state: State, command: Command, now: int) -> tuple[Event, ...]:
    """The events that `command` leads to at `now`, nothing being due. Raises `Refused`."""
    match command:
        case CommitSecret():
            return _commit(state, command, now)
        case Confirm(seat):
            return _confirm(state, seat, now)
        case PlayGuess():
            return _guess(state, command, now)
        case Resign(seat):
            _still_on(state)
            return (Ended("win", other(seat), Reason.RESIGNED, now),)
        case Settle():
            return ()
        case Adjudicate(winner):
            _still_on(state)
            return (Ended("void" if winner is None else "win", winner, Reason.ADJUDICATED, now),)
        case OfferRematch():
            return _rematch(state, command, now)
        case Say(seat, phrase):
            if phrase not in PHRASES:
                raise Refused(Refusal.INVALID)
            if state.seats[seat].said >= AT_A_STRETCH:
                raise Refused(Refusal.TOO_MANY)
            return (Said(seat, phrase, now),)
        case Arrive(seat):
            return () if state.seats[seat].connected else (Arrived(seat, now),)
        case Leave(seat):
            return (Left(seat, now),) if state.seats[seat].connected else ()
        case CreditOutage(ms):
            return () if state.status is Status.OVER else (OutageCredited(ms, now),)
        case _:
            assert_never(command)


def _commit(state: State, command: CommitSecret, now: int) -> tuple[Event, ...]:
    _still_on(state)
    if state.seats[command.seat].ready:
        raise Refused(Refusal.ALREADY_READY)
    if not state.terms.admits_secret(command.code):
        raise Refused(Refusal.BAD_CODE)
    committed = SecretCommitted(command.seat, command.code, command.salt, now)
    if state.terms.start is Start.READY and state.seats[other(command.seat)].ready:
        return (committed, Started(now))
    return (committed,)


def _confirm(state: State, seat: int, now: int) -> tuple[Event, ...]:
    _still_on(state)
    if state.terms.start is not Start.CONFIRM or state.status is Status.CHOOSING:
        raise Refused(Refusal.NOT_PLAYING)
    if state.seats[seat].confirmed:
        raise Refused(Refusal.ALREADY_READY)
    confirmed = Confirmed(seat, now)
    return (confirmed, Started(now)) if state.seats[other(seat)].confirmed else (confirmed,)


def _guess(state: State, command: PlayGuess, now: int) -> tuple[Event, ...]:
    _still_on(state)
    if state.status is not Status.PLAYING:
        raise Refused(Refusal.NOT_PLAYING)
    mine, secret = state.seats[command.seat], state.seats[other(command.seat)].code
    if state.turn != command.seat or command.n not in (None, len(mine.guesses) + 1):
        raise Refused(Refusal.OUT_OF_TURN)
    if not state.terms.admits_guess(command.code):
        raise Refused(Refusal.BAD_CODE)
    assert secret is not None  # play starts once both have committed
    marked = GuessMarked(command.seat, command.code, mark(secret, command.code), now)
    if command.code == secret:
        return (marked, Ended("win", command.seat, Reason.BROKEN, now))
    return (marked,)


def _rematch(state: State, command: OfferRematch, now: int) -> tuple[Event, ...]:
    if state.status is not Status.OVER:
        raise Refused(Refusal.NOT_OVER)
    if state.single:
        raise Refused(Refusal.CLOSED)
    if state.rematch is None:
        return (RematchOffered(command.seat, now),)
    if state.rematch.match is not None or state.rematch.offered_by == command.seat:
        return ()
    return (RematchMade(command.seat, command.match, now),)


def _still_on(state: State) -> None:
    if state.status is Status.OVER:
        raise Refused(Refusal.MATCH_OVER)


def due_event(state: State) -> Ended | None:
    """How and when the match ends if nobody does anything more; None if it would not.

    At one instant time goes before absence: a flag that has fallen needs no second reason.
    """
    ends = [end for end in (_confirm_end(state), _flag_end(state), _grace_end(state)) if end is not None]
    return min(ends, key=lambda end: end.at, default=None)


def _confirm_end(state: State) -> Ended | None:
    if state.until is None:
        return None
    return Ended("void", None, Reason.UNCONFIRMED, state.until)


def _flag_end(state: State) -> Ended | None:
    falls = {seat: at for seat in SEATS if (at := state.clocks.falls_at(seat)) is not None}
    if not falls:
        return None
    if len(falls) == len(SEATS):  # both choose: one that falls first is not decided until the other has (R5)
        return Ended(state.terms.never_started, None, Reason.UNPLAYED, max(falls.values()))
    ((loser, at),) = falls.items()
    return Ended("win", other(loser), Reason.TIME, at)


def _grace_end(state: State) -> Ended | None:
    ends = {seat: at for seat in SEATS if (at := forfeits_at(state, seat)) is not None}
    if not ends:
        return None
    at = min(ends.values())
    if len(ends) == len(SEATS) and not any(seat.ready for seat in state.seats):
        return Ended(state.terms.never_started, None, Reason.UNPLAYED, at)
    gone = [seat for seat, end in ends.items() if end == at]
    loser = next((seat for seat in gone if state.clocks.running[seat]), gone[0])
    return Ended("win", other(loser), Reason.FORFEIT, at)


def forfeits_at(state: State, seat: int) -> int | None:
    """When the grace of `seat` ends (ms); None while it is connected, or where the terms know no grace."""
    away = not state.seats[seat].connected
    if away and state.terms.grace and state.status is not Status.OVER:
        return state.seats[seat].seen_at + state.limits.grace_ms
    return None


def create(created: Created) -> State:
    """The state that a match begins in: version 1."""
    terms, at = created.terms, created.at
    choosing = terms.start is Start.CONFIRM
    first, second = (Seat(seen_at=at, connected=present) for present in created.present)
    return State(
        terms=terms,
        limits=created.limits,
        first=created.first,
        version=1,
        status=Status.CHOOSING,
        turn=None,
        clocks=Clocks((terms.clock.ms, terms.clock.ms), (not choosing, not choosing), at),
        seats=(first, second),
        until=at + created.limits.choose_ms if choosing else None,
        result=None,
        rematch=None,
        at=at,
        single=created.single,
    )


def trail(state: State, events: Iterable[Event]) -> Iterator[tuple[Event, State]]:
    """Each of `events`, which happened one after the other from `state` on, with the state right after it."""
    for event in events:
        state = apply(state, event)
        yield event, state


def fold(state: State, events: Iterable[Event]) -> State:
    for _, after in trail(state, events):
        state = after
    return state


def replay(events: Iterable[Event]) -> State:
    """The state after `events`, the first of which is `Created`."""
    created, *rest = events
    assert isinstance(created, Created)
    return fold(create(created), rest)


def apply(state: State, event: Event) -> State:
    """`state` after `event`. Events are facts: nothing is checked again."""
    match event:
        case Arrived(seat, at):
            return _with_seat(state, seat, replace(state.seats[seat], connected=True, seen_at=at))
        case Left(seat, at):
            return _with_seat(state, seat, replace(state.seats[seat], connected=False, seen_at=at))
        case OutageCredited(ms, at):
            return _credit(state, ms, at)
        case Said(seat, _, at):
            told = replace(state.seats[seat], said=state.seats[seat].said + 1, seen_at=at)
            return replace(_with_seat(state, seat, told), version=state.version + 1, at=at)
        case _:
            first, second = (replace(seat, said=0) for seat in state.seats)
            moved = _apply_numbered(replace(state, seats=(first, second)), event)
            return replace(moved, version=state.version + 1, at=event.at)


def _apply_numbered(state: State, event: Moving) -> State:
    match event:
        case Created():
            return create(event)
        case SecretCommitted(seat, code, salt, at):
            committed = replace(state.seats[seat], code=code, salt=salt, seen_at=at)
            return _after_commit(_with_seat(state, seat, committed), at)
        case Confirmed(seat, at):
            return _with_seat(state, seat, replace(state.seats[seat], confirmed=True, seen_at=at))
        case Started(at):
            return _pass_to(replace(state, status=Status.PLAYING, until=None), state.first, at)
        case GuessMarked(seat, code, marks, at):
            guesses = (*state.seats[seat].guesses, Guess(code, marks, at))
            guessed = replace(state.seats[seat], guesses=guesses, seen_at=at)
            return _pass_to(_with_seat(state, seat, guessed), other(seat), at)
        case Ended(outcome, winner, reason, at):
            return replace(
                state,
                status=Status.OVER,
                turn=None,
                until=None,
                clocks=state.clocks.run((False, False), at),
                result=Result(outcome, winner, reason, at),
            )
        case RematchOffered(seat, at):
            return _seen(replace(state, rematch=Rematch(seat, None)), seat, at)
        case RematchMade(seat, new, at):
            assert state.rematch is not None  # made from an offer
            return _seen(replace(state, rematch=replace(state.rematch, match=new)), seat, at)
        case _:
            assert_never(event)


def _after_commit(state: State, at: int) -> State:
    first, second = (seat.ready for seat in state.seats)
    if state.terms.start is Start.READY:
        return replace(state, clocks=state.clocks.run((not first, not second), at))
    if first and second:
        return replace(state, status=Status.CONFIRMING, until=at + state.limits.confirm_ms)
    return state


def _pass_to(state: State, seat: int, at: int) -> State:
    clocks = state.clocks.run((seat == 0, seat == 1), at)
    if state.terms.clock.kind is ClockKind.MOVE:
        for each in SEATS:
            clocks = clocks.refill(each, state.terms.clock.ms)
    return replace(state, turn=seat, clocks=clocks)


def _credit(state: State, ms: int, at: int) -> State:
    """Give the outage back: to what runs, to what counts down, and to every absent seat a full grace (R5.4).

    Only what lies after the last event, which proves that somebody could commit then.
    """
    ms = min(ms, at - state.at)
    first, second = (seat if seat.connected else replace(seat, seen_at=at) for seat in state.seats)
    until = None if state.until is None else state.until + ms
    return replace(state, clocks=state.clocks.spare(ms), until=until, seats=(first, second), at=at)


def _seen(state: State, seat: int, at: int) -> State:
    return _with_seat(state, seat, replace(state.seats[seat], seen_at=at))


def _with_seat(state: State, seat: int, changed: Seat) -> State:
    first, second = state.seats
    return replace(state, seats=(changed, second) if seat == 0 else (first, changed))


def other(seat: int) -> int:
    return 1 - seat
