"""What the hot questions cost as finished matches gather: time, pages of the database read, and by which plan.

`DATABASE_URL=… .venv/bin/python bench/growth.py` fills an empty PostgreSQL database step by step to a million matches
and asks each question at every step; with `--steps 0` it asks them of the database as it is. Results gather in one JSON
and the table is of all of it. Pages read are the figure to trust: they are the same on a busy machine.
"""

import argparse
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "numbers_site.settings")
os.environ["GRACE_SECONDS"] = "36000"  # nobody is connected to the running matches, and none is to end

import django  # noqa: E402  after the path, as all that follows

django.setup()

import psutil  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from bots import services as bots  # noqa: E402
from lobby import queries as lobby  # noqa: E402
from matches import queries, services, store  # noqa: E402
from matches.choices import agreed  # noqa: E402
from matches.core.machine import Status  # noqa: E402
from matches.models import Match, Seat, new_id  # noqa: E402
from matches.wire import Order  # noqa: E402
from players.models import User  # noqa: E402
from players.services import welcome_guest  # noqa: E402
from ratings import queries as ratings  # noqa: E402
from ratings.models import ALL_TIME, Ladder, Standing  # noqa: E402
from ratings.services import count_pending  # noqa: E402
from tests.faults.crowd import wait_for  # noqa: E402
from tests.faults.places import quiet_ports  # noqa: E402
from tests.faults.scaled import listens  # noqa: E402

Json = dict[str, Any]
LIVE = 10_000
TIMES = 5
ASKED = 60


@dataclass
class Town:
    """Whom and what the questions are about."""

    live: str
    first: int
    many: list[str]
    over: str
    player: User
    move: int = 0

    def guess(self) -> None:
        services.obey(self.live, (self.first + self.move) % 2, Order("guess", code="12345"))
        self.move += 1


def town() -> Town:
    """Ten thousand running matches, one of which is played; a finished one; a player of many."""
    players = welcome_guest(), welcome_guest()
    match = services.create_match(agreed({"length": 5, "clock": {"seconds": 1800}}), players, public=True)
    for seat in (0, 1):
        services.obey(match.pk, seat, Order("secret", code="00000"))
    row = Match.objects.get(pk=match.pk)
    missing = LIVE - Match.objects.exclude(status=Status.OVER.value).count()
    columns = {name: getattr(row, name) for name in _COPIED}
    begun = [row.created_at - timedelta(seconds=number) for number in range(1, missing + 1)]
    copies = [Match(id=new_id(), created_at=at, **columns) for at in begun]
    Match.objects.bulk_create(copies, batch_size=1000)
    Seat.objects.bulk_create(
        (Seat(match=copy, index=seat, player=players[seat]) for copy in copies for seat in (0, 1)),
        batch_size=1000,
    )
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    over = Match.objects.filter(status=Status.OVER.value, events__version=5).order_by("-ended_at").first()
    best = Standing.objects.order_by("-rows").first()
    assert over is not None
    assert best is not None
    live = Match.objects.exclude(status=Status.OVER.value)
    many = list(live.values_list("pk", flat=True)[:1000])
    return Town(match.pk, row.state["first"], many, over.pk, User.objects.get(pk=best.player_id))


_COPIED = (
    "public", "status", "version", "revision", "state", "secrets", "answers", "deadline_at", "outcome", "reason",
    "winner", "ended_at",
)  # fmt: skip


def questions(about: Town) -> dict[str, Callable[[], object]]:
    """The hot ones, each as the site asks it."""
    loaded = queries.load(about.live)
    player = about.player.pk
    return {
        "a guess": about.guess,
        "a match page": lambda: queries.load(about.over),
        "a page follows a step": lambda: queries.follow(loaded),
        "look after 1,000 matches": lambda: queries.revisions(about.many),
        "the sweep": lambda: store.deadline_passed(store.now_ms()),
        "the bots’ sweep": bots.sweep,
        "bots: what was not heard": bots.mend,
        "ends not yet counted": count_pending,
        "the lobby’s look": lobby.snapshot,
        "home: what can be watched": lambda: queries.watchable(4, player),
        "home: my running matches": lambda: queries.live_of(player),
        "the ladder’s top": lambda: ratings.climb(Ladder.GENERAL, limit=50),
        "the ladder around a player": lambda: ratings.around(Ladder.GENERAL, ALL_TIME, player),
        "a player’s record": lambda: ratings.record(ratings.tallies(player)),
        "a player’s history": lambda: ratings.history(player, limit=20),
        "a replay": lambda: store.events(about.over),
        "guests long away": services.forget_guests,
    }


