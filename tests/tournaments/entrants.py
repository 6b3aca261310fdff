"""Entrants that are programs: accounts that enter a tournament, follow its bracket and play, by the public interface
and its sockets alone; and what must be true of the tournament they have played (R8)."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import permutations
from random import Random
from typing import Any

from matches.core.marking import mark
from ratings.core.points import applied, earned
from tests.faults.crowd import Api, wait_for
from tests.site import run
from tests.sockets import Closed, RawSocket

Json = dict[str, Any]

TERMS = {"preset": "duel", "length": 4, "repeats": False, "clock": {"seconds": 600}}
EVERY = ["".join(digits) for digits in permutations("0123456789", 4)]
BRISK = {"ROUND_PAUSE_SECONDS": "1", "BOT_DELAY": "0-0"}
LINE_SECONDS = 90.0
"""A line says something at least so often: a machine under test may be slow."""
DOOR = threading.Semaphore(4)
BOT = "Easy"

ACCOUNTS = """
from players.models import User
from players.services import issue_token
for number in range({count}):
    print(issue_token(User.objects.create_user(username=f"{prefix}-{{number}}")))
"""
BEGIN = """
from datetime import timedelta
from django.utils import timezone
from matches import codec
from tournaments import services
from tournaments.models import Tournament
row = Tournament.objects.get(pk="{id}")
plan = services.Plan(row.name, codec.terms_from_json(row.terms), timezone.now() + timedelta(seconds=1))
services.edit(row.pk, row.creator, plan)
"""


class Entrant:
    """One account's program. It follows the bracket on one line and plays every match it is drawn for on another."""

    def __init__(self, port: int, name: str, token: str, *, quits_in: int = 0) -> None:
        self.port, self.name, self.quits_in = port, name, quits_in
        self.api = Api(port, token)
        self.headers = {"Authorization": f"Bearer {token}"}
        self.chance = Random(name)
        self.told: list[Json] = []
        self.played: list[str] = []
        self.broken: list[BaseException] = []
        self._threads: list[threading.Thread] = []

    def start(self, tournament: str) -> None:
        self._begin(self.follow, tournament)

    def join(self) -> None:
        """Return once it has been told of the end and its matches are over."""
        for thread in self._threads:  # grows while the first of them runs
            thread.join(LINE_SECONDS)

    def _begin(self, work: Any, *given: Any) -> None:
        def run() -> None:
            try:
                work(*given)
            except BaseException as broken:  # noqa: BLE001  the test says so in its own thread
                self.broken.append(broken)

        self._threads.append(threading.Thread(target=run, daemon=True))
        self._threads[-1].start()

    def _line(self, what: str) -> RawSocket:
        """Knocks again at a door that is shut or that a busy site has not opened in time; few at once, or none would
        get through."""
        began = time.monotonic()
        while time.monotonic() - began < LINE_SECONDS:
            with contextlib.suppress(Closed, OSError), DOOR:
                line = RawSocket(self.port, f"/ws/v1/{what}/", self.headers, timeout=LINE_SECONDS)
                if line.status == 101:
                    return line
                line.tcp.close()
            time.sleep(0.3)
        raise AssertionError(f"no line to {what}")

    def follow(self, tournament: str) -> None:
        while not self.told or self.told[-1]["status"] in ("open", "running"):
            with contextlib.suppress(Closed, OSError), self._line(f"tournaments/{tournament}") as line:
                while not self.told or self.told[-1]["status"] in ("open", "running"):
                    self.told.append(line.receive_json()["tournament"])
                    self._go_to_match(tournament, self.told[-1]["rounds"])

    def _go_to_match(self, tournament: str, rounds: list[list[Json]]) -> None:
        for pairing in rounds[-1] if rounds else ():
            mine = self.name in pairing["players"] and pairing["winner"] is None
            if mine and pairing["match"] and pairing["match"] not in self.played:
                self.played.append(pairing["match"])
                quits = tournament if len(rounds) == self.quits_in else ""
                self._begin(self.play, pairing["match"], quits)

    def play(self, match: str, quits: str) -> None:
        """To its end, on another line if one breaks; who `quits` leaves that tournament once play has begun."""
        over = False
        while not over:
            with contextlib.suppress(Closed, OSError), self._line(f"matches/{match}") as line:
                over = self._sit(line, quits)

    def _sit(self, line: RawSocket, quits: str) -> bool:
        """Name numbers that fit all marks until one of the two is found. True once it is over."""
        you, left, rows = 0, EVERY, 0
        while True:
            frame = line.receive_json()
            event = frame.get("event")
            if frame["type"] == "match":
                match = frame["match"]
                you, mine = match["you"], match["seats"][match["you"]]
                left, rows = fitting(EVERY, mine["guesses"]), len(mine["guesses"])
                if match["status"] == "over":
                    return True
                if not mine["ready"]:
                    line.send_json({"type": "secret", "ref": "s", "code": self.chance.choice(EVERY)})
                turn = match["turn"]
            elif event == "over":
                return True
            elif event in ("started", "guess"):
                turn = frame["turn"]
                if event == "guess" and frame["seat"] == you:
                    left, rows = fitting(left, [frame["guess"]]), frame["guess"]["n"]
            else:
                continue
            if turn is not None and quits:
                self.api.ask("POST", f"/api/v1/tournaments/{quits}/leave")
            elif turn == you:
                guess = {"type": "guess", "code": self.chance.choice(left), "n": rows + 1}
                line.send_json({**guess, "ref": f"g{rows + 1}"})


