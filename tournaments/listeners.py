"""What tournaments hear of matches. Heard twice, late or never: `services.sweep` makes whole."""

from matches.core.machine import State
from tournaments import services


def match_has_moved(match_id: str, state: State, **_: object) -> None:
    services.match_moved(match_id, state)
