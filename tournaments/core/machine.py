"""A tournament as a state machine: commands in, events out, state folded from events (R8).

Knows entrants by number, and of a match only how it ended. Time (ms) and chance (a seed) are handed in. `step` is the
whole of it: what was decided, and what follows from it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import Literal, assert_never

FEWEST = 2


class Status(StrEnum):
    OPEN = "open"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


class Why(StrEnum):
    """Why a tournament was cancelled, or why it ended without a champion."""

    TOO_FEW = "too_few"
    CALLED_OFF = "called_off"
    NO_SHOW = "no_show"
    UNDECIDED = "undecided"
    WITHDRAWN = "withdrawn"
    NOBODY_LEFT = "nobody_left"  # not for one of these reasons alone


class Refusal(StrEnum):
    """Why a command changed nothing. The words are those of the public interface."""

    CLOSED = "closed"
    FULL = "full"
    TOO_FEW = "too_few"


class Refused(Exception):
    """A command that may not be: nothing has changed."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal


class Fall(StrEnum):
    """How an entrant went out."""

    LOST = "lost"
    BOT_WON = "bot_won"
    NO_SHOW = "no_show"
    UNDECIDED = "undecided"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a match ended. `showed` says of each seat whether it did what its start asked: chose, confirmed."""

    outcome: Literal["win", "void", "draw"]
    winner: int | None
    showed: tuple[bool, bool] = (True, True)
    by_moderator: bool = False


# What is asked for: imperative.


@dataclass(frozen=True, slots=True)
class Enter:
    entrant: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Before the start an entrant is forgotten; later it loses its match and is out (R8.4)."""

    entrant: int


@dataclass(frozen=True, slots=True)
class Reschedule:
    """Another start, another maximum."""

    starts_at: int
    maximum: int


@dataclass(frozen=True, slots=True)
class CallOff:
    """Cancel it, before the start."""


@dataclass(frozen=True, slots=True)
class Start:
    """Now, whatever the time: with too few entrants that is refused before the hour, and the end of it at the hour."""

    seed: int


@dataclass(frozen=True, slots=True)
class DrawRound:
    """Pair those still in, if it is time."""

    seed: int


@dataclass(frozen=True, slots=True)
class TakeEnding:
    """The match of a pairing of the current round has ended, at `at`."""

    pairing: int
    ending: Ending
    at: int


Command = Enter | Leave | Reschedule | CallOff | Start | DrawRound | TakeEnding


# What has happened: past tense.


@dataclass(frozen=True, slots=True)
class Pairing:
    """Who meets whom; `second` is None for the Easy bot. `through` goes on, if anybody does, once it is decided."""

    first: int
    second: int | None
    decided: bool = False
    through: int | None = None

    @property
    def entrants(self) -> tuple[int, ...]:
        return (self.first,) if self.second is None else (self.first, self.second)

    def seat(self, index: int) -> int | None:
        return self.first if index == 0 else self.second


@dataclass(frozen=True, slots=True)
class Entered:
    entrant: int


@dataclass(frozen=True, slots=True)
class Left:
    entrant: int


@dataclass(frozen=True, slots=True)
class Rescheduled:
    starts_at: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Started:
    at: int


@dataclass(frozen=True, slots=True)
class RoundDrawn:
    pairings: tuple[Pairing, ...]
    seed: int
    at: int


@dataclass(frozen=True, slots=True)
class Decided:
    """`through` goes on, everybody else of the pairing is out, by `fall`."""

    pairing: int
    through: int | None
    fall: Fall
    at: int


@dataclass(frozen=True, slots=True)
class ToReplay:
    """A moderator voided the match: the same two need another one."""

    pairing: int


@dataclass(frozen=True, slots=True)
class Withdrawn:
    entrant: int


@dataclass(frozen=True, slots=True)
class Finished:
    champion: int | None
    why: Why | None
    at: int


@dataclass(frozen=True, slots=True)
class Cancelled:
    why: Why
    at: int


Event = (
    Entered
    | Left
    | Rescheduled
    | Started
    | RoundDrawn
    | Decided
    | ToReplay
    | Withdrawn
    | Finished
    | Cancelled
)


