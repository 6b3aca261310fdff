"""The channel layers. Embedded: at once, never full, nothing left behind. Scaled: all together, and never stuck."""

import asyncio
import threading
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings

from numbers_site import layer as layers
from numbers_site.layer import EmbeddedChannelLayer, ScaledChannelLayer


async def test_a_group_hears_what_is_sent_to_it() -> None:
    layer = EmbeddedChannelLayer()
    ada, bob = await layer.new_channel(), await layer.new_channel()
    await layer.group_add("match", ada)
    await layer.group_add("match", bob)
    await layer.group_send("match", {"type": "news", "version": 1})
    assert await layer.receive(ada) == await layer.receive(bob) == {"type": "news", "version": 1}


async def test_a_sender_on_another_thread_is_heard_at_once() -> None:
    layer = EmbeddedChannelLayer()
    channel = await layer.new_channel()
    await layer.group_add("match", channel)
    waiting = asyncio.create_task(layer.receive(channel))
    await asyncio.sleep(0)
    threading.Thread(target=lambda: async_to_sync(layer.group_send)("match", {"type": "news"})).start()
    # Not awaited with a timeout: its timer would wake the loop, which is what must not be needed.
    assert await waiting == {"type": "news"}


async def test_a_message_belongs_to_its_receiver() -> None:
    layer = EmbeddedChannelLayer()
    ada, bob = await layer.new_channel(), await layer.new_channel()
    for channel in (ada, bob):
        await layer.group_add("match", channel)
    message = {"type": "news"}
    await layer.group_send("match", message)
    message["type"] = "changed"
    heard = await layer.receive(ada)
    heard["type"] = "changed"
    assert await layer.receive(bob) == {"type": "news"}


async def test_a_full_queue_drops_and_says_nothing() -> None:
    layer = EmbeddedChannelLayer(capacity=2)
    slow = await layer.new_channel()
    await layer.group_add("match", slow)
    for version in range(5):
        await layer.group_send("match", {"type": "news", "version": version})
    assert [(await layer.receive(slow))["version"] for _ in range(2)] == [0, 1]


async def test_a_consumer_that_ends_leaves_nothing_behind() -> None:
    layer = EmbeddedChannelLayer()
    channel = await layer.new_channel()
    await layer.group_add("match", channel)
    waiting = asyncio.create_task(layer.receive(channel))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert (layer.channels, layer.groups, layer.homes) == ({}, {}, {})


def test_a_loop_that_has_ended_is_no_trouble_to_the_sender() -> None:
    layer = EmbeddedChannelLayer()

    async def join() -> None:
        await layer.group_add("match", await layer.new_channel())

    asyncio.run(join())
    asyncio.run(layer.group_send("match", {"type": "news"}))


def scaled(address: str) -> Any:
    return ScaledChannelLayer(hosts=[{"address": address, "socket_timeout": None}], prefix="test-layer")


@pytest.mark.redis
async def test_what_is_sent_at_once_arrives_in_order_and_once() -> None:
    layer = scaled(settings.REDIS_URL)
    channel = await layer.new_channel()
    await layer.group_add("match", channel)
    await asyncio.gather(*(layer.group_send("match", {"type": "news", "version": n}) for n in range(200)))
    assert [(await layer.receive(channel))["version"] for _ in range(200)] == [*range(200)]
    await layer.group_send("match", {"type": "news", "version": 200})
    assert (await layer.receive(channel))["version"] == 200
    await layer.flush()


async def test_a_line_that_hangs_is_let_go_with_what_waited_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is silent: who sends gives up, nothing is heaped up, and the next message tries another line."""
    monkeypatch.setattr(layers, "FLIGHT_SECONDS", 0.1)
    lines: list[asyncio.StreamWriter] = []

    async def say_nothing(_: asyncio.StreamReader, line: asyncio.StreamWriter) -> None:
        lines.append(line)

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    layer = scaled(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0")
    for _ in range(3):
        sent = [asyncio.wait_for(layer.group_send("match", {"type": "news"}), 0.5) for _ in range(5)]
        failures = await asyncio.gather(*sent, return_exceptions=True)
        assert {type(failure) for failure in failures} == {TimeoutError}
    assert len(lines) == 3
    assert [shard._waiting for shard in layer._get_layer()._shards] == [[]]
    for line in lines:
        line.close()
    server.close()
