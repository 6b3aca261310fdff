"""How a command of ours ends: the first signal in order, the second at once."""

import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

# A terminal's Ctrl-C and a supervisor's TERM may reach us twice, directly and through make.
SAME_SIGNAL_SECONDS = 0.5


class Stopping:
    """Listens for TERM and INT. `begin` is called once on the first; until it is set, that ends the process."""

    def __init__(self) -> None:
        self.begin: Callable[[], None] | None = None
        self.asked_at: float | None = None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._asked)

    @property
    def asked(self) -> bool:
        return self.asked_at is not None

    def _asked(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self.asked_at is not None:
            if now - self.asked_at > SAME_SIGNAL_SECONDS:
                os._exit(1)
            return
        self.asked_at = now
        if self.begin is None:
            sys.exit(0)
        self.begin()


def leave() -> NoReturn:
    """End this process now that all is done. Python would wait for its threads, and one that was still at a request
    when the time for goodbyes was up waits without end for a loop that runs no more."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
