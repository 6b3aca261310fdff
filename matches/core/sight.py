"""Who may see what. The only place that turns a match into what a given viewer is shown (R4.8, R3.4, R5.5).

A secret, a salt or a place that is not in what `see` and `tell` answer cannot leave the server.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from matches.core.clock import Pair
from matches.core.machine import (
    SEATS,
    Confirmed,
    Created,
    Ended,
    Event,
    Guess,
    GuessMarked,
    Numbered,
    RematchMade,
    RematchOffered,
    Said,
    Seat,
    SecretCommitted,
    Started,
    State,
    Status,
    forfeits_at,
    replay,
    trail,
)
from matches.core.marking import totals
from matches.core.terms import Feedback, Terms

SPECTATOR = None
"""The viewer that holds no seat."""


@dataclass(frozen=True, slots=True)
class GuessSight:
    """`marks` is None under totals (R3.4)."""

    n: int
    code: str
    marks: str | None
    exact: int
    present: int
    at: int


@dataclass(frozen=True, slots=True)
class SeatSight:
    ready: bool
    confirmed: bool
    connected: bool
    forfeits_at: int | None
    clock_ms: int
    running: bool
    commitment: str | None
    salt: str | None
    secret: str | None
    guesses: tuple[GuessSight, ...]


@dataclass(frozen=True, slots=True)
class ResultSight:
    outcome: str
    winner: int | None
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class Sight:
    """A match as one viewer may see it at `server_time` (ms)."""

    version: int
    status: str
    terms: Terms
    you: int | None
    first: int
    turn: int | None
    server_time: int
    until: int | None
    seats: tuple[SeatSight, SeatSight]
    result: ResultSight | None
    offered_by: int | None
    rematch: str | None


def see(state: State, viewer: int | None, now: int) -> Sight:
    """What `viewer`, a seat or None for a spectator, may see of the match at `now`."""
    now = max(now, state.at)
    first, second = (_seat(state, seat, viewer, now) for seat in SEATS)
    result = state.result
    return Sight(
        version=state.version,
        status=state.status.value,
        terms=state.terms,
        you=viewer,
        first=state.first,
        turn=state.turn,
        server_time=now,
        until=state.until,
        seats=(first, second),
        result=ResultSight(result.outcome, result.winner, result.reason.value, result.at) if result else None,
        offered_by=state.rematch.offered_by if state.rematch else None,
        rematch=state.rematch.match if state.rematch else None,
    )


def _seat(state: State, index: int, viewer: int | None, now: int) -> SeatSight:
    seat, over = state.seats[index], state.status is Status.OVER
    return SeatSight(
        ready=seat.ready,
        confirmed=seat.confirmed,
        connected=seat.connected,
        forfeits_at=forfeits_at(state, index),
        clock_ms=state.clocks.left_at(now)[index],
        running=state.clocks.running[index],
        commitment=commitment(seat),
        salt=seat.salt.hex() if over and seat.salt is not None else None,
        secret=seat.code if over or viewer == index else None,
        guesses=tuple(see_guess(state.terms, n, guess) for n, guess in enumerate(seat.guesses, start=1)),
    )


def see_guess(terms: Terms, n: int, guess: Guess) -> GuessSight:
    """The `n`th guess of a board, with its places only where the terms give them."""
    exact, present = totals(guess.marks)
    marks = guess.marks if terms.feedback is Feedback.POSITIONS else None
    return GuessSight(n, guess.code, marks, exact, present, guess.at)


def commitment(seat: Seat) -> str | None:
    """SHA-256 of the 16 salt bytes followed by the ASCII code, in hex; None before the seat has committed."""
    if seat.code is None or seat.salt is None:
        return None
    return hashlib.sha256(seat.salt + seat.code.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class Telling:
    """One event as everybody who may see the match is told it, with the clocks right after it."""

    version: int
    kind: str
    fields: dict[str, object]
    clocks: Pair
    turn: int | None
    at: int


def narrate(state: State, events: Iterable[Event]) -> Iterator[Telling]:
    """What is told of `events`, which happened one after the other from `state` on."""
    for event, after in trail(state, events):
        telling = tell(after, event)
        if telling is not None:
            yield telling


def tell(after: State, event: Event) -> Telling | None:
    """What is told of `event`, `after` being the state it led to; None for what is not told as an event.

    The same for every viewer: secrets are told only by the end, which reveals them to all.
    """
    match event:
        case SecretCommitted(seat):
            return _telling(after, "ready", {"seat": seat, "commitment": commitment(after.seats[seat])})
        case Confirmed(seat):
            return _telling(after, "confirmed", {"seat": seat})
        case Started():
            return _telling(after, "started", {})
        case GuessMarked(seat):
            guesses = after.seats[seat].guesses
            guess = see_guess(after.terms, len(guesses), guesses[-1])
            return _telling(after, "guess", {"seat": seat, "guess": guess, "move": after.moves - 1})
        case Ended():
            seen = see(after, SPECTATOR, after.at)
            secrets, salts = [seat.secret for seat in seen.seats], [seat.salt for seat in seen.seats]
            return _telling(after, "over", {"result": seen.result, "secrets": secrets, "salts": salts})
        case RematchOffered() | RematchMade():
            assert after.rematch is not None  # both events leave one
            offer = {"offered_by": after.rematch.offered_by, "match": after.rematch.match}
            return _telling(after, "rematch", {"rematch": offer})
        case Said(seat, phrase):
            return _telling(after, "said", {"seat": seat, "phrase": phrase})
        case _:
            return None


def _telling(after: State, kind: str, fields: dict[str, object]) -> Telling:
    return Telling(after.version, kind, fields, after.clocks.left_at(after.at), after.turn, after.at)


@dataclass(frozen=True, slots=True)
class Moment:
    """A finished match as it stood right after one of its events.

    `kind` is what the event is told as, `created` for the first, and `seat` whose it was; `steps` are the versions
    that can be looked back on.
    """

    kind: str
    seat: int | None
    sight: Sight
    steps: tuple[int, ...]


_STEPS = (Created, SecretCommitted, Confirmed, Started, GuessMarked, Ended)
"""What makes a match: talk, and what comes after the end, are no step of it."""


def look_back(events: Sequence[tuple[Numbered, Pair]], version: int, viewer: int | None) -> Moment | None:
    """How a match stood right after event `version`, with the numbers that were chosen by then (R5.5).

    `events` are all of the match, each with the clocks right after it. None for what was no step of it, and for all
    of a match that is not over.
    """
    steps = tuple(n for n, (event, _) in enumerate(events, start=1) if isinstance(event, _STEPS))
    if version not in steps or not any(isinstance(event, Ended) for event, _ in events):
        return None
    event, clocks = events[version - 1]
    state = replay(event for event, _ in events[:version])
    seen = see(state, viewer, state.at)
    first, second = (
        replace(seat, secret=known.code, clock_ms=left, forfeits_at=None)
        for seat, known, left in zip(seen.seats, state.seats, clocks, strict=True)
    )
    told = tell(state, event)
    return Moment(
        kind=told.kind if told else "created",
        seat=getattr(event, "seat", None),
        sight=replace(seen, seats=(first, second)),
        steps=steps,
    )
