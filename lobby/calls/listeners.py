"""What calls hear of matches. Heard twice, late or never: `services.sweep` makes whole."""

from typing import Any

from lobby.calls import services, tasks
from matches.core.machine import State

_LATE_SECONDS = 600
"""A call that nobody sent for so long is the sweep's."""


def match_has_moved(match_id: str, state: State, **_: Any) -> None:
    """Sent by a worker: a push service may take its time, and whoever moved is waiting."""
    if services.absent_mover(state) is not None:
        tasks.call.apply_async((match_id,), expires=_LATE_SECONDS, retry=False)
