"""What bots hear of matches. Heard twice, late or never: `services.mend` makes whole, and who asks for an analysis."""

from typing import Any

from bots import analyses, services
from matches.core.machine import State


def match_has_moved(match_id: str, state: State, **_: Any) -> None:
    services.hear(match_id, state)
    analyses.hear(match_id, state)
