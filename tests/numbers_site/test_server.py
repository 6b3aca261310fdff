"""Every socket has its limits, and its end has a code."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.site import ROOT, free_port
from tests.sockets import CLOSE, RawSocket


class Echo:
    """The program `echo.py`, running."""

    def __init__(self) -> None:
        self.port = free_port()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.numbers_site.echo", str(self.port)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.hears("listening")

    def hears(self, line: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == f"{line}\n"

    def open(self) -> RawSocket:
        return RawSocket(self.port, "/")


@contextmanager
def running() -> Iterator[Echo]:
    program = Echo()
    yield program
    program.process.terminate()
    _, errors = program.process.communicate(timeout=60)
    assert errors == ""


@pytest.fixture
def echo() -> Iterator[Echo]:
    """One for a test that ends it, or listens to what it says."""
    with running() as program:
        yield program


@pytest.fixture(scope="module")
def any_echo() -> Iterator[Echo]:
    with running() as program:
        yield program


def test_4_kb_pass_and_one_byte_more_closes_with_1009(echo: Echo) -> None:
    with echo.open() as one:
        one.send("x" * 4096)
        assert len(one.receive()) == 4096
        one.send("x" * 4097)
        assert one.close_code() == 1009
    echo.hears("disconnect 1009")


def test_10_mb_close_with_1009(any_echo: Echo) -> None:
    """The server says so after the first bytes, and need not read the others: they are sent meanwhile."""
    with any_echo.open() as one, ThreadPoolExecutor(1) as meanwhile:
        sending = meanwhile.submit(one.send, "x" * 10_000_000)
        assert one.close_code() == 1009
        one.tcp.shutdown(socket.SHUT_RDWR)
        assert isinstance(sending.exception(10), OSError | None)


def test_small_pieces_of_a_large_message_close_with_1009(any_echo: Echo) -> None:
    piece = b"\xfe\x0b\xb8\0\0\0\0" + b"x" * 3000
    with any_echo.open() as one:
        one.tcp.sendall(b"\x01" + piece + b"\x80" + piece)
        assert one.close_code() == 1009


def test_what_we_send_may_be_longer(any_echo: Echo) -> None:
    with any_echo.open() as one:
        one.send("long 20000")
        assert len(one.receive()) == 20_000


def test_what_a_slow_reader_cannot_take_at_once_follows_in_order(any_echo: Echo) -> None:
    """Twenty megabytes are more than the system holds for a line."""
    with any_echo.open() as one:
        for n in range(50):
            one.send("long 400000")
            one.send(str(n))
        time.sleep(1)
        for n in range(50):
            assert len(one.receive()) == 400_000
            assert one.receive() == str(n).encode()


def test_a_flood_closes_with_1008(any_echo: Echo) -> None:
    with any_echo.open() as one:
        one.send("slow")
        for _ in range(200):
            one.send("and")
        assert one.close_code() == 1008


def test_other_sockets_live_on_beside_a_flood(any_echo: Echo) -> None:
    with any_echo.open() as calm, any_echo.open() as wild:
        wild.send("slow")
        for _ in range(200):
            wild.send("and")
        calm.send("here")
        assert calm.receive() == b"here"


def test_a_push_to_a_socket_that_is_closing_does_not_end_its_consumer(echo: Echo) -> None:
    with echo.open() as one:
        one.send("chatter")
        one.receive()
        one.send("x" * 5000)
        # The close is not answered, so the server stays in its closing state for a second, its consumer talking.
        opcode = 0
        while opcode != CLOSE:
            opcode, _ = one.frame()
        time.sleep(0.2)
    echo.hears("disconnect 1006")


def test_stopping_says_1012_to_every_socket_and_waits_for_its_consumer(echo: Echo) -> None:
    with echo.open() as one, echo.open() as two:
        echo.process.send_signal(signal.SIGTERM)
        assert one.close_code() == two.close_code() == 1012
        echo.hears("disconnect 1012")
        echo.hears("disconnect 1012")
        echo.hears("stopped")


@pytest.mark.parametrize(
    "occupy", [lambda one: None, lambda one: one.send("chatter")], ids=["silent", "talked to"]
)
def test_a_socket_that_never_answers_does_not_hold_up_the_stop(
    echo: Echo, occupy: Callable[[RawSocket], None]
) -> None:
    with echo.open() as one:
        occupy(one)
        echo.process.send_signal(signal.SIGTERM)
        echo.hears("disconnect 1006")
        echo.hears("stopped")  # fails by itself where it never comes