@dataclass(frozen=True, slots=True)
class State:
    """`due_at` is the next instant at which it moves on by itself; None while matches are awaited, and once over.

    `fallen` are those out, in no order that means anything.
    """

    starts_at: int
    maximum: int
    pause_ms: int
    due_at: int | None
    status: Status = Status.OPEN
    entrants: tuple[int, ...] = ()
    fallen: tuple[tuple[int, Fall], ...] = ()
    rounds: tuple[tuple[Pairing, ...], ...] = ()
    rests_from: int = 0  # when the last match of the current round ended
    champion: int | None = None
    why: Why | None = None

    @property
    def out(self) -> frozenset[int]:
        return frozenset(entrant for entrant, _ in self.fallen)

    @property
    def alive(self) -> tuple[int, ...]:
        out = self.out
        return tuple(entrant for entrant in self.entrants if entrant not in out)

    @property
    def round(self) -> tuple[Pairing, ...]:
        return self.rounds[-1] if self.rounds else ()

    @property
    def met_bot(self) -> frozenset[int]:
        return frozenset(
            pairing.first for drawn in self.rounds for pairing in drawn if pairing.second is None
        )


def create(starts_at: int, maximum: int, pause_ms: int) -> State:
    return State(starts_at=starts_at, maximum=maximum, pause_ms=pause_ms, due_at=starts_at)


def step(state: State, command: Command, now: int) -> tuple[State, tuple[Event, ...]]:
    """The state after `command`, and the events that led there. Raises `Refused`."""
    decided = decide(state, command, now)
    state = fold(state, decided)
    closing = _close(state, now) if decided else ()
    return fold(state, closing), decided + closing


def decide(state: State, command: Command, now: int) -> tuple[Event, ...]:
    """What `command` leads to by itself. Raises `Refused`."""
    match command:
        case Enter(entrant):
            return _enter(state, entrant)
        case Leave(entrant):
            return _leave(state, entrant, now)
        case Reschedule(starts_at, maximum):
            _still_open(state)
            if len(state.entrants) > maximum:
                raise Refused(Refusal.FULL)
            return (Rescheduled(starts_at, maximum),)
        case CallOff():
            _still_open(state)
            return (Cancelled(Why.CALLED_OFF, now),)
        case Start(seed):
            return _start(state, seed, now)
        case DrawRound(seed):
            due = state.status is Status.RUNNING and state.due_at is not None and state.due_at <= now
            return (_draw(state, seed, now),) if due else ()
        case TakeEnding(pairing, ending, at):
            return _take(state, pairing, ending, at)
        case _:
            assert_never(command)


def _enter(state: State, entrant: int) -> tuple[Event, ...]:
    _still_open(state)
    if entrant in state.entrants:
        return ()
    if len(state.entrants) >= state.maximum:
        raise Refused(Refusal.FULL)
    return (Entered(entrant),)


def _leave(state: State, entrant: int, now: int) -> tuple[Event, ...]:
    if state.status is Status.OPEN:
        return (Left(entrant),) if entrant in state.entrants else ()
    if state.status is not Status.RUNNING:
        raise Refused(Refusal.CLOSED)
    if entrant not in state.alive:
        return ()
    return (Withdrawn(entrant), *_lose_current(state, entrant, now))


def _lose_current(state: State, entrant: int, now: int) -> tuple[Event, ...]:
    """The pairing in which a withdrawn entrant still had to play goes to the other, or, against the bot, to nobody."""
    for index, pairing in enumerate(state.round):
        if entrant in pairing.entrants and not pairing.decided:
            other = next((one for one in pairing.entrants if one != entrant), None)
            return (Decided(index, other, Fall.WITHDRAWN, now),)
    return ()


def _start(state: State, seed: int, now: int) -> tuple[Event, ...]:
    _still_open(state)
    if len(state.entrants) >= FEWEST:
        return (Started(now), _draw(state, seed, now))
    if now < state.starts_at:
        raise Refused(Refusal.TOO_FEW)
    return (Cancelled(Why.TOO_FEW, now),)


def _draw(state: State, seed: int, now: int) -> RoundDrawn:
    """R8.3: pairs at random; one too many meets the bot, who has not met it while any other has not."""
    chance = Random(seed)  # noqa: S311  the seed comes from a cryptographic source
    order = list(state.alive)
    chance.shuffle(order)
    meets_bot: list[Pairing] = []
    if len(order) % 2:
        spared = next((one for one in order if one not in state.met_bot), order[0])
        order.remove(spared)
        meets_bot = [Pairing(spared, None)]
    pairs = [Pairing(first, second) for first, second in zip(order[::2], order[1::2], strict=True)]
    return RoundDrawn((*pairs, *meets_bot), seed, now)


