"""Sites for tests that end them: the same folder, port and settings before and after."""

import contextlib
import random
import signal
import socket
import sqlite3
from pathlib import Path

from tests.faults.crowd import now_ms, sleep_until
from tests.faults.proof import Outage
from tests.site import Site

RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def quiet_ports(count: int = 1) -> int:
    """The first of `count` free ports, none of which the system gives to clients.

    Otherwise one of those who knock while the site is down might be given its port, and keep it from starting again.
    """
    lowest = int(RANGE.read_text().split()[0]) if RANGE.exists() else 32_768
    for _ in range(200):
        port = random.randrange(10_000, lowest - count)
        if all(_free(port + number) for number in range(count)):
            return port
    raise AssertionError("no free port")


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


class Place(Site):
    """The embedded site, whatever servers the tests have: one process, SQLite, nothing else."""

    def __init__(self, data: Path, **settings: str) -> None:
        super().__init__(data)
        self.settings |= {"REDIS_URL": "", "LIMITS": "off", **settings}
        self.on_server, self.settings["DATABASE_URL"] = False, ""
        self.port = quiet_ports()
        self.url = f"http://127.0.0.1:{self.port}"
        self.settings["PORT"] = str(self.port)

    def over(self) -> set[str]:
        """Matches that are over, read past the site: nobody asks it, so nobody may bring it to settle them."""
        with contextlib.closing(sqlite3.connect(Path(self.settings["DATA"]) / "numbers.sqlite3")) as rows:
            return {row[0] for row in rows.execute("SELECT id FROM matches_match WHERE status = 'over'")}

    def outage(self, how: signal.Signals, seconds: float) -> Outage:
        """End it so, and start it again so long after."""
        began = now_ms()
        self.stop(how)
        sleep_until(began + int(seconds * 1000))
        self.start()
        return Outage(began, now_ms())

    def freeze(self, seconds: float) -> Outage:
        began = now_ms()
        self.process.send_signal(signal.SIGSTOP)
        sleep_until(began + int(seconds * 1000))
        self.process.send_signal(signal.SIGCONT)
        return Outage(began, now_ms())
