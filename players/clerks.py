"""Where sockets ask the database: a thread that keeps its connection, in a process that serves. Knows no room.

Channels would hop to its one thread before every message, open a connection there for every question and close it
after: most of what a guess cost. Here a question is one hop to a thread whose connection stays open. One thread, since
several take the interpreter from each other and from the loop: four of them did two thirds as much. A process that does
not serve (a command, a test) has none, since nobody would close what it keeps.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import connections
from django.utils.translation import get_language, override

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Clerks:
    """`open` is called by a process that serves, before it does."""

    def __init__(self) -> None:
        self._executor: ThreadPoolExecutor | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._begun: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        self._executor = ThreadPoolExecutor(1, "Clerk")

    def close(self) -> None:
        """The thread ends, and closes its connection first."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.submit(connections.close_all)
            executor.shutdown()

    async def ask(self, do: Callable[Given, Answer], *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        """Have something done on a thread that may ask the database."""
        if self._executor is None:
            answer: Answer = await database_sync_to_async(do)(*args, **kwargs)
            return answer
        self._loop = asyncio.get_running_loop()
        return await self._loop.run_in_executor(
            self._executor, self._do, get_language(), partial(do, *args, **kwargs)
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

    def _do(self, language: str | None, do: Callable[[], Answer]) -> Answer:
        """In the language of whoever asks, which no thread takes from another."""
        try:
            with override(language):
                return do()
        finally:
            for connection in connections.all(initialized_only=True):
                if connection.errors_occurred:  # its line may be lost: the next question opens another
                    connection.close()
                    connection.errors_occurred = False  # which is told; closing alone leaves it


clerks = Clerks()


class Socket(AsyncWebsocketConsumer):  # type: ignore[misc]  # Channels has no types
    """A socket whose messages are taken as they come: connections are the clerks' to open and close."""

    async def dispatch(self, message: dict[str, Any]) -> None:
        """As Channels', less the hop to its thread to close what is not open."""
        await getattr(self, message["type"].replace(".", "_"))(message)
