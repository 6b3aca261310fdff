"""A WebSocket client of a hundred lines, to see what really goes over the wire: every frame, every close code."""

import base64
import contextlib
import json
import os
import socket
import struct
from types import TracebackType
from typing import Any, Self

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Closed(Exception):
    """The server has ended the socket: with a code, or without a word (None)."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


def handshake(port: int, path: str, headers: dict[str, str]) -> bytes:
    """What a client asks first."""
    sent = {
        "Host": f"127.0.0.1:{port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        "Sec-WebSocket-Version": "13",
        **headers,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    return f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode()


def pack(payload: bytes, opcode: int = TEXT) -> bytes:
    """A client's frame. A mask of zeros is a lawful mask, and leaves the payload readable in a recording."""
    size = len(payload)
    if size < 126:
        length = struct.pack("!B", 0x80 | size)
    elif size < 65_536:
        length = struct.pack("!BH", 0x80 | 126, size)
    else:
        length = struct.pack("!BQ", 0x80 | 127, size)
    return struct.pack("!B", 0x80 | opcode) + length + b"\0\0\0\0" + payload


def unpack(received: bytes) -> tuple[int, bytes, int] | None:
    """The server's frame that `received` begins with: opcode, payload, length in all; None until it is all there."""
    begin, size = 2, received[1] if len(received) > 1 else -1
    if size == 126:
        begin, size = 4, int.from_bytes(received[2:4])
    elif size == 127:
        begin, size = 10, int.from_bytes(received[2:10])
    if size < 0 or len(received) < max(begin, begin + size):
        return None
    return received[0] & 0x0F, received[begin : begin + size], begin + size


class RawSocket:
    """`status` is the HTTP status of the handshake; 101 is an open socket."""

    def __init__(
        self, port: int, path: str, headers: dict[str, str] | None = None, timeout: float = 10
    ) -> None:
        self.tcp = socket.create_connection(("127.0.0.1", port), timeout)
        self.received = b""
        self.tcp.sendall(handshake(port, path, headers or {}))
        while b"\r\n\r\n" not in self.received:
            self._more()
        head, self.received = self.received.split(b"\r\n\r\n", 1)
        self.status = int(head.split()[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.tcp.close()

    def send(self, payload: bytes | str, opcode: int = TEXT) -> None:
        self.tcp.sendall(pack(payload.encode() if isinstance(payload, str) else payload, opcode))

    def send_json(self, message: Any) -> None:
        self.send(json.dumps(message))

    def receive(self) -> bytes:
        """The next message; pings are answered on the way."""
        while True:
            opcode, payload = self.frame()
            if opcode == PING:
                self.send(payload, PONG)
            elif opcode == CLOSE:
                with contextlib.suppress(OSError):
                    self.send(payload, CLOSE)
                raise Closed(struct.unpack("!H", payload[:2])[0] if payload else None)
            elif opcode in (TEXT, BINARY):
                return payload

    def receive_json(self) -> Any:
        return json.loads(self.receive())

    def close_code(self) -> int | None:
        """Read on until the server ends the socket."""
        while True:
            try:
                self.receive()
            except Closed as closed:
                return closed.code

    def frame(self) -> tuple[int, bytes]:
        """The next frame as it is: opcode and payload."""
        while (found := unpack(self.received)) is None:
            self._more()
        opcode, payload, used = found
        self.received = self.received[used:]
        return opcode, payload

    def _more(self) -> None:
        try:
            chunk = self.tcp.recv(65_536)
        except ConnectionResetError:
            chunk = b""
        if not chunk:
            raise Closed(None)
        self.received += chunk
