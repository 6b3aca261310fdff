"""Sockets of the real ASGI application for plain test functions: a loop in a thread, and a line to it each."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from itertools import count
from typing import Any, Self, TypeVar

from channels.testing import WebsocketCommunicator
from django.conf import settings

from numbers_site.asgi import application
from players.doors import doors
from players.models import User
from tests.builders import ORIGIN, bearer, signed_in

T = TypeVar("T")
Json = dict[str, Any]

PATIENCE = 10
QUIET = 0.2 if settings.REDIS_URL else 0.08
"""How long nothing must come before all counts as told."""
PASSING = ("tick", "presence")
NUMBERS = count(1)
"""For refs: two sockets of one seat share one namespace."""


class Loop:
    """One event loop for all sockets of a test run, as one web process has it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="Sockets", daemon=True)
        self.thread.start()

    def start(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.start(work).result(PATIENCE * 2)


def until_ended(looking: Any) -> None:
    """It looks until it finds that nobody listens any more: not into the next test's database."""
    task = looking._task
    if task is not None:
        task.get_loop().call_soon_threadsafe(looking._news.set)  # sooner than in a second
    end = time.monotonic() + PATIENCE
    while task is not None and not task.done():
        assert time.monotonic() < end
        time.sleep(0.02)


def by_token(user: User) -> dict[str, str]:
    return bearer(user)


def by_cookie(user: User | None, origin: str | None = ORIGIN) -> dict[str, str]:
    """As a browser sends it from a page of `origin`; without a user, as somebody who has never signed in."""
    cookie = signed_in(user).cookies.get(settings.SESSION_COOKIE_NAME)
    sent = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={cookie.value}"} if cookie else {}
    return sent if origin is None else {**sent, "Origin": origin}


class Line:
    """One socket. All that it was sent is kept in `heard`, word for word."""

    def __init__(self, loop: Loop, path: str, headers: dict[str, str]) -> None:
        self.loop = loop
        self.heard: list[str] = []
        self.open = loop.run(self._connect(path, {"Host": "testserver", **headers}))

    async def _connect(self, path: str, headers: dict[str, str]) -> bool:
        raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
        self.communicator = WebsocketCommunicator(application, path, headers=raw)
        accepted, _ = await self.communicator.connect(timeout=PATIENCE)
        return bool(accepted)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Returns once the consumer has taken note."""
        if self.open:
            self.open = False
            self.loop.run(self.communicator.disconnect(timeout=PATIENCE))
            if not doors.sockets:
                until_ended(doors)

    def ending(self) -> int:
        """The code that the server closes it with; what is said before is passed over."""
        while (sent := self.loop.run(self._output(PATIENCE))) is not None:
            if sent["type"] == "websocket.close":
                return int(sent["code"])
        raise AssertionError("the socket stays open")

    def send(self, frame: Json | str | bytes) -> None:
        message: Json = {"type": "websocket.receive"}
        if isinstance(frame, bytes):
            message["bytes"] = frame
        else:
            message["text"] = frame if isinstance(frame, str) else json.dumps(frame)
        self.loop.run(self.communicator.send_input(message))

    def receive(self, seconds: float) -> Json | None:
        """The next frame; None if none comes in time. Fails if the socket or its consumer ends."""
        sent = self.loop.run(self._output(seconds))
        if sent is None:
            return None
        assert sent["type"] == "websocket.send", f"the socket was ended: {sent}"
        self.heard.append(sent["text"])
        frame: Json = json.loads(sent["text"])
        return frame

    async def _output(self, seconds: float) -> Json | None:
        if self.communicator.future.done() and self.communicator.output_queue.empty():
            self.communicator.future.result()
        try:
            async with asyncio.timeout(seconds):
                sent: Json = await self.communicator.output_queue.get()
                return sent
        except TimeoutError:
            return None

    def until(self, wanted: Callable[[Json], bool], patience: float = PATIENCE) -> Json:
        """The next frame that is wanted; those before it are passed over."""
        end = time.monotonic() + patience
        while (frame := self.receive(max(0.01, end - time.monotonic()))) is not None:
            if wanted(frame):
                return frame
        raise AssertionError(f"never came; heard: {self.heard[-5:]}")

    def next(self, kind: str) -> Json:
        return self.until(lambda frame: frame["type"] == kind)

    def event(self, kind: str) -> Json:
        """The next event of this kind, or the page's own frame for it."""
        return self.until(lambda frame: frame.get("event") == kind)

    def rest(self, quiet: float = QUIET) -> list[Json]:
        """All that still comes, less ticks and presence, until nothing has come for a while."""
        frames = []
        while (frame := self.receive(quiet)) is not None:
            if frame["type"] not in PASSING:
                frames.append(frame)
        return frames

    def ask(self, verb: str, **fields: Any) -> Json:
        """Send a command and wait for its own answer."""
        ref = fields.pop("ref", f"line-{next(NUMBERS)}")
        self.send({"type": verb, "ref": ref, **fields})
        return self.until(lambda frame: frame["type"] in ("ok", "refused") and frame["ref"] == ref)

    def told(self) -> str:
        """Everything heard, as one text to search in."""
        return "\n".join(self.heard)


def versions(frames: list[Json]) -> list[int]:
    return [frame["version"] for frame in frames if frame["type"] == "event"]
