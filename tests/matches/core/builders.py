"""Small matches to test the core with. Instants are ms after the match was created, to be read at sight."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from matches.core.machine import (
    SEATS,
    Arrive,
    Command,
    CommitSecret,
    Confirm,
    Created,
    Event,
    Limits,
    OfferRematch,
    PlayGuess,
    Refusal,
    Resign,
    Result,
    Settle,
    State,
    Step,
    create,
    due_event,
    forfeits_at,
    replay,
    step,
    trail,
)
from matches.core.sight import SPECTATOR, Sight, see
from matches.core.terms import PRESETS, ClockKind, Start, Terms, agree

S = 1_000
MIN = 60 * S
HOUR = 60 * MIN
EPOCH = 1_790_000_000 * S
"""When every match of these tests is created."""

MENUS: Mapping[ClockKind, tuple[int, ...]] = {
    ClockKind.BUDGET: (60, 180, 300, 600, 900, 1800),
    ClockKind.MOVE: (60, 120, 300, 3600),
}
"""The clocks of the table in the rules."""

BUDGET, MOVE = 5 * MIN, 2 * MIN
GRACE, CHOOSE, CONFIRM = MIN, 5 * MIN, 30 * S
LIMITS = Limits(grace_ms=GRACE, choose_ms=CHOOSE, confirm_ms=CONFIRM)

PRESET_NAMES = tuple(PRESETS)
WITH_GRACE = ("duel", "probe")
SALTS = (bytes(range(0xC0, 0xD0)), bytes(range(0xE0, 0xF0)))
HERE, AWAY = (True, True), (False, False)

NOT_CODES = (
    *("", "123", "12345", "1" * 10_000_000, "12\x00", "1234\x00", "\x001234", "12\x004"),  # lengths, NUL
    *("²234", "①234", "١٢٣٤", "１２３４", "०१२३", "\U0001d7cf234", "12٣4", "123½"),  # other digits (D4)
    *(" 1234", "1234 ", "12 34", "12 4", "1234\n", "123\n", "\t234", "12\u200b3", "1\u20283", "    "),
    *("+123", "-123", "+1234", "12.4", "1,23", "1e10", "0x12", "1_00", "12a4", "abcd", "NaN"),  # signs, words
    *(1234, 1234.0, True, None, b"1234", bytearray(b"1234"), ["1", "2", "3", "4"], ("1", "2", "3", "4")),
    *({"1", "2", "3", "4"}, {"1": 1, "2": 2, "3": 3, "4": 4}, range(4)),
)
"""What R1.2 and D4 name, where codes have four digits: none of these is one."""


def named(value: object) -> str:
    """A short ASCII name for a parametrized case, the same in every process."""
    return ascii(sorted(value) if isinstance(value, set) else value)[:24]


def terms_of(preset: str, **asked: object) -> Terms:
    return agree({"preset": preset, **asked}, MENUS)


def secret_of(seat: int, length: int) -> str:
    """Digits all different, so lawful under every terms, and one with a leading zero."""
    return ("90718", "03165")[seat][:length]


def wrong(length: int) -> str:
    """A lawful guess under every terms that breaks neither secret."""
    return "24680"[:length]


class Match:
    """A match under way: commands go in by `do` and `refused`, whatever comes out is kept."""

    def __init__(
        self,
        preset: str = "duel",
        *,
        first: int = 0,
        connected: tuple[bool, bool] = HERE,
        bots: tuple[bool, bool] = (False, False),
        limits: Limits = LIMITS,
        terms: Terms | None = None,
        **asked: object,
    ) -> None:
        created = Created(terms or terms_of(preset, **asked), limits, first, EPOCH, bots)
        self.events: list[Event] = [created]
        self.state: State = create(created)
        for seat in SEATS:
            if connected[seat]:
                self.do(Arrive(seat))

    def step(self, command: Command, at: int) -> Step:
        taken = step(self.state, command, EPOCH + at)
        self.state = taken.state
        self.events += taken.events
        return taken

    def do(self, command: Command, at: int = 0) -> tuple[Event, ...]:
        """The events of a command that is not refused."""
        taken = self.step(command, at)
        assert taken.refusal is None
        return taken.events

    def refused(self, command: Command, at: int = 0) -> Refusal | None:
        return self.step(command, at).refusal

    def commit(self, seat: int, at: int = 0, code: str | None = None) -> None:
        self.do(CommitSecret(seat, code or self.secret(seat), SALTS[seat]), at)

    def commit_both(self, at: int = 0) -> "Match":
        self.commit(0, at)
        self.commit(1, at)
        return self

    def guess(self, seat: int, at: int = 0, code: str | None = None) -> None:
        self.do(PlayGuess(seat, code or wrong(self.state.terms.length)), at)

    def settle(self, at: int) -> tuple[Event, ...]:
        return self.do(Settle(), at)

    def secret(self, seat: int) -> str:
        return secret_of(seat, self.state.terms.length)

    def left(self, at: int) -> tuple[int, int]:
        return self.state.clocks.left_at(EPOCH + at)

    def sight(self, viewer: int | None = SPECTATOR, at: int = 0) -> Sight:
        return see(self.state, viewer, EPOCH + at)

    def told(self) -> Iterator[tuple[State, Event]]:
        return told(self.events)

    @property
    def turn(self) -> int | None:
        return self.state.turn

    @property
    def due(self) -> int | None:
        """The next instant at which something must be decided."""
        ended = due_event(self.state)
        return ended.at - EPOCH if ended else None

    @property
    def ending(self) -> tuple[str, int | None, str, int] | None:
        """Outcome, winner, reason, instant; None while the match goes on."""
        match self.state.result:
            case Result(outcome, winner, reason, at):
                return outcome, winner, reason.value, at - EPOCH
        return None

    def forfeits(self, seat: int) -> int | None:
        at = forfeits_at(self.state, seat)
        return at if at is None else at - EPOCH


def told(events: Sequence[Event]) -> Iterator[tuple[State, Event]]:
    """Every event after the creation, with the state it led to."""
    return ((state, event) for event, state in trail(replay(events[:1]), events[1:]))


def alike(sight: Sight) -> Sight:
    """What of a sight does not depend on who looks."""
    first, second = (replace(seat, secret=None) for seat in sight.seats)
    return replace(sight, you=None, seats=(first, second))


def playing(preset: str = "duel", **kwargs) -> Match:
    """Both have committed (and confirmed) at 0; the first mover's clock runs."""
    match = Match(preset, **kwargs).commit_both()
    if match.state.terms.start is Start.CONFIRM:
        match.do(Confirm(0))
        match.do(Confirm(1))
    assert match.state.status == "playing"
    return match


def over(preset: str = "duel", **kwargs) -> Match:
    """Seat 0 has resigned at 0."""
    match = playing(preset, **kwargs)
    match.do(Resign(0))
    return match


def offer(seat: int, new: str = "k3v9x2qa") -> OfferRematch:
    return OfferRematch(seat, new)
