"""Channel layers: in one process, between its loops and threads; and by Redis. They know no message."""

import asyncio
import contextlib
from collections import defaultdict
from copy import deepcopy
from typing import Any

from channels.layers import InMemoryChannelLayer
from channels_redis.pubsub import RedisPubSubChannelLayer, RedisPubSubLoopLayer, RedisSingleShardConnection

Message = dict[str, Any]

FLIGHT_SECONDS = 1.0


class EmbeddedChannelLayer(InMemoryChannelLayer):  # type: ignore[misc]  # Channels has no types
    """What Channels' own in-memory layer does, without its sweep over all channels at every message.

    A queue belongs to the loop on which its consumer waits. A sender on another loop (the Celery worker's
    thread) hands its message over to that loop: put there directly, it would lie until the loop's next timer.
    A full queue drops the message: it says only that something is new, and clients catch up by version.
    """

    def __init__(self, capacity: int = 256, **options: Any) -> None:
        super().__init__(capacity=capacity, **options)
        self.channels: dict[str, asyncio.Queue[Message]] = {}
        self.groups: dict[str, dict[str, float]] = {}
        self.homes: dict[str, asyncio.AbstractEventLoop] = {}

    async def new_channel(self, prefix: str = "specific.") -> str:
        channel: str = await super().new_channel(prefix)
        self._settle(channel)
        return channel

    async def receive(self, channel: str) -> Message:
        self.require_valid_channel_name(channel)
        try:
            return await self._settle(channel).get()
        except asyncio.CancelledError:
            self._forget(channel)  # a consumer stops receiving only when it ends
            raise

    async def send(self, channel: str, message: Message) -> None:
        self.require_valid_channel_name(channel)
        self._queue(channel)
        self._deliver([channel], deepcopy(message))

    async def group_send(self, group: str, message: Message) -> None:
        self.require_valid_group_name(group)
        self._deliver(list(self.groups.get(group, ())), deepcopy(message))

    async def flush(self) -> None:
        await super().flush()
        self.homes = {}

    def _queue(self, channel: str) -> asyncio.Queue[Message]:
        return self.channels.setdefault(channel, asyncio.Queue(maxsize=self.get_capacity(channel)))

    def _settle(self, channel: str) -> asyncio.Queue[Message]:
        self.homes[channel] = asyncio.get_running_loop()
        return self._queue(channel)

    def _forget(self, channel: str) -> None:
        self.channels.pop(channel, None)
        self.homes.pop(channel, None)
        for group in list(self.groups):
            members = self.groups.get(group, {})
            members.pop(channel, None)
            if not members:
                self.groups.pop(group, None)

    def _deliver(self, channels: list[str], message: Message) -> None:
        here = asyncio.get_running_loop()
        elsewhere: defaultdict[asyncio.AbstractEventLoop, list[str]] = defaultdict(list)
        for channel in channels:
            home = self.homes.get(channel, here)
            if home is here:
                self._put([channel], message)
            else:
                elsewhere[home].append(channel)
        for home, away in elsewhere.items():
            # A loop that has been closed took its consumers along.
            with contextlib.suppress(RuntimeError):
                home.call_soon_threadsafe(self._put, away, message)

    def _put(self, channels: list[str], message: Message) -> None:
        for channel in channels:
            queue = self.channels.get(channel)
            if queue is not None:
                with contextlib.suppress(asyncio.QueueFull):
                    queue.put_nowait(dict(message))


class ScaledChannelLayer(RedisPubSubChannelLayer):  # type: ignore[misc]  # channels_redis has no types
    """channels_redis's own, where what is sent while something is on its way goes together, as soon as that is there.

    There each message waits for the answer to the one before: twenty at once cost three times as much, and the last
    of them left ten milliseconds late.
    """

    def _get_layer(self) -> RedisPubSubLoopLayer:
        if asyncio.get_running_loop() in self._layers:
            return super()._get_layer()
        layer = super()._get_layer()
        layer._shards = [_Shard(shard.host, layer) for shard in layer._shards]
        return layer


class _Shard(RedisSingleShardConnection):  # type: ignore[misc]  # as above
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._waiting: list[tuple[str, bytes]] = []
        self._flight: asyncio.Task[None] | None = None

    async def publish(self, channel: str, message: bytes) -> None:
        """Returns once it is there. Whoever stops waiting takes their own message back, and nobody else's."""
        sent = (channel, message)
        self._waiting.append(sent)
        if self._flight is None or self._flight.done():
            self._flight = asyncio.get_running_loop().create_task(self._publish_all())
        try:
            await asyncio.shield(self._flight)
        except asyncio.CancelledError:
            with contextlib.suppress(ValueError):  # it is on its way
                self._waiting.remove(sent)
            raise

    async def _publish_all(self) -> None:
        while self._waiting:
            together, self._waiting = self._waiting, []
            self._ensure_redis()
            # A line that hangs is let go, and the next is another.
            async with asyncio.timeout(FLIGHT_SECONDS):
                await self._send(together)

    async def _send(self, messages: list[tuple[str, bytes]]) -> None:
        if len(messages) == 1:
            await self._redis.publish(*messages[0])  # alone, a pipeline costs half as much again
            return
        pipeline = self._redis.pipeline(transaction=False)
        for channel, message in messages:
            pipeline.publish(channel, message)
        await pipeline.execute()
