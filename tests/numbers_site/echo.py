"""The site's server with nothing behind it but an echo, to be run as a program: `python -m … PORT`.

A message "slow" keeps the echo busy for two seconds; "chatter" makes it talk without end. Said on stdout: that it
listens, and with which code each socket has been disconnected.
"""

import asyncio
import signal
import sys
from typing import Any

from numbers_site.server import SiteServer  # chooses the reactor: before Twisted's own

from twisted.internet import reactor  # isort: skip


def say(line: object) -> None:
    print(line, flush=True)  # noqa: T201


async def chatter(send: Any) -> None:
    while True:
        await send({"type": "websocket.send", "text": "tick"})
        await asyncio.sleep(0.001)


async def echo(scope: Any, receive: Any, send: Any) -> None:
    talk = None
    while (message := await receive())["type"] != "websocket.disconnect":
        if message["type"] == "websocket.connect":
            await send({"type": "websocket.accept"})
        elif message.get("text") == "slow":
            await asyncio.sleep(2)
        elif message.get("text") == "chatter":
            talk = asyncio.create_task(chatter(send))
        elif message.get("text", "").startswith("long "):
            await send({"type": "websocket.send", "text": "x" * int(message["text"].split()[1])})
        else:
            await send({"type": "websocket.send", "text": message["text"]})
    failed = talk is not None and talk.done()
    if talk is not None:
        talk.cancel()
    say(f"disconnect {message['code']}{' after a failed send' if failed else ''}")


if __name__ == "__main__":
    server = SiteServer(echo, "127.0.0.1", int(sys.argv[1]), listening=lambda: say("listening"))
    signal.signal(signal.SIGTERM, lambda *_: reactor.callFromThread(server.begin_stop))
    server.run()
    say("stopped")
