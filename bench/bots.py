"""Two hundred matches against bots at once on the embedded site: how late do they answer, and what does it cost?

`.venv/bin/python bench/bots.py` starts a site of its own in a new folder, plays every match to its end, and prints one
JSON object. An answer is late by what it took longer than the delay it was told to keep; nobody may lose on time.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.lines import Line  # after the path
from tests.site import Site

SEAT = """
import json
from django.db import transaction
from bots.services import challenge
from matches.choices import agreed
from matches.services import obey
from matches.wire import Order
from players.services import welcome_guest
guest = welcome_guest()
ids = []
for n in range({matches}):
    terms = agreed({{"length": 4 + n % 2, "feedback": ["positions", "totals"][n // 2 % 2], "clock": {{"seconds": 60}}}})
    ids.append(challenge(guest, ["easy", "medium", "hard"][n % 3], terms).pk)
    obey(ids[-1], 0, Order("secret", code="73051"[: 4 + n % 2]))
from players.services import issue_token
print(json.dumps([ids, issue_token(guest)]))
"""


THINKING = (1.0, 4.0)
"""Seconds a person takes over a guess: as long as the bots do."""


class Person:
    """Plays one match by its socket: guesses wrongly, whenever it may, until the bot has won."""

    def __init__(self, match: str, token: str, length: int) -> None:
        self.match, self.token, self.code = match, token, "9" * length
        self.waits: list[float] = []
        self.result: dict[str, Any] = {}
        self.guessed_at: int | None = None

    async def play(self, port: int) -> None:
        self.over = asyncio.get_running_loop().create_future()
        self.line = Line(self.hear, lambda: self.end({"reason": "a line was cut", "winner": None}))
        await self.line.connect(port, f"/ws/v1/matches/{self.match}/", self.token)
        self.result = await self.over
        self.line.close()

    def hear(self, text: bytes) -> None:
        frame = json.loads(text)
        match frame["type"]:
            case "match" if frame["match"]["status"] == "over":
                self.end(frame["match"]["result"])
            case "match" if frame["match"]["turn"] == 0:
                self.think()
            case "event":
                self.follow(frame)

    def follow(self, event: dict[str, Any]) -> None:
        if event["event"] == "over":
            return self.end(event["result"])
        if event["event"] == "guess":
            at = event["guess"]["at"]
            if event["seat"] == 1 and self.guessed_at is not None:
                self.waits.append((at - self.guessed_at) / 1000)
            self.guessed_at = at if event["seat"] == 0 else None
        if event["turn"] == 0:
            self.think()
        return None

    def think(self) -> None:
        frame = json.dumps({"type": "guess", "code": self.code}).encode()
        asyncio.get_running_loop().call_later(random.uniform(*THINKING), self.line.send, frame)

    def end(self, result: dict[str, Any]) -> None:
        if not self.over.done():
            self.over.set_result(result)


async def crowd(people: list[Person], port: int) -> None:
    await asyncio.gather(*(person.play(port) for person in people))


def cpu_seconds(pid: int) -> float:
    """What a process has used so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--delay", default="1-4", help="BOT_DELAY of the site")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    with Site(
        folder / "data", BOT_DELAY=asked.delay, GRACE_SECONDS="3600", LIMITS="off", DATABASE_URL=""
    ) as site:
        seated = site.manage("shell", "--no-imports", "-c", SEAT.format(matches=asked.matches))
        ids, token = json.loads(seated.stdout.splitlines()[-1])
        people = [Person(match, token, 4 + number % 2) for number, match in enumerate(ids)]
        began, used = time.monotonic(), cpu_seconds(site.process.pid)
        asyncio.run(crowd(people, site.port))
        took, used = time.monotonic() - began, cpu_seconds(site.process.pid) - used
    waits = sorted(wait for person in people for wait in person.waits)
    high = float(asked.delay.split("-")[1])
    late = [max(0.0, wait - high) for wait in waits]
    reasons = [person.result["reason"] for person in people]
    slow = [
        "person" if person.result["winner"] else "bot"
        for person in people
        if person.result["reason"] == "time"
    ]
    told = {
        "matches": len(people),
        "reasons": {reason: reasons.count(reason) for reason in set(reasons)},
        "lost_on_time": {who: slow.count(who) for who in set(slow)},
        "answers": len(waits),
        "seconds": {name: round(waits[len(waits) * n // 100], 3) for name, n in (("p50", 50), ("p99", 99))},
        "latest": round(max(late), 3),
        "took": round(took, 1),
        "cpu_ms_per_answer": round(used * 1000 / max(1, len(waits)), 2),
    }
    sys.stdout.write(json.dumps(told, indent=2) + "\n")
    if slow:
        sys.exit(f"{len(slow)} of {len(people)} matches were lost on time.")


if __name__ == "__main__":
    main()
