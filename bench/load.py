"""The load generator: a process of its own that plays matches over real sockets, as `docs/protocol.md` has it.

Told what to do line by line on stdin, in JSON, and answers each line on stdout. Every match holds two lines. A guess is
sent when its mover has been told that it is their turn, and timed until each of the two lines has the row.
"""

import asyncio
import itertools
import json
import os
import random
import sys
import time
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.lines import Line, some_at_once  # after the path

Json = dict[str, Any]

SECRET = "00000"
"""No guess ever names it: a match goes on for as long as it is measured."""
PATIENCE = 30.0
REFS = itertools.count(1)


@dataclass
class Counts:
    """What one play came to: seconds from a guess to its row on the mover's own line and on the opponent's."""

    own: list[float] = field(default_factory=list)
    rival: list[float] = field(default_factory=list)
    sent: int = 0
    answered: int = 0
    held_up: int = 0  # guesses whose turn had not come when they were due
    doubled: int = 0
    skipped: int = 0
    errors: Counter[str] = field(default_factory=Counter)


class Seat:
    """One player's line: follows the versions, and says when it is to move."""

    def __init__(self, game: "Game", index: int, token: str) -> None:
        self.game, self.index, self.token = game, index, token
        self.version, self.ready = 0, asyncio.Event()

    async def open(self, port: int, path: str) -> None:
        """As a player's own program would: turned away, it tries again."""
        turned_away = ""
        for patience in (0.5, 1.0, 2.0, 4.0, 0.0):
            self.line = Line(self.hear, self.lost)
            try:
                await self.line.connect(port, path, self.token)
                await asyncio.wait_for(self.ready.wait(), PATIENCE)
                return
            except (OSError, TimeoutError) as error:
                turned_away = f"turned away: {str(error) or type(error).__name__}"
                self.game.counts.errors[turned_away] += 1
                await asyncio.sleep(patience)
        raise ConnectionError(turned_away)

    def lost(self) -> None:
        self.game.counts.errors["a line was cut"] += 1

    def say(self, **frame: Any) -> None:
        self.line.send(json.dumps({**frame, "ref": f"b{next(REFS)}"}).encode())

    def hear(self, text: bytes) -> None:
        if text.startswith(b'{"type":"tick"'):
            return
        now, frame = time.perf_counter(), json.loads(text)
        match frame["type"]:
            case "match":
                self.version = frame["match"]["version"]
                self.ready.set()
            case "stage" if not self.ready.is_set():
                self.version = frame["version"]
                self.ready.set()
            case "stage" if frame["version"] > self.version:  # all of it anew, whatever came between
                self.version = frame["version"] - 1
                self.follow(frame["version"], "guess", now)
            case "event":
                self.follow(frame["version"], frame["event"], now)
            case "ok":
                self.game.counts.answered += 1
            case "refused":
                self.game.counts.answered += 1
                self.game.counts.errors[f"refused: {frame['code']}"] += 1

    def follow(self, version: int, kind: str, now: float) -> None:
        if version <= self.version:
            self.game.counts.doubled += 1
            return
        self.game.counts.skipped += version - self.version - 1
        self.version = version
        self.game.heard(self, version, kind, now)


class Game:
    """A match of two lines. `due` are the instants of guesses that wait for their turn."""

    def __init__(self, key: str, tokens: list[str], counts: Counts) -> None:
        self.key, self.counts = key, counts
        self.seats = [Seat(self, index, token) for index, token in enumerate(tokens)]
        self.mover: Seat | None = None
        self.due: deque[float] = deque()
        self.asked: dict[int, float] = {}
        self.left = 0  # guesses still to be played without being told when

    @property
    def version(self) -> int:
        return max(seat.version for seat in self.seats)

    async def open(self, port: int, path: str) -> None:
        for seat in self.seats:
            await seat.open(port, path.format(self.key))

    def begin(self) -> None:
        for seat in self.seats:
            seat.say(type="secret", code=SECRET)

    def heard(self, seat: Seat, version: int, kind: str, now: float) -> None:
        if kind == "guess" and version in self.asked:
            own = (self.first + version - self.began) % 2 == seat.index
            (self.counts.own if own else self.counts.rival).append(now - self.asked[version])
            self.pass_to(self.seats[(self.first + version + 1 - self.began) % 2], seat)

    def play_on(self, first: int) -> None:
        """All have committed: `first` moves now."""
        self.first, self.began = first, self.version + 1
        self.mover = self.seats[first]

    def pass_to(self, mover: Seat, seat: Seat) -> None:
        """Whoever is to move does so once their own line has told them."""
        if mover is seat:
            self.mover = mover
            if self.due:
                self.guess(self.due.popleft())
            elif self.left:
                self.left -= 1
                self.guess(time.perf_counter())

    def ask(self) -> None:
        """A guess is due now."""
        now = time.perf_counter()
        if self.mover is None:
            self.counts.held_up += 1
            self.due.append(now)
        else:
            self.guess(now)

    def guess(self, since: float) -> None:
        mover, self.mover = self.mover, None
        assert mover is not None
        self.asked[self.version + 1] = since
        self.counts.sent += 1
        mover.say(type="guess", code=str(random.randrange(10_000, 100_000)))


