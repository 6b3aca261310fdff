"""The scaled shape on one machine: web processes behind nginx, workers, one beat, each replaced when it ends."""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

from numbers_site import env, nginx
from numbers_site.start import CannotStart, free_address, prepare
from numbers_site.stopping import Stopping

LOOK_SECONDS = 0.2
REPLACE_SECONDS = 1.0
PATIENCE_SECONDS = 8.0


@dataclass
class Part:
    """One process of the site, started again a second after it has ended."""

    name: str
    command: list[str]
    settings: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    ended_at: float = 0.0

    def start(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603  our own commands
            self.command, env={**os.environ, **self.settings}, start_new_session=True
        )

    def look(self) -> bool:
        """Whether it has just ended."""
        if self.process is not None and self.process.poll() is not None:
            self.process, self.ended_at = None, time.monotonic()
            return True
        if self.process is None and time.monotonic() - self.ended_at > REPLACE_SECONDS:
            self.start()
        return False

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def wait(self, until: float) -> None:
        """Give it until then (monotonic), and end it."""
        if self.process is None:
            return
        try:
            self.process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()


class Command(BaseCommand):
    help = "Serve the game as separate processes on PostgreSQL and Redis, until Ctrl-C or TERM."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--web", type=int, default=2, help="web processes")
        parser.add_argument("--workers", type=int, default=1, help="Celery workers")

    def handle(self, *args: Any, **options: Any) -> None:
        stopping = Stopping()
        binary = self.needs()
        address = free_address(settings.HOST, settings.PORT)
        for line in prepare():
            self.say(line)
        connection.close()
        parts = self.parts(binary, address, options["web"], options["workers"])
        stopping.begin = lambda: None
        for part in parts:
            part.start()
        self.say(f"The Numbers: http://{env.in_url(settings.HOST)}:{settings.PORT}")
        self.watch(parts, stopping)
        self.end(parts)

    def needs(self) -> str:
        """Where nginx is. The scaled shape has no part that could be left out."""
        if connection.vendor != "postgresql":
            raise CannotStart(
                "DATABASE_URL: the scaled shape needs PostgreSQL: postgres://USER:PASSWORD@HOST:PORT/NAME."
            )
        if not settings.REDIS_URL:
            raise CannotStart("REDIS_URL: the scaled shape needs Redis: redis://HOST:PORT/NUMBER.")
        binary = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
        if binary is None:
            raise CannotStart(
                "The scaled shape needs nginx: install it (Debian, Ubuntu: apt-get install nginx-light)."
            )
        return binary

    def parts(self, binary: str, address: str, web: int, workers: int) -> list[Part]:
        manage = [sys.executable, "manage.py"]
        celery = [sys.executable, "-m", "celery", "--app", "numbers_site", "--quiet"]
        quiet = ["--loglevel", "WARNING"]
        # Heard by nginx only; every name the site is reached by is admitted, whatever these listen on.
        inner = {
            "HOST": "127.0.0.1",
            "ALLOWED_HOSTS": ",".join(settings.ALLOWED_HOSTS),
            "PROXIES": str(settings.PROXIES + 1),
        }
        ports = [settings.PORT + 1 + number for number in range(web)]
        return [
            *(Part(f"web {port}", [*manage, "serve", "--port", str(port)], inner) for port in ports),
            *(
                Part(
                    f"worker {n}",
                    [
                        *celery,
                        "worker",
                        "--pool",
                        "threads",
                        "--concurrency",
                        "4",
                        "--hostname",
                        f"w{n}@%h",
                        *quiet,
                    ],
                )
                for n in range(workers)
            ),
            Part("beat", [*celery, "beat", *quiet, "--pidfile="]),
            Part("nginx", [binary, "-c", str(self.nginx(f"{env.in_url(address)}:{settings.PORT}", ports))]),
        ]

    def nginx(self, listen: str, ports: list[int]) -> Path:
        (settings.DATA / "nginx").mkdir(exist_ok=True)
        path = settings.DATA / "nginx.conf"
        path.write_text(
            nginx.config(listen, ports, settings.DATA, Path(settings.STATIC_ROOT), settings.PROXIES)
        )
        return path

    def watch(self, parts: list[Part], stopping: Stopping) -> None:
        while not stopping.asked:
            for part in parts:
                if part.look():
                    self.say(f"{part.name} has ended and is replaced.")
            time.sleep(LOOK_SECONDS)

    def end(self, parts: list[Part]) -> None:
        """Nobody new first, then everybody."""
        until = time.monotonic() + PATIENCE_SECONDS
        for part in reversed(parts):
            part.stop()
        for part in parts:
            part.wait(until)

    def say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
