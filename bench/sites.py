"""The sites that are measured, each pinned to one core with all that belongs to it, and what their processes use."""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.faults.crowd import wait_for
from tests.faults.places import Place, quiet_ports
from tests.faults.scaled import Scaled, listens, role_of
from tests.site import ROOT, run

Json = dict[str, Any]

SEAT = """
import json
from django.db import transaction
from matches.choices import agreed
from matches.services import create_match
from players.services import issue_token, welcome_guest
terms, seated = agreed({terms!r}), []
for _ in range({matches}):
    with transaction.atomic():
        players = welcome_guest(), welcome_guest()
        match = create_match(terms, players, public=True)
        seated.append((match.pk, match.state["first"], [issue_token(player) for player in players]))
print(json.dumps(seated))
"""
PLAYED = {"length": 5, "clock": {"seconds": 1800}}
"""A clock that does not fall while it is measured."""
WAITING = {"preset": "classic", "clock": {"seconds": 3600}}
"""While its players choose no clock runs, so nothing ticks."""


@dataclass(frozen=True)
class Used:
    """What each kind of process has used of a processor (s), and holds of memory that nobody shares (bytes)."""

    cpu: dict[str, float]
    memory: dict[str, int]

    def since(self, before: "Used") -> dict[str, float]:
        return {name: cpu - before.cpu.get(name, 0.0) for name, cpu in self.cpu.items()}


@dataclass
class Shape:
    """A site that runs: where it listens, how to run a command on it, and which processes it is made of."""

    port: int
    settings: dict[str, str]
    roots: dict[str, int]
    """A name for each process that was started; its descendants are known by what they are, or belong to it."""

    def used(self) -> Used:
        cpu: defaultdict[str, float] = defaultdict(float)
        memory: defaultdict[str, int] = defaultdict(int)
        for name, process in self.processes():
            try:
                times, held = process.cpu_times(), process.memory_full_info().uss
            except psutil.NoSuchProcess:
                continue
            cpu[name] += times.user + times.system
            memory[name] += held
        return Used(dict(cpu), dict(memory))

    def processes(self) -> Iterator[tuple[str, psutil.Process]]:
        for name, pid in self.roots.items():
            root = psutil.Process(pid)
            yield name, root
            for process in root.children(recursive=True):
                yield role_of(process.pid) or name, process

    def seat(self, matches: int, terms: Json) -> list[tuple[str, int, list[str]]]:
        """New matches between guests: id, who moves first, the tokens of the two."""
        done = run("shell", "--no-imports", "-c", SEAT.format(matches=matches, terms=terms), **self.settings)
        assert done.returncode == 0, done.stderr
        seated: list[tuple[str, int, list[str]]] = json.loads(done.stdout.splitlines()[-1])
        return seated

    def versions(self) -> dict[str, int]:
        """How far every match has come, by the database."""
        asked = "import json; from matches.models import Match; print(json.dumps(dict(Match.objects.values_list{})))"
        done = run("shell", "--no-imports", "-c", asked.format(("id", "version")), **self.settings)
        found: dict[str, int] = json.loads(done.stdout)
        return found


@contextmanager
def embedded() -> Iterator[Shape]:
    with tempfile.TemporaryDirectory() as folder, Place(Path(folder) / "data", **SETTINGS) as site:
        yield Shape(site.port, site.settings, {"site": site.process.pid})


@contextmanager
def scaled(web: int = 1) -> Iterator[Shape]:
    with Scaled(web, **SETTINGS) as site:
        site.is_whole()
        assert site.process
        assert site.postgres.process
        assert site.redis.process
        roots = {
            "supervisor": site.process.pid,
            "postgres": site.postgres.process.pid,
            "redis": site.redis.process.pid,
        }
        yield Shape(site.port, site.settings, roots)


SETTINGS = {"GRACE_SECONDS": "3600", "CHOOSE_SECONDS": "3600", "BUDGET_SECONDS": "300,1800"}
SHAPES: dict[str, Callable[[], AbstractContextManager[Shape]]] = {"embedded": embedded, "scaled": scaled}


@contextmanager
def echo(shape: Shape) -> Iterator[Shape]:
    """The baseline beside a site, on the same database server."""
    port = quiet_ports()
    settings = {name: shape.settings.get(name, "") for name in ("DATABASE_URL", "DATA")}
    process = subprocess.Popen(
        [sys.executable, "bench/echo.py", str(port)], cwd=ROOT, env={**os.environ, **settings}
    )
    try:
        wait_for("the echo", lambda: listens(port), 30)
        roots = {"echo": process.pid} | {name: pid for name, pid in shape.roots.items() if name == "postgres"}
        yield Shape(port, settings, roots)
    finally:
        process.terminate()
        process.wait(10)


@dataclass
class Generator(AbstractContextManager["Generator"]):
    """The load generator's process, on the core that the site does not have."""

    core: int | None
    process: "subprocess.Popen[str]" = field(init=False)

    def __enter__(self) -> "Generator":
        pinned = [] if self.core is None else [str(self.core)]
        self.process = subprocess.Popen(
            [sys.executable, "bench/load.py", *pinned],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *error: object) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(10)

    def do(self, order: str, **given: Any) -> Json:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"do": order, **given}) + "\n")
        self.process.stdin.flush()
        answer: Json = json.loads(self.process.stdout.readline())
        return answer