def fitting(codes: list[str], rows: list[Json]) -> list[str]:
    """Those that would have earned the marks of these guesses."""
    return [code for code in codes if all(mark(code, row["code"]) == row["marks"] for row in rows)]


def play(
    port: int,
    settings: dict[str, str],
    size: int,
    *,
    prefix: str = "player",
    absent: int = 0,
    quitting: int = 0,
    meanwhile: Callable[[], object] = lambda: None,
) -> list[Entrant]:
    """Hold one from its making to the last word of it, and judge it. Nobody but the site's own beat moves it on.

    Of those entered `absent` never come, and `quitting` leave in the middle of their first match. `meanwhile` is done
    while the first round is played.
    """
    tokens = _manage(ACCOUNTS.format(count=size, prefix=prefix), settings).split()
    entrants = [
        Entrant(port, f"{prefix}-{number}", token, quits_in=int(number < quitting))
        for number, token in enumerate(tokens)
    ]
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    made = entrants[0].api.post(
        "/tournaments", {"name": f"{prefix} {size}", "terms": TERMS, "starts_at": later}
    )
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda entrant: entrant.api.post(f"/tournaments/{made['id']}/join"), entrants))
    present = entrants[: size - absent]
    for entrant in present:
        entrant.start(made["id"])
    wait_for("lines", lambda: all(entrant.told or entrant.broken for entrant in present), LINE_SECONDS)
    _manage(BEGIN.format(id=made["id"]), settings)
    wait_for("the start", lambda: present[0].told[-1]["status"] != "open", LINE_SECONDS)
    meanwhile()
    for entrant in present:
        entrant.join()
    broken = [(entrant.name, repr(error)) for entrant in present for error in entrant.broken]
    assert not broken, broken
    judge(entrants[0].api, made["id"], entrants)
    final = present[0].told[-1]
    assert all(entrant.told[-1] == final for entrant in present)
    return entrants


def _manage(code: str, settings: dict[str, str]) -> str:
    done = run("shell", "-v0", "-c", code, **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout


def judge(api: Api, tournament: str, entrants: Iterable[Entrant]) -> None:
    """What R8 demands of one that is over, from how each of its matches ended."""
    cup = api.get(f"/tournaments/{tournament}")
    assert cup["status"] == "over"
    names = {entrant.name for entrant in entrants}
    assert set(cup["entrants"]) == names
    left, met_bot, points = set(names), set[str](), dict.fromkeys(names, 0)
    matches: list[str] = []
    for drawn in cup["rounds"]:
        paired = [name for pairing in drawn for name in pairing["players"]]
        assert sorted(paired) == sorted([*left, *[BOT] * (len(left) % 2)])  # R8.3
        against_bot = {
            name for pairing in drawn if BOT in pairing["players"] for name in pairing["players"]
        } - {BOT}
        assert not against_bot & met_bot or left <= met_bot
        met_bot |= against_bot
        left = set()
        for pairing in drawn:
            matches.append(pairing["match"])
            match = api.get(f"/matches/{pairing['match']}")
            assert pairing["winner"] == _winner(match, pairing["players"])
            left |= {pairing["winner"]} - {BOT, None}
            if BOT not in pairing["players"]:
                _move(points, match)
    assert len(set(matches)) == len(matches)
    assert {cup["champion"]} - {None} == left  # R8.5
    assert len(left) == (cup["why"] is None)
    _judge_ledger(api, points)


def _winner(match: Json, players: list[str]) -> str | None:
    """R8.4: who won it; of one that is void for want of a secret or a word, who gave it."""
    assert match["status"] == "over"
    seated = [seat["player"]["name"] for seat in match["seats"]]
    assert seated == players
    if match["result"]["winner"] is not None:
        return str(seated[match["result"]["winner"]])
    showed = [name for name, seat in zip(seated, match["seats"], strict=True) if seat["ready"]]
    return showed[0] if len(showed) == 1 else None


def _move(points: dict[str, int], match: Json) -> None:
    """R6.2, R6.3: what it was worth to its two."""
    winner = match["result"]["winner"]
    if winner is None:
        return
    for index, seat in enumerate(match["seats"]):
        length, guesses = match["terms"]["length"], seat["guesses"]
        in_place = length if index == winner else guesses[-1]["exact"] if guesses else 0
        name = seat["player"]["name"]
        points[name] += applied(points[name], earned(length, in_place))


def _judge_ledger(api: Api, points: dict[str, int]) -> None:
    """R8.6: their own ladder has moved by each match once, and no other by any."""

    def stands() -> bool:
        told = {name: api.get(f"/players/{name}") for name in points}
        return all(
            ((one["tournaments"] or {"points": 0})["points"], one["points"]) == (points[name], 0)
            for name, one in told.items()
        )

    wait_for(f"the ladder to stand at {points}", stands, 15, every=1)
