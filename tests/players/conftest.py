"""What tests of players share: sockets of every kind, by their addresses."""

from collections.abc import Callable, Iterator

import pytest

from tests.builders import in_english
from tests.matches.conftest import Lossy, fresh_process, heart, loop, lossy
from tests.matches.lines import Line, Loop

__all__ = ["Lossy", "fresh_process", "heart", "in_english", "loop", "lossy"]

Dial = Callable[[str, dict[str, str]], Line]


@pytest.fixture
def dial(loop: Loop, heart: None) -> Iterator[Dial]:
    """Opens a socket: `dial(path, headers)`."""
    lines: list[Line] = []

    def dial(path: str, headers: dict[str, str]) -> Line:
        line = Line(loop, path, headers)
        assert line.open
        lines.append(line)
        return line

    yield dial
    for line in lines:
        line.close()
