"""What tests of the lobby share: sockets on the real application, as those of matches have them."""

from collections.abc import Callable, Iterator

import pytest

from lobby import consumers
from players.models import User
from tests.builders import in_english
from tests.matches.conftest import Lossy, fresh_process, heart, loop, lossy
from tests.matches.lines import Line, Loop, by_cookie, by_token, until_ended

__all__ = ["Lossy", "fresh_process", "heart", "in_english", "loop", "lossy"]

Dial = Callable[..., Line]


@pytest.fixture
def dial(loop: Loop, heart: None) -> Iterator[Dial]:
    """Opens a socket of the lobby: `dial(user)` by token, `dial(user, page=True, query="seeks=1")` by cookie."""
    lines: list[Line] = []

    def dial(
        user: User | None = None,
        *,
        headers: dict[str, str] | None = None,
        page: bool = False,
        query: str = "",
    ) -> Line:
        if headers is None:
            headers = by_cookie(user) if page or user is None else by_token(user)
        line = Line(loop, f"/ws/{'' if page else 'v1/'}lobby/{query and '?'}{query}", headers)
        lines.append(line)
        return line

    yield dial
    for line in lines:
        line.close()
    until_ended(consumers.watch)
