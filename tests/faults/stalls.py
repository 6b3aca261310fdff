"""How long this machine lets nobody go on. What a test of seconds waits for that is not the site's own slowness."""

import threading
import time
from collections import deque

BEAT_SECONDS = 0.05
HOPS = 10
"""What a player is told has been through so many processes and threads, each of which may have had to wait its turn."""
REMEMBERED_SECONDS = 60
MOST_MS = 3000
"""However busy the machine: with more allowed, what is asserted would say nothing."""


class Metronome(threading.Thread):
    """Wants to run twenty times a second, and notes by how much it could not."""

    def __init__(self) -> None:
        super().__init__(name="Metronome", daemon=True)
        self.late: deque[float] = deque([0.0], maxlen=int(REMEMBERED_SECONDS / BEAT_SECONDS))
        self.ended = threading.Event()

    def run(self) -> None:
        before = time.monotonic()
        while not self.ended.wait(BEAT_SECONDS):
            now = time.monotonic()
            self.late.append(now - before - BEAT_SECONDS)
            before = now


_metronome = Metronome()


def begin() -> None:
    _metronome.start()


def slack_ms() -> int:
    """What must be allowed beyond every figure that a rule names: next to nothing where nobody else is at work."""
    return min(MOST_MS, int(HOPS * max(list(_metronome.late)) * 1000))
