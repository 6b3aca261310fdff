"""The scaled site with servers of its own: every process of it can be ended without asking anybody."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import psycopg
from redis import Redis, RedisError

from tests.faults.crowd import Api, now_ms, sleep_until, wait_for
from tests.faults.places import quiet_ports
from tests.faults.proof import Outage
from tests.site import ROOT

Role = Literal["web", "worker", "beat", "nginx"]

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
REDIS = shutil.which("redis-server")
WANTED = {
    "PostgreSQL's own programs (apt-get install postgresql)": bool(BINARIES),
    "nginx (apt-get install nginx-light)": NGINX is not None,
    "redis-server (apt-get install redis-server)": REDIS is not None,
}
MISSING = [what for what, there in WANTED.items() if not there]

WEB = 2
PATIENCE = 60.0


def postgres_user() -> dict[str, Any]:
    """PostgreSQL refuses to be root: then it is the user its package has made."""
    return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}


class Postgres:
    """A cluster of its own, as safe as one in earnest: what it has committed stands."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder / "postgres", quiet_ports()
        self.programs = BINARIES[-1].parent
        self.log = folder / "postgres.log"
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/numbers"
        self.process: subprocess.Popen[bytes] | None = None
        self.folder.mkdir()
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        asked = ["-D", str(self.folder), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C", "-N"]
        subprocess.run(
            [self.programs / "initdb", *asked], check=True, capture_output=True, cwd="/", **postgres_user()
        )

    def start(self) -> None:
        settings = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": self.folder,
        }
        asked = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", str(self.folder), *asked],
                stdout=log,
                stderr=log,
                cwd="/",
                **postgres_user(),
            )
        wait_for("PostgreSQL", self.answers, PATIENCE)

    def answers(self) -> bool:
        try:
            with psycopg.connect(self.url.replace("/numbers", "/postgres"), connect_timeout=2):
                return True
        except psycopg.OperationalError:
            return False

    def run(self, statement: str, database: str = "postgres") -> list[Any]:
        url = self.url.replace("/numbers", f"/{database}")
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """INT is its *fast*: open transactions are rolled back, all lines cut."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)


class RedisServer:
    """A server of its own that keeps nothing."""

    def __init__(self, folder: Path) -> None:
        self.port = quiet_ports()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert REDIS is not None
        asked = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder)]
        self.process = subprocess.Popen([REDIS, *asked], stdout=subprocess.DEVNULL)
        wait_for("Redis", self.answers, PATIENCE)

    def answers(self) -> bool:
        try:
            with contextlib.closing(Redis.from_url(self.url)) as redis:
                return bool(redis.ping())
        except RedisError:
            return False

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)


def children(pid: int) -> list[int]:
    """Of a process: those it has started, as the system knows them."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended while we looked
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


def descendants(pid: int) -> list[int]:
    below = children(pid)
    return below + [further for child in below for further in descendants(child)]


def role_of(pid: int) -> Role | None:
    with contextlib.suppress(OSError):
        words = (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode().split()
        if "serve" in words:
            return "web"
        if "worker" in words and "celery" in words:
            return "worker"
        if "beat" in words:
            return "beat"
        if any("nginx" in word for word in words[:3]):
            return "nginx"
    return None


def end(pid: int, how: signal.Signals = signal.SIGKILL) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, how)


class Scaled:
    """`manage.py scale` on a cluster, a Redis and ports of its own. Starts on entering, stops on leaving."""

    def __init__(self, web: int = WEB, /, **settings: str) -> None:
        self.web = web
        # Not below a folder of root's alone: PostgreSQL and nginx's workers are other users.
        self.folder = Path(tempfile.mkdtemp(prefix="numbers-scaled-"))
        self.folder.chmod(0o755)
        self.postgres, self.redis = Postgres(self.folder), RedisServer(self.folder)
        self.port = quiet_ports(1 + web)
        self.settings = {
            "DATA": str(self.folder / "data"),
            "PORT": str(self.port),
            "DATABASE_URL": self.postgres.url,
            "REDIS_URL": self.redis.url,
            "LIMITS": "off",
            **settings,
        }
        self.log = self.folder / "site.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.others: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        try:
            self.postgres.start()
            self.postgres.run("CREATE DATABASE numbers")
            self.redis.start()
            self.start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        for other in self.others:
            other.terminate()
            other.wait(PATIENCE)
        self.redis.stop()
        self.postgres.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> int:
        """When (ms) the first web process took connections. Returns once the site can be reached."""
        self.process = self.run("manage.py", "scale", "--web", str(self.web), "--workers", "1")
        wait_for("a web process", lambda: any(map(listens, self.web_ports)), PATIENCE)
        first = now_ms()
        wait_for("nginx", lambda: self.answers("/healthz"), PATIENCE)
        return first

    def is_whole(self) -> None:
        """Return once all parts are there, and there has been a sweep of late."""
        wait_for("the whole site", lambda: self.answers("/readyz"), PATIENCE, every=0.2)

    def answers(self, path: str) -> bool:
        try:
            return Api(self.port).ask("GET", path)[0] == 200
        except OSError:
            return False

    def run(self, *command: str) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env={**os.environ, **self.settings},
                stdout=log,
                stderr=log,
            )

    def run_beside(self, *command: str) -> None:
        """Another process of the site, which its supervisor knows nothing of."""
        self.others.append(self.run(*command))

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)

    @property
    def web_ports(self) -> list[int]:
        return [self.port + 1 + number for number in range(self.web)]

    def pids(self, role: Role) -> list[int]:
        """The parts of a role that run now."""
        assert self.process is not None
        return [pid for pid in children(self.process.pid) if role_of(pid) == role]

    def replaced(self, role: Role, pid: int) -> Callable[[], bool]:
        """Whether that part is gone and another is there for it. To be asked before it goes."""
        before = len(self.pids(role))
        return lambda: pid not in (there := self.pids(role)) and len(there) == before

    def kill(self) -> None:
        """Everything at once, but for the servers: nobody is left to say or to start anything."""
        assert self.process is not None
        pids = [self.process.pid, *descendants(self.process.pid)]
        for pid in pids:
            end(pid, signal.SIGSTOP)
        for pid in pids:
            end(pid)
        self.process.wait(PATIENCE)

    def outage(self, seconds: float) -> Outage:
        """Kill everything, and start it again so long after."""
        began = now_ms()
        self.kill()
        sleep_until(began + int(seconds * 1000))
        return Outage(began, self.start())


def listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
