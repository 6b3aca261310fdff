"""Looking again: once a second, and at once when told that there is news. Knows no room.

A channel layer may lose, double or reorder what it carries, so it carries only that something has changed. What it is,
every process finds out by a look at the database, at all changes that have gathered meanwhile.
"""

import asyncio
import contextlib
import logging
from typing import Any, Generic, TypeVar

from channels.layers import get_channel_layer
from django.db import Error as DatabaseError

from players.clerks import clerks

logger = logging.getLogger(__name__)

SEND_SECONDS = 1.0

LOOK_SECONDS = 1.0
GATHER_SECONDS = 0.05
"""How long changes are gathered before one look at all of them."""

TROUBLE = 5
"""So many looks in a row that have failed are worth a line in the log."""

Member = TypeVar("Member")


class Looking(Generic[Member]):
    """What all sockets of one kind share in this process. It looks for as long as there are any."""

    group: str
    """Where changes are announced."""

    def __init__(self) -> None:
        self.sockets: set[Member] = set()
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()

    async def look(self) -> None:
        """Find out what is new, and tell the sockets."""
        raise NotImplementedError

    def join(self, socket: Member) -> None:
        self.sockets.add(socket)
        loop = asyncio.get_running_loop()
        if self._task is None or self._task.done() or self._task.get_loop() is not loop:
            self._news = asyncio.Event()
            self._task = loop.create_task(self._run(self._news))

    def leave(self, socket: Member) -> None:
        self.sockets.discard(socket)

    async def _run(self, news: asyncio.Event) -> None:
        listening = asyncio.get_running_loop().create_task(self._listen(news))
        failed = 0
        try:
            while self.sockets:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), LOOK_SECONDS)
                    await asyncio.sleep(GATHER_SECONDS)
                news.clear()
                try:
                    await self.look()
                    failed = 0
                except DatabaseError:
                    failed += 1  # the next look is a second away
                    if failed % TROUBLE == 0:
                        logger.warning("%s looks in a row have failed: %s", failed, self.group, exc_info=True)
                except Exception:
                    logger.exception("a look has failed: %s", self.group)  # and must not have been the last
        finally:
            listening.cancel()

    async def _listen(self, news: asyncio.Event) -> None:
        """One channel a process, however many sockets it has."""
        layer: Any = get_channel_layer()
        while True:
            try:
                channel = await layer.new_channel()
                await layer.group_add(self.group, channel)
                while True:
                    await layer.receive(channel)
                    news.set()
            except Exception:  # whatever a layer may raise that is away: the looks go on
                logger.warning("changes are not heard of: %s", self.group, exc_info=True)
                await asyncio.sleep(LOOK_SECONDS)


def nudge(group: str) -> None:
    """Have every process look at once; each looks by itself once a second."""
    clerks.later(send, group, {"type": "look.again"})


async def send(group: str, message: dict[str, Any]) -> None:
    """Pass a message to a group: a layer that hangs must not hold up whoever has news."""
    try:
        layer = get_channel_layer()
        if layer is not None:
            await asyncio.wait_for(layer.group_send(group, message), SEND_SECONDS)
    except Exception as reason:  # noqa: BLE001  whatever a layer may raise: the sockets look for themselves
        logger.warning("a change could not be told: %s: %s", group, reason)