class Echo:
    """The baseline's line: says something again once it has come back."""

    def __init__(self, counts: Counts) -> None:
        self.counts, self.left, self.asked = counts, 0, 0.0

    async def open(self, port: int) -> None:
        self.line = Line(self.hear, lambda: None)
        await self.line.connect(port, "/", "")

    def hear(self, text: bytes) -> None:
        self.counts.own.append(time.perf_counter() - self.asked)
        self.counts.answered += 1
        if self.left:
            self.ask()

    def ask(self) -> None:
        self.left -= 1
        self.counts.sent += 1
        self.asked = time.perf_counter()
        self.line.send(b'{"type":"guess","code":"12345","ref":"b1"}')


class Load:
    """What the process holds open, and what it is told to do with it: a method an order."""

    def __init__(self) -> None:
        self.counts = Counts()
        self.games: list[Game] = []
        self.echoes: list[Echo] = []

    async def open(self, port: int, path: str, matches: list[tuple[str, list[str]]]) -> Json:
        began = time.perf_counter()
        games = [Game(key, tokens, self.counts) for key, tokens in matches]
        await some_at_once(game.open(port, path) for game in games)
        self.games += games
        return self.told(time.perf_counter() - began)

    async def begin(self, firsts: dict[str, int]) -> Json:
        """Have both commit in every match, and wait until it is told."""
        began = time.perf_counter()
        for game in self.games:
            game.begin()
            await asyncio.sleep(0.01)
        expected = len(self.games) * 2
        while self.counts.answered < expected and time.perf_counter() - began < PATIENCE:
            await asyncio.sleep(0.05)
        before: list[int] = []
        while before != (before := [seat.version for game in self.games for seat in game.seats]):
            await asyncio.sleep(1)  # a site that is behind tells it later than it answers
        for game in self.games:
            game.play_on(firsts[game.key])
        return self.told(time.perf_counter() - began)

    async def pace(self, rate: float, seconds: float) -> Json:
        """So many guesses a second, on one match after the other."""
        began, turns = time.perf_counter(), itertools.cycle(self.games)
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
            next(turns).ask()
        return await self.ended(began, (game for game in self.games if game.mover is None))

    async def race(self, guesses: int) -> Json:
        """So many guesses in every match, each as soon as its turn has come."""
        began = time.perf_counter()
        for game in self.games:
            game.left = guesses - 1
            game.ask()
        return await self.ended(began, (game for game in self.games if game.left or game.mover is None))

    async def open_echoes(self, port: int, sockets: int) -> Json:
        self.echoes = [Echo(self.counts) for _ in range(sockets)]
        await some_at_once(echo.open(port) for echo in self.echoes)
        return {}

    async def echo(self, times: int) -> Json:
        began = time.perf_counter()
        for echo in self.echoes:
            echo.left = times
            echo.ask()
        while len(self.counts.own) < times * len(self.echoes) and time.perf_counter() - began < PATIENCE:
            await asyncio.sleep(0.01)
        return self.told(time.perf_counter() - began)

    async def rest(self, seconds: float) -> Json:
        """Only listen. What was lost before is made good within two seconds, or not at all."""
        await asyncio.sleep(seconds)
        return {"versions": {game.key: [seat.version for seat in game.seats] for game in self.games}}

    async def close(self) -> Json:
        for game in self.games:
            for seat in game.seats:
                seat.line.close()
        for echo in self.echoes:
            echo.line.close()
        self.games, self.echoes, self.counts = [], [], Counts()
        return {}

    async def ended(self, began: float, going: Iterable[Game]) -> Json:
        """Wait until every guess has been told to both, for as long as it may take; the figures."""
        patience = time.perf_counter() + PATIENCE
        pending = list(going)
        while pending and time.perf_counter() < patience:
            await asyncio.sleep(0.01)
            pending = [game for game in pending if game.left or game.due or game.mover is None]
        return self.told(time.perf_counter() - began)

    def told(self, seconds: float) -> Json:
        """The figures since the last time."""
        counts, fresh = self.counts, Counts()
        for game in self.games:
            game.counts = fresh
        for echo in self.echoes:
            echo.counts = fresh
        self.counts = fresh
        return {
            "seconds": seconds,
            "sent": counts.sent,
            "answered": counts.answered,
            "held_up": counts.held_up,
            "own": percentiles(counts.own),
            "rival": percentiles(counts.rival),
            "doubled": counts.doubled,
            "skipped": counts.skipped,
            "errors": dict(counts.errors),
        }


def percentiles(seconds: list[float]) -> Json:
    """In milliseconds."""
    ordered = sorted(seconds)
    found = (
        {f"p{n}": ordered[min(len(ordered) - 1, len(ordered) * n // 100)] for n in (50, 95, 99)}
        if ordered
        else {}
    )
    return {"n": len(ordered), **{name: round(value * 1000, 2) for name, value in found.items()}}


async def main() -> None:
    load, loop = Load(), asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        order = json.loads(line)
        answer = await getattr(load, order.pop("do"))(**order)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        os.sched_setaffinity(0, {int(sys.argv[1])})
    asyncio.run(main())