def _take(state: State, index: int, ending: Ending, at: int) -> tuple[Event, ...]:
    """R8.4. An ending that comes twice, or late, changes nothing."""
    if state.status is not Status.RUNNING or state.round[index].decided:
        return ()
    if ending.by_moderator and ending.outcome != "win":
        return (ToReplay(index),)
    pairing = state.round[index]
    seat, fall = _verdict(ending)
    through = None if seat is None else pairing.seat(seat)
    if seat is not None and through is None:
        fall = Fall.BOT_WON
    return (Decided(index, through, fall, at),)


def _verdict(ending: Ending) -> tuple[int | None, Fall]:
    """The seat that goes on, None if neither does, and how the rest falls."""
    if ending.winner is not None:
        return ending.winner, Fall.LOST
    match ending.showed:
        case (True, False):
            return 0, Fall.NO_SHOW
        case (False, True):
            return 1, Fall.NO_SHOW
        case (False, False):
            return None, Fall.NO_SHOW
        case _:
            return None, Fall.UNDECIDED


def _close(state: State, now: int) -> tuple[Event, ...]:
    """R8.5: once nobody has to play any more, the one who is left is champion."""
    if state.status is not Status.RUNNING or not all(pairing.decided for pairing in state.round):
        return ()
    match state.alive:
        case ():
            return (Finished(None, _why_nobody(state), max(now, state.rests_from)),)
        case (champion,):
            return (Finished(champion, None, max(now, state.rests_from)),)
        case _:
            return ()


_WHY = {
    frozenset({Fall.NO_SHOW}): Why.NO_SHOW,
    frozenset({Fall.UNDECIDED}): Why.UNDECIDED,
    frozenset({Fall.WITHDRAWN}): Why.WITHDRAWN,
}


def _why_nobody(state: State) -> Why:
    """What the last ones who could have gone on fell by."""
    last = {entrant for pairing in state.round for entrant in pairing.entrants}
    falls = {fall for entrant, fall in state.fallen if entrant in last and fall is not Fall.LOST}
    return _WHY.get(frozenset(falls), Why.NOBODY_LEFT)


def _still_open(state: State) -> None:
    if state.status is not Status.OPEN:
        raise Refused(Refusal.CLOSED)


def fold(state: State, events: Iterable[Event]) -> State:
    for event in events:
        state = apply(state, event)
    return state


def apply(state: State, event: Event) -> State:
    """`state` after `event`. Events are facts: nothing is checked again."""
    match event:
        case Entered(entrant):
            return replace(state, entrants=(*state.entrants, entrant))
        case Left(entrant):
            return replace(state, entrants=tuple(one for one in state.entrants if one != entrant))
        case Rescheduled(starts_at, maximum):
            return replace(state, starts_at=starts_at, due_at=starts_at, maximum=maximum)
        case Started():
            return replace(state, status=Status.RUNNING, due_at=None)
        case RoundDrawn(pairings, _, at):
            return replace(state, rounds=(*state.rounds, pairings), due_at=None, rests_from=at)
        case Decided():
            return _decided(state, event)
        case ToReplay():
            return state
        case Withdrawn(entrant):
            return _fallen(state, entrant, Fall.WITHDRAWN)
        case Finished(champion, why):
            return replace(state, status=Status.OVER, due_at=None, champion=champion, why=why)
        case Cancelled(why):
            return replace(state, status=Status.CANCELLED, due_at=None, why=why)
        case _:
            assert_never(event)


def _decided(state: State, event: Decided) -> State:
    pairing = replace(state.round[event.pairing], decided=True, through=event.through)
    drawn = tuple(pairing if index == event.pairing else one for index, one in enumerate(state.round))
    rests_from = max(state.rests_from, event.at)
    done = all(one.decided for one in drawn)
    state = replace(
        state,
        rounds=(*state.rounds[:-1], drawn),
        rests_from=rests_from,
        due_at=rests_from + state.pause_ms if done else None,
    )
    for entrant in pairing.entrants:
        if entrant != event.through:
            state = _fallen(state, entrant, event.fall)
    return state


def _fallen(state: State, entrant: int, fall: Fall) -> State:
    return state if entrant in state.out else replace(state, fallen=(*state.fallen, (entrant, fall)))
