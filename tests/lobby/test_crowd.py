"""Fifty people come and go in the lobby of the real site: no ghost of a seek, no seek of two matches (D14, D20, D21).

`CROWD_SECONDS=60` has them do so for a minute.
"""

import json
import os
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.crowd import Api
from tests.site import Site
from tests.sockets import Closed, RawSocket

SECONDS = float(os.environ.get("CROWD_SECONDS", "8"))
PEOPLE = 50
TERMS: list[dict[str, Any]] = [{}, {"length": 5}, {"preset": "probe"}, {"preset": "classic"}]
ORDINARY = {200, 201, 204, 404, 409}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with Site(tmp_path / "data", LIMITS="off") as running:
        yield running


class Guest(threading.Thread):
    """Opens, takes back and takes seeks at random, with its socket open or not, and keeps what it was answered."""

    def __init__(self, site: Site, number: int, until: float) -> None:
        super().__init__(name=f"guest-{number}", daemon=True)
        self.chance = random.Random(number)
        made = Api(site.port).post("/guest")
        self.user, self.site, self.until = made["name"], site, until
        self.api = Api(site.port, made["token"])
        self.headers = {"Authorization": f"Bearer {made['token']}"}
        self.opened: set[str] = set()
        self.taken: dict[str, str] = {}
        self.answers: Counter[int] = Counter()
        self.broken: list[str] = []
        self.socket: RawSocket | None = None

    def run(self) -> None:
        verbs = [
            self.seek,
            self.seek,
            self.take,
            self.take,
            self.take,
            self.withdraw,
            self.listen,
            self.leave,
        ]
        try:
            while time.monotonic() < self.until:
                self.chance.choice(verbs)()
                time.sleep(self.chance.uniform(0.1, 1.0))
        except (AssertionError, OSError, Closed) as broken:
            self.broken.append(repr(broken))
        self.leave()

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        status, answer = self.api.ask(method, f"/api/v1{path}", body)
        self.answers[status] += 1
        if status not in ORDINARY:
            self.broken.append(f"{method} {path}: {status} {answer[:200]}")
        return status, answer

    def seek(self) -> None:
        status, answer = self.ask("POST", "/seeks", self.chance.choice(TERMS))
        if status == 201:
            self.opened.add(json.loads(answer)["id"])

    def take(self) -> None:
        offered = [one for one in self.api.get("/seeks") if one["player"]["name"] != self.user]
        if offered:
            one = self.chance.choice(offered[:3])["id"]
            status, answer = self.ask("POST", f"/seeks/{one}/accept")
            if status == 201:
                self.taken[one] = json.loads(answer)["match"]

    def withdraw(self) -> None:
        if self.opened:
            self.ask("DELETE", f"/seeks/{self.chance.choice(sorted(self.opened))}")

    def listen(self) -> None:
        self.leave()
        self.socket = RawSocket(self.site.port, "/ws/v1/lobby/", self.headers)
        first = self.socket.receive_json()
        assert first["type"] == "seeks"

    def leave(self) -> None:
        """Without a word: as a lid that is closed."""
        if self.socket is not None:
            self.socket.tcp.close()
            self.socket = None


def test_fifty_who_come_and_go_at_random_leave_no_ghost_and_no_double_match(site: Site) -> None:
    """D14: every seek at most one match, nobody drawn into two matches by one seek, nothing shown that is not open."""
    until = time.monotonic() + SECONDS + 3
    guests = [Guest(site, number, until) for number in range(PEOPLE)]
    with RawSocket(site.port, "/ws/v1/lobby/", guests[0].headers) as witness:
        shown = Shown(witness)
        for guest in guests:
            guest.start()
        for guest in guests:
            guest.join(SECONDS + 60)
        assert [fault for guest in guests for fault in guest.broken] == []
        settled(site, shown)
    matches = made_of_seeks(guests)
    assert all(len(of_one) == 1 for of_one in matches.values())
    played = [match for (match,) in matches.values()]
    assert len(set(played)) == len(played) > PEOPLE / 5
    owner_of = {seek: guest.user for guest in guests for seek in guest.opened}
    for guest in guests:
        for seek, match in guest.taken.items():
            seats = [seat["player"]["name"] for seat in Api(site.port).get(f"/matches/{match}")["seats"]]
            assert seats == [owner_of[seek], guest.user]
    everybody_left(site, guests)
    assert "Traceback" not in site.errors()
    assert "deadlock" not in site.errors()
    print(f"{len(played)} matches, answers {sum((g.answers for g in guests), Counter[int]())}")  # noqa: T201


class Shown(threading.Thread):
    """What one who only listens believes to be open."""

    def __init__(self, socket: RawSocket) -> None:
        super().__init__(daemon=True)
        self.socket = socket
        self.open = {seek["id"] for seek in socket.receive_json()["seeks"]}
        self.twice: list[str] = []
        self.start()

    def run(self) -> None:
        try:
            while True:
                frame = self.socket.receive_json()
                if frame["type"] == "seek":
                    seek = frame["seek"]["id"]
                    self.twice += [seek] if seek in self.open else []
                    self.open.add(seek)
                elif frame["type"] == "seek_gone":
                    self.twice += [] if frame["id"] in self.open else [frame["id"]]
                    self.open.discard(frame["id"])
        except (Closed, OSError):
            return


def settled(site: Site, shown: Shown) -> None:
    """Two looks later the listener's list is the site's, and it was told of everything once."""
    end = time.monotonic() + 10
    while shown.open != {seek["id"] for seek in Api(site.port).get("/seeks")}:
        assert time.monotonic() < end, "a ghost"
        time.sleep(0.2)
    assert shown.twice == []


def made_of_seeks(guests: list[Guest]) -> dict[str, set[str]]:
    """The matches that each seek has made, by those who took it."""
    matches: defaultdict[str, set[str]] = defaultdict(set)
    for guest in guests:
        for seek, match in guest.taken.items():
            matches[seek].add(match)
    takers = Counter(seek for guest in guests for seek in guest.taken)
    assert set(takers.values()) <= {1}
    return matches


def everybody_left(site: Site, guests: list[Guest]) -> None:
    """Each takes back what is theirs: then nothing is open, and nobody else's could be."""
    for guest in guests:
        for seek in guest.opened & {seek["id"] for seek in Api(site.port).get("/seeks")}:
            guest.ask("DELETE", f"/seeks/{seek}")
    assert Api(site.port).get("/seeks") == []
