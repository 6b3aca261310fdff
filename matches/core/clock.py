"""Two countdowns, milliseconds. Time is handed in; what is left is subtracted from, never counted down."""

from dataclasses import dataclass, replace

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Clocks:
    """What each seat had left (ms) at the instant `at` (ms since the epoch), and which of the two run."""

    left: Pair
    running: tuple[bool, bool]
    at: int

    def left_at(self, now: int) -> Pair:
        """Milliseconds each seat has left at `now`: never under zero, never more than at `at` (R4.6)."""
        passed = max(0, now - self.at)
        first, second = (
            max(0, left - passed) if runs else left
            for left, runs in zip(self.left, self.running, strict=True)
        )
        return first, second

    def falls_at(self, seat: int) -> int | None:
        """The instant the flag of `seat` falls if nothing happens before; None while its clock stands."""
        return self.at + self.left[seat] if self.running[seat] else None

    def run(self, running: tuple[bool, bool], now: int) -> "Clocks":
        """Charge what has passed, then let exactly `running` go on."""
        return Clocks(self.left_at(now), running, max(now, self.at))

    def refill(self, seat: int, ms: int) -> "Clocks":
        """Give `seat` a full move again (R4.5, clock per move)."""
        return replace(self, left=_with(self.left, seat, ms))

    def spare(self, ms: int) -> "Clocks":
        """Take `ms`, which have passed since, out of the time charged to whatever runs (R5.4)."""
        return replace(self, at=self.at + ms)


def _with(pair: Pair, seat: int, value: int) -> Pair:
    return (value, pair[1]) if seat == 0 else (pair[0], value)
