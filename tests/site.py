"""The whole site as `make play` starts it, in a process and a folder of its own: what a player meets."""

import fcntl
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parent.parent
PREPARED = "PREPARED_SITE"
"""In the environment of a run: the folder in which its sites find what only a first start has to do."""
PREPARE = "from numbers_site.start import prepare; prepare()"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """A command of manage.py, to its end."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@contextmanager
def preparing_once() -> Iterator[None]:
    """For as long as it lasts, what a first start has to do is done for one site, and copied by all others."""
    folder = Path(tempfile.mkdtemp(prefix="numbers-prepared-"))
    os.environ[PREPARED] = str(folder)
    yield
    if (folder / "postgres").exists():
        on_server(f"DROP DATABASE {_prepared_database(folder)} WITH (FORCE)")
    shutil.rmtree(folder)
    del os.environ[PREPARED]


def _prepared(kind: str) -> Path | None:
    """The folder of a site that has been prepared and never served, for `sqlite` or `postgres`."""
    if PREPARED not in os.environ:
        return None
    folder = Path(os.environ[PREPARED])
    data = folder / kind
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # workers run side by side
        if not data.exists():
            url = ""
            if kind == "postgres":
                url = server_url(database := _prepared_database(folder))
                on_server(f"CREATE DATABASE {database}")
            making = folder / f"{kind}-unfinished"
            made = run("shell", "--no-imports", "-c", PREPARE, DATA=str(making), DATABASE_URL=url)
            assert made.returncode == 0, made.stderr
            (making / "secret_key").unlink(missing_ok=True)  # every site has a key of its own
            making.rename(data)
    return data


def _prepared_database(folder: Path) -> str:
    return folder.name.replace("-", "_").lower()


def server_url(database: str) -> str:
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=database))


def on_server(statement: str) -> None:
    import psycopg  # only where there is PostgreSQL

    with psycopg.connect(server_url("postgres"), autocommit=True) as connection:
        connection.execute(statement.encode())


class Site:
    """Starts on entering, stops on leaving. Where the tests run on PostgreSQL, so does the site: on a new database.

    What only a first start has to do has been done for it, unless it is to be the `first`.
    """

    def __init__(self, data: Path, *, first: bool = False, **settings: str) -> None:
        self.data, self.first = data, first
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.settings = {"DATA": str(data), "PORT": str(self.port), **settings}
        self.on_server = bool(os.environ.get("DATABASE_URL"))
        if self.on_server:
            self.database = f"site_{secrets.token_hex(6)}"
            self.settings["DATABASE_URL"] = server_url(self.database)
        self.log = data.parent / f"{data.name}.log"

    def __enter__(self) -> Self:
        prepared = None if self.first else _prepared("postgres" if self.on_server else "sqlite")
        if prepared is not None:
            shutil.copytree(prepared, self.data, dirs_exist_ok=True)
        if self.on_server:
            template = f" TEMPLATE {_prepared_database(prepared.parent)}" if prepared else ""
            on_server(f"CREATE DATABASE {self.database}{template}")
        try:
            self.start()
        except AssertionError:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self.on_server:
            on_server(f"DROP DATABASE {self.database} WITH (FORCE)")

    def start(self) -> None:
        """Return once the site can be reached."""
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "play"],
                cwd=ROOT,
                env={**os.environ, **self.settings},
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if self.url in line:
                return
        raise AssertionError(f"the site did not start:\n{self.errors()}")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        assert self.process.stdout is not None
        self.process.stdout.read()
        return self.process.wait(20)

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of manage.py on this site, which may be running."""
        return run(*arguments, **self.settings)

    def errors(self) -> str:
        """All that it has said on stderr."""
        return self.log.read_text()
