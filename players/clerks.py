"""Where sockets ask the database: threads that keep their connections, in a process that serves. Knows no room.

Channels would hop to its one thread before every message, open a connection there for every question and close it
after: most of what a guess cost. Here a question is one hop to a thread whose connection stays open. A process that
does not serve (a command, a test) has no such threads, since nobody would close what they keep.
"""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import connections

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

THREADS = {"sqlite": 1, "postgresql": 4}
"""SQLite has one writer. On PostgreSQL one may wait for its commit while another decides."""


class Clerks:
    """`open` is called by a process that serves, before it does."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._begun: set[asyncio.Task[None]] = set()
        self._failures = 0
        self._thread = threading.local()

    def open(self, threads: int | None = None) -> None:
        self._threads = ThreadPoolExecutor(threads or THREADS[connections["default"].vendor], "Clerk")

    def close(self) -> None:
        """Its threads end. SQLite's one closes its connection first; on PostgreSQL, which takes that for no harm, those
        of the others go with the process."""
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.submit(self._begin_anew)
            threads.shutdown()

    async def ask(self, do: Callable[Given, Answer], *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        """Have something done on a thread that may ask the database."""
        if self._threads is None:
            answer: Answer = await database_sync_to_async(do)(*args, **kwargs)
            return answer
        self._loop = asyncio.get_running_loop()
        here = contextvars.copy_context()
        return await self._loop.run_in_executor(
            self._threads, lambda: here.run(self._do, partial(do, *args, **kwargs))
        )

    def later(
        self, do: Callable[Given, Coroutine[None, None, None]], *args: Given.args, **kwargs: Given.kwargs
    ) -> None:
        """Have it done on the loop that serves and wait for nothing; where none does, here. From any thread."""
        if self._loop is None or self._loop.is_closed():
            async_to_sync(do)(*args, **kwargs)
        else:
            self._loop.call_soon_threadsafe(lambda: self._begin(do(*args, **kwargs)))

    def _begin(self, coroutine: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(coroutine)
        self._begun.add(task)  # the loop itself would let it be forgotten half done
        task.add_done_callback(self._begun.discard)

    def _do(self, do: Callable[[], Answer]) -> Answer:
        if getattr(self._thread, "failures", 0) != self._failures:
            self._begin_anew()
        try:
            return do()
        finally:
            if any(connection.errors_occurred for connection in connections.all(initialized_only=True)):
                self._failures += 1

    def _begin_anew(self) -> None:
        """A line to the database was lost somewhere: with it, very likely, every other."""
        self._thread.failures = self._failures
        for connection in connections.all(initialized_only=True):
            connection.close()
            connection.errors_occurred = False  # which is told; closing alone leaves it


clerks = Clerks()


class Socket(AsyncWebsocketConsumer):  # type: ignore[misc]  # Channels has no types
    """A socket whose messages are taken as they come: connections are the clerks' to open and close."""

    async def dispatch(self, message: dict[str, Any]) -> None:
        """As Channels', less the hop to its thread to close what is not open."""
        await getattr(self, message["type"].replace(".", "_"))(message)