def ask(question: Callable[[], object]) -> Json:
    """Statements, the best time of some (ms), pages read, and the plan."""
    question()
    with CaptureQueriesContext(connection) as caught:
        question()
    asked = [
        query["sql"]
        for query in caught
        if not query["sql"].startswith(("BEGIN", "COMMIT", "SAVE", "RELEASE"))
    ]
    plans = [_explained(sql) for sql in asked]
    return {
        "statements": len(asked),
        "ms": round(sum(plan["ms"] for plan in plans), 2),
        "pages": sum(plan["pages"] for plan in plans),
        "plan": "; ".join(plan["by"] for plan in plans),
    }


def _explained(sql: str) -> Json:
    """Asked some times, and each time undone."""
    found = []
    for _ in range(TIMES):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "SET LOCAL session_replication_role = replica"
            )  # an event told twice is no fault here
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {_again(sql)}")
            for (told,) in cursor.fetchall():
                found += json.loads(told) if isinstance(told, str) else told
            transaction.set_rollback(True)
    best = min(found, key=lambda plan: plan["Execution Time"])
    top = best["Plan"]
    pages = top["Shared Hit Blocks"] + top["Shared Read Blocks"]
    return {"ms": best["Execution Time"], "pages": pages, "by": ", ".join(dict.fromkeys(_nodes(top)))}


def _again(sql: str) -> str:
    """A statement that has been carried out, so that it can be once more: the event it wrote is there already."""
    with_told, found, update = sql.partition(") UPDATE ")
    return f"{with_told} ON CONFLICT DO NOTHING{found}{update}" if found else sql


def _nodes(plan: Json) -> Iterator[str]:
    """What is read, and by which index."""
    if "Relation Name" in plan or "Index Name" in plan:
        table = plan.get("Relation Name", "").split("_", 1)[-1]
        yield f"{plan['Node Type'].lower()} {plan.get('Index Name') or table}"
    for below in plan.get("Plans", ()):
        yield from _nodes(below)


def swept() -> Json:
    """A sweep over all that is running, with nothing due: ms."""
    times = []
    for _ in range(20):
        began, used = time.perf_counter(), time.process_time()
        services.sweep()
        times.append(((time.perf_counter() - began) * 1000, (time.process_time() - used) * 1000))
    return {
        "live": Match.objects.exclude(status=Status.OVER.value).count(),
        "ms": round(statistics.median(took for took, _ in times), 2),
        "cpu_ms": round(statistics.median(used for _, used in times), 2),
    }


@contextmanager
def serving() -> Iterator[tuple[int, psutil.Process]]:
    """A web process of this site."""
    call_command("collectstatic", interactive=False, verbosity=0)
    port = quiet_ports()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", str(port)],
        cwd=ROOT,
        env={**os.environ, "LIMITS": "off"},
    )
    try:
        wait_for("a web process", lambda: listens(port), 60)
        yield port, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(20)


def pages(about: Town) -> Json:
    """How long pages take (ms: p50, p95), each of another match or player, and what of it is ours."""
    some = random.Random(1)
    over = list(
        Match.objects.filter(status=Status.OVER.value)
        .order_by("-ended_at")
        .values_list("pk", flat=True)[:2000]
    )
    names = list(User.objects.filter(kind="human").order_by("pk").values_list("username", flat=True)[:5000])
    paths = {
        "home": lambda: "/",
        "lobby": lambda: "/lobby/",
        "a running match": lambda: f"/m/{some.choice(about.many)}/",
        "a finished match": lambda: f"/m/{some.choice(over)}/",
        "a replay’s step": lambda: f"/m/{some.choice(over)}/at/5/",
        "the ladder": lambda: "/ladder/",
        "a player": lambda: f"/players/{some.choice(names)}/",
        "a history": lambda: f"/players/{some.choice(names)}/matches/",
        "tournaments": lambda: "/tournaments/",
    }
    desk = {
        "admin: matches": lambda: "/admin/matches/match/",
        "admin: matches that are over": lambda: "/admin/matches/match/?stage=over",
        "admin: matches of a player": lambda: f"/admin/matches/match/?q={some.choice(names)}",
        "admin: a match": lambda: f"/admin/matches/match/{some.choice(over)}/change/",
        "admin: players": lambda: "/admin/players/user/",
        "admin: a name’s beginning": lambda: f"/admin/players/user/?q={some.choice(names)[:4]}",
        "admin: a player": lambda: f"/admin/players/user/{about.player.pk}/change/",
        "admin: the ledger": lambda: "/admin/ratings/ledgerrow/",
        "admin: the ledger of a player": lambda: f"/admin/ratings/ledgerrow/?q={some.choice(names)}",
        "admin: reports": lambda: "/admin/players/report/",
        "admin: the log of acts": lambda: "/admin/players/auditrow/",
    }
    User.objects.filter(username="chief-of-bench").delete()
    chief = User(username="chief-of-bench", name_key="chief-of-bench", is_staff=True, is_superuser=True)
    chief.save()
    with serving() as (port, process):
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        ours, theirs = cookie(about.player), cookie(chief)
        return {name: _timed(line, process, path, ours) for name, path in paths.items()} | {
            name: _timed(line, process, path, theirs) for name, path in desk.items()
        }


