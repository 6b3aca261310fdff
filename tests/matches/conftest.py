"""What tests of matches share: sockets, and matches at their stages."""

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from channels_redis.pubsub import RedisPubSubLoopLayer
from django.conf import settings
from django.db import connection

from matches import consumers, uptime
from numbers_site.layer import EmbeddedChannelLayer
from players.models import User
from tests.builders import Duel, in_english
from tests.matches.lines import Line, Loop, by_token

__all__ = ["in_english"]

LAYER: Any = RedisPubSubLoopLayer if settings.REDIS_URL else EmbeddedChannelLayer
"""What really sends: the layer on Redis is one for each loop."""

Dial = Callable[..., Line]
Sent = list[tuple[str, dict[str, Any]]]


@pytest.fixture(scope="session")
def loop() -> Loop:
    return Loop()


@pytest.fixture(autouse=True)
def fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process has learnt of outages it learnt from a database that is no more."""
    monkeypatch.setattr(uptime, "_known", type(uptime._known)())


@pytest.fixture
def heart(transactional_db: None) -> Iterator[None]:
    """A process that serves sockets says each second that it lives: a test that takes longer is no outage (R5.4)."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(0.7):
            uptime.beat()
        connection.close()

    thread = threading.Thread(target=beat, name="Heart")
    thread.start()
    yield
    ended.set()
    thread.join()


@pytest.fixture
def dial(loop: Loop, heart: None) -> Iterator[Dial]:
    """Opens a socket on a match: `dial(duel, user)`, `dial(duel, headers=…, page=True, since=4)`."""
    lines: list[Line] = []

    def dial(
        duel: Duel | str,
        user: User | None = None,
        *,
        headers: dict[str, str] | None = None,
        page: bool = False,
        since: int | None = None,
        query: str = "",
    ) -> Line:
        match_id = duel if isinstance(duel, str) else duel.id
        asked = query if since is None else f"since={since}"
        path = f"/ws/{'' if page else 'v1/'}matches/{match_id}/{asked and '?'}{asked}"
        line = Line(loop, path, headers if headers is not None else by_token(user) if user else {})
        lines.append(line)
        return line

    yield dial
    for line in lines:
        line.close()


@pytest.fixture
def by_messages_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No look of the watch comes between: sockets hear of a step by its message, and of each step by itself."""
    monkeypatch.setattr(consumers, "TICK_SECONDS", 3600)
    monkeypatch.setattr(consumers, "watch", consumers.Watch())


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Everything that goes through the channel layer, as it goes: `(group, message)`."""
    messages: Sent = []
    deliver = LAYER.group_send

    async def group_send(self: Any, group: str, message: dict[str, Any]) -> None:
        messages.append((group, message))
        await deliver(self, group, message)

    monkeypatch.setattr(LAYER, "group_send", group_send)
    return messages


class Lossy:
    """A channel layer under our thumb: what is sent to a group is kept, and delivered as the test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kept: Sent = []
        self.holds = True
        deliver = LAYER.group_send

        async def group_send(layer: Any, group: str, message: dict[str, Any]) -> None:
            if self.holds:
                self.kept.append((group, message))
            else:
                await deliver(layer, group, message)

        monkeypatch.setattr(LAYER, "group_send", group_send)

    def release(self, *numbers: int) -> None:
        """Deliver these of the messages kept, in this order."""
        self.holds = False
        for number in numbers:
            push(*self.kept[number])
        self.holds = True


@pytest.fixture
def lossy(monkeypatch: pytest.MonkeyPatch) -> Lossy:
    return Lossy(monkeypatch)


def push(group: str, message: dict[str, Any]) -> None:
    """Send a message of our own making, as another process would."""
    layer = get_channel_layer()
    assert layer is not None
    async_to_sync(layer.group_send)(group, message)


BOOKKEEPING = {"created", "msecs", "relativeCreated", "thread", "process", "lineno"}
"""Numbers of many digits, among which any five may be found."""


class Ear(logging.Handler):
    """Keeps everything of every record: what a formatter would leave out as well."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        said = {name: value for name, value in vars(record).items() if name not in BOOKKEEPING}
        self.heard.append(f"{record.getMessage()} {said}")


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All that is logged, at the most talkative level of every logger."""
    ear = Ear()
    known = [
        logger for logger in logging.root.manager.loggerDict.values() if isinstance(logger, logging.Logger)
    ]
    for logger in (logging.root, *known):
        if logger.level or logger is logging.root:
            monkeypatch.setattr(logger, "level", logging.DEBUG)
        if not logger.propagate or logger is logging.root:
            monkeypatch.setattr(logger, "handlers", [ear])
    # It tells of every name that a template does not find, thousands of them.
    monkeypatch.setattr(logging.getLogger("django.template"), "level", logging.INFO)
    for logger in known:
        monkeypatch.setattr(logger, "_cache", {})
    return ear.heard
