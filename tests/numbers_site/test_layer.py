"""The embedded channel layer: at once, between threads, never full, nothing left behind."""

import asyncio
import threading

from asgiref.sync import async_to_sync

from numbers_site.layer import EmbeddedChannelLayer


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
