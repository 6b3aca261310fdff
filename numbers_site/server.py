"""Daphne with a limit on every socket, and an end that says goodbye. Knows no room."""

from collections.abc import Callable
from typing import Any

from daphne.endpoints import build_endpoint_description_strings
from daphne.server import Server  # first of all that is Twisted's: it chooses the reactor
from daphne.ws_protocol import WebSocketProtocol
from twisted.internet import defer, reactor, task

MESSAGE_BYTES = 4096
WAITING_MESSAGES = 128
PING_SECONDS = 13
DEAD_SECONDS = 20
"""Of silence. Looked after every two seconds: who is dead is known to be within 22."""
PING = b"\x89\x00"
"""RFC 6455, 5.5.2. Autobahn's own, each with a number and a timer, took twice as long."""
PONG, PONG_BYTES = b"\x8a\x80", 6
"""The answer to it, as every client masks it."""
GOODBYE_SECONDS = 3
TOO_MANY = 1008
TOO_BIG = 1009
RESTARTING = 1012


class Socket(WebSocketProtocol):  # type: ignore[misc]  # Daphne has no types
    """A socket with limits on what comes in. Autobahn's own limit would hold for what we send as well.

    Whatever comes shows that somebody is there; who is silent is asked, every two seconds, until they answer.
    """

    heard = 0.0

    def dataReceived(self, data: bytes) -> None:  # noqa: N802  Twisted's name
        """As Autobahn's, less the words it makes for a log that nobody reads. An answer to our ping says no more than
        that somebody is there: of thousands of sockets at rest it is all there is to hear.
        """
        self.heard = reactor.seconds()
        if len(data) == PONG_BYTES and data.startswith(PONG) and self._between_frames():
            return
        self._dataReceived(data)

    def _between_frames(self) -> bool:
        return self.state == self.STATE_OPEN and self.current_frame is None and not self.data

    def sendData(self, data: bytes, sync: bool = False, chopsize: int | None = None) -> None:  # noqa: N802  Autobahn's
        """At once, where nothing waits before it: out of Twisted's buffer it would go a turn of the loop later, for
        three more calls of the system.
        """
        transport = self.transport
        if transport.connected and not (
            transport.disconnecting or transport.dataBuffer or transport._tempDataLen
        ):
            sent = transport.writeSomeData(data)
            data = data[sent:] if isinstance(sent, int) else data
        if data:
            transport.write(data)

    def check_timeouts(self) -> None:
        if self.state != self.STATE_OPEN:
            super().check_timeouts()
            return
        silence = reactor.seconds() - self.heard
        if silence > DEAD_SECONDS:
            self.dropConnection(abort=True)
        elif silence > PING_SECONDS:
            self.sendData(PING)

    def onMessageFrameBegin(self, length: int) -> None:  # noqa: N802  Autobahn's name
        super().onMessageFrameBegin(length)
        if self.message_data_total_length > MESSAGE_BYTES and not self.failedByMe:
            self.wasMaxMessagePayloadSizeExceeded = True
            self._fail_connection(TOO_BIG, f"a message has at most {MESSAGE_BYTES} bytes")

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803  Autobahn's names
        """A client may not send faster than its consumer reads: Daphne's queue has no end of its own."""
        if self.application_queue.qsize() < WAITING_MESSAGES:
            super().onMessage(payload, isBinary)
        else:
            self.sendCloseFrame(code=TOO_MANY, reasonUtf8=b"too many messages at once")

    def serverSend(self, content: str | bytes, binary: bool = False) -> None:  # noqa: N802  Daphne's name
        """To a socket about to close nothing is said: raising would end its consumer without `disconnect`."""
        if self.state in (self.STATE_OPEN, self.STATE_CONNECTING):
            super().serverSend(content, binary)


class SiteServer(Server):  # type: ignore[misc]  # Daphne has no types
    """`listening` is called once the port is ours. `run` returns when `begin_stop` has come to its end."""

    def __init__(self, application: Any, host: str, port: int, listening: Callable[[], None]) -> None:
        self.ports: list[Any] = []
        self.failure: str | None = None
        self.stopping = False
        self.listening = listening
        super().__init__(
            application,
            endpoints=build_endpoint_description_strings(host=host, port=port),
            signal_handlers=False,
            ready_callable=self.ready,
            server_name="numbers",
        )

    def ready(self) -> None:
        """Between the making of the factories and the first connection.

        By default Autobahn ends a socket that sends too much without a word; with `failByDrop` off it sends 1009.
        """
        self.ws_factory.protocol = Socket
        self.ws_factory.setProtocolOptions(maxMessagePayloadSize=0, maxFramePayloadSize=0, failByDrop=False)
        self.listening()

    def listen_success(self, port: Any) -> None:
        self.ports.append(port)
        super().listen_success(port)

    def listen_error(self, failure: Any) -> None:
        self.failure = failure.getErrorMessage()
        self.stop()

    def begin_stop(self) -> None:
        """Take nobody new, tell every socket to come back later, and give their consumers time to take note.

        To be called on the reactor's thread. Daphne's own `stop` cancels the consumers without `disconnect`.
        """
        if self.stopping:
            return
        self.stopping = True
        for port in self.ports:
            port.stopListening()
        self.turn_away()
        self._await_goodbyes(reactor.seconds() + GOODBYE_SECONDS)

    def on_its_thread(self, do: Callable[[], None]) -> None:
        reactor.callFromThread(do)

    def each_second(self, do: Callable[[], None]) -> None:
        task.LoopingCall(do).start(1, now=False)

    def turn_away(self) -> None:
        """Have every client open a new socket. To be called on the reactor's thread."""
        for protocol in list(self.connections):
            if isinstance(protocol, Socket) and protocol.state == Socket.STATE_OPEN:
                protocol.sendCloseFrame(code=RESTARTING, reasonUtf8=b"restarting")

    def _await_goodbyes(self, until: float) -> None:
        if self._unfinished() and reactor.seconds() < until:
            reactor.callLater(0.05, self._await_goodbyes, until)
        else:
            self.stop()

    def _unfinished(self) -> list[Any]:
        applications = (details.get("application_instance") for details in self.connections.values())
        return [application for application in applications if application and not application.done()]

    def kill_all_applications(self) -> Any:
        """As Daphne's, which stumbles over a connection whose application has already been cleared away."""
        left = self._unfinished()
        for application in left:
            application.cancel()
        return defer.DeferredList(
            [defer.Deferred.fromFuture(application) for application in left], consumeErrors=True
        )
