"""What the lobby hears of matches. Heard twice, late or never: `services.sweep` makes whole."""

from typing import Any

from lobby import services


def match_was_made(match_id: str, **_: Any) -> None:
    services.entered(match_id)
