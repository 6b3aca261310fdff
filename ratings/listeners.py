"""What ratings hear of matches. Heard twice, late or never: `services.count_pending` makes whole."""

from typing import Any

from matches.core.machine import State, Status
from ratings import services


def match_has_moved(match_id: str, state: State, **_: Any) -> None:
    if state.status is Status.OVER:
        services.count(match_id)
