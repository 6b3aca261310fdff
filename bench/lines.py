"""WebSocket lines by the thousand in one process: bytes in, text frames out. Knows no game."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable

from tests.sockets import CLOSE, PING, PONG, TEXT, handshake, pack, unpack


class Line(asyncio.Protocol):
    """`hear` is called with every text frame, `lost` when the line ends that we did not end."""

    def __init__(self, hear: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        self.hear, self.lost = hear, lost
        self.received = b""
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.closing = False

    async def connect(self, port: int, path: str, token: str) -> None:
        """Return once the server has let us in. Raises `ConnectionError`."""
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(lambda: self, "127.0.0.1", port)
        self.transport = transport
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.transport.write(handshake(port, path, headers))
        await self.open

    def send(self, text: bytes) -> None:
        self.transport.write(pack(text))

    def close(self) -> None:
        self.closing = True
        self.transport.close()

    def data_received(self, data: bytes) -> None:
        self.received += data
        if not self.open.done():
            self._greet()
        while self.open.done() and (found := unpack(self.received)):
            opcode, payload, used = found
            self.received = self.received[used:]
            if opcode == TEXT:
                self.hear(payload)
            elif opcode == PING:
                self.transport.write(pack(payload, PONG))
            elif opcode == CLOSE:
                self.transport.close()

    def _greet(self) -> None:
        head, found, rest = self.received.partition(b"\r\n\r\n")
        if found and head.split()[1] == b"101":
            self.received = rest
            self.open.set_result(None)
        elif found:
            self.received = b""
            self.open.set_exception(ConnectionError(head.split(b"\r\n")[0].decode()))
            self.close()

    def connection_lost(self, reason: Exception | None) -> None:
        if not self.open.done():
            self.open.set_exception(ConnectionError("closed at the handshake"))
        elif not self.closing:
            self.lost()


async def some_at_once(coroutines: Iterable[Coroutine[None, None, None]], count: int = 8) -> None:
    """Do all of it, so many at a time: a site that is opened is not to be stormed."""
    free = asyncio.Semaphore(count)

    async def one(coroutine: Coroutine[None, None, None]) -> None:
        async with free:
            await coroutine

    await asyncio.gather(*(one(coroutine) for coroutine in coroutines))