def cookie(user: User) -> str:
    """What a browser sends that is signed in."""
    client = Client()
    client.force_login(user)
    return "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())


def _timed(
    line: http.client.HTTPConnection, process: psutil.Process, path: Callable[[], str], cookie: str
) -> Json:
    times, statuses, used = [], set(), process.cpu_times()
    for number in range(ASKED + 5):
        if number == 5:  # the first have templates to read
            used = process.cpu_times()
        began = time.perf_counter()
        line.request("GET", path(), headers={"Cookie": cookie})
        answer = line.getresponse()
        answer.read()
        times.append((time.perf_counter() - began) * 1000)
        statuses.add(answer.status)
    after, ordered = process.cpu_times(), sorted(times[5:])
    return {
        "p50": round(ordered[ASKED // 2], 1),
        "p95": round(ordered[ASKED * 95 // 100], 1),
        "cpu_ms": round((after.user + after.system - used.user - used.system) * 1000 / ASKED, 1),
        "status": sorted(statuses),
    }


def table(found: Json) -> list[str]:
    """Markdown: a column for each number of matches."""
    sizes = sorted(found, key=int)
    heads = " | ".join(f"{int(size):,}" for size in sizes)
    lines = [f"| asked | {heads} | plan at the last |", f"|---|{'---|' * len(sizes)}---|"]
    for name in found[sizes[-1]]["questions"]:
        cells = [found[size]["questions"][name] for size in sizes]
        told = " | ".join(f"{cell['ms']} ms, {cell['pages']}" for cell in cells)
        lines.append(f"| {name} | {told} | {cells[-1]['plan']} |")
    for size in sizes:
        if "pages" in found[size]:
            lines += ["", f"Pages at {int(size):,} matches, ms (p50 / p95 / of the process’s CPU):"]
            lines += [
                f"- {name}: {page['p50']} / {page['p95']} / {page['cpu_ms']}"
                for name, page in found[size]["pages"].items()
            ]
        lines.append(
            f"- sweep over {found[size]['sweep']['live']:,} running at {int(size):,}: {found[size]['sweep']}"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", default="1000,10000,100000,1000000", help="so many matches; 0 as it is")
    parser.add_argument("--json", type=Path, default=Path("artifacts/growth.json"))
    parser.add_argument("--pages", action="store_true", help="time pages too, at the last step")
    asked = parser.parse_args()
    found: Json = json.loads(asked.json.read_text()) if asked.json.exists() else {}
    call_command("migrate", interactive=False, verbosity=0)
    steps = [int(step) for step in asked.steps.split(",")]
    for step in steps:
        there = Match.objects.filter(status=Status.OVER.value).count()
        if step > there:
            call_command("fill", matches=step - there, players=max(50, min(20_000, step // 50)))
        about = town()
        size = str(step or there)
        found[size] = {"questions": {name: ask(question) for name, question in questions(about).items()}}
        found[size]["sweep"] = swept()
        if asked.pages and step == steps[-1]:
            found[size]["pages"] = pages(about)
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        asked.json.write_text(json.dumps(found, indent=1) + "\n")
    sys.stdout.write("\n".join(table(found)) + "\n")


if __name__ == "__main__":
    main()
