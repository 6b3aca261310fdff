"""Many matches at once, played over real sockets by guests that know what any program of a player may know.

Every player is a thread with a line of its own: it plays at an easy pace, opens a new line when one ends, asks for what
it missed, sends again what was not answered, and keeps all it was told. What it kept is judged in `proof`.
"""

import itertools
import json
import random
import select
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Self

from tests.faults.stalls import slack_ms
from tests.sockets import CLOSE, PING, PONG, TEXT, Closed, RawSocket

Json = dict[str, Any]
Mood = Literal["play", "pause", "finish"]

SILENCE_SECONDS = 6.0
"""A line that says nothing for so long while a clock runs, which is told each second, is dead."""
ANSWER_SECONDS = 12.0
"""A command unanswered for so long, on a line that is alive, hangs."""
HANDSHAKE_SECONDS = 10.0
REFS = itertools.count(1)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def wait_for(what: str, holds: Callable[[], bool], seconds: float, every: float = 0.03) -> float:
    """Wait until it holds, asking so often; how long that took. Fails when the time is up, less the machine's own."""
    began = time.monotonic()
    while not holds():
        waited = time.monotonic() - began
        assert waited < seconds + slack_ms() / 1000, f"in vain for {waited:.0f} s: {what}"
        time.sleep(every)
    return time.monotonic() - began


def sleep_until(ms: int) -> None:
    time.sleep(max(0, ms - now_ms()) / 1000)


class Api:
    """The public interface as one caller meets it."""

    def __init__(self, port: int, token: str = "") -> None:
        self.base = f"http://127.0.0.1:{port}"
        self.headers = {"Content-Type": "application/json"}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        """Status and body, whatever they are."""
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.base + path, data, self.headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.code, answer.read().decode(errors="replace")

    def get(self, path: str) -> Any:
        return self._have("GET", path)

    def post(self, path: str, body: Any = None) -> Any:
        return self._have("POST", path, body)

    def _have(self, method: str, path: str, body: Any = None) -> Any:
        status, answer = self.ask(method, f"/api/v1{path}", body)
        assert status < 300, f"{method} {path}: {status} {answer}"
        return json.loads(answer)


@dataclass(frozen=True, slots=True)
class Heard:
    """One frame: when (ms) it came, on the how-manieth line, and what it said."""

    at: int
    line: int
    frame: Json


@dataclass(slots=True)
class Asked:
    """A command, from its first sending to its answer (ms)."""

    frame: Json
    first_sent: int
    lines: list[int] = field(default_factory=list)
    sent_at: float = 0.0
    answered: int | None = None
    answer: Json | None = None

    @property
    def accepted(self) -> bool:
        return self.answer is not None and self.answer["type"] == "ok"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a line ended: by a close code, by None without one, or in a word of ours."""

    at: int
    why: int | str | None


class Player(threading.Thread):
    """One seat of one match."""

    def __init__(self, port: int, match: str, seat: int, token: str, codes: tuple[str, str]) -> None:
        super().__init__(name=f"{match}/{seat}", daemon=True)
        self.port, self.match, self.seat = port, match, seat
        self.headers = {"Authorization": f"Bearer {token}"}
        self.api = Api(port, token)
        self.secret, self.theirs = codes[seat], codes[1 - seat]
        # What the test tells it, at any moment
        self.mood: Mood = "play"
        self.here, self.returns, self.begun, self.claims, self.pace = True, True, True, False, 1.0
        self.stopping = threading.Event()
        # What it knows
        self.version = 0
        self.ready = self.over = False
        self.turn: int | None = None
        self.mine = 0
        self.present = [False, False]
        self.move_at = 0.0
        self.running = False
        self.falls_at: int | None = None
        # What it keeps
        self.heard: list[Heard] = []
        self.asked: list[Asked] = []
        self.opened: list[int] = []
        self.ended: list[Ended] = []
        self.turned_away: list[tuple[int, int | str]] = []
        self.socket: RawSocket | None = None
        self.pending: Asked | None = None
        self.backoff = 0.1

    # What tests ask

    @property
    def connected(self) -> bool:
        return self.socket is not None

    @property
    def events(self) -> list[Heard]:
        return [heard for heard in list(self.heard) if heard.frame["type"] == "event"]

    @property
    def guesses(self) -> list[Asked]:
        """Those acknowledged."""
        return [asked for asked in list(self.asked) if asked.accepted and asked.frame["type"] == "guess"]

    @property
    def refusals(self) -> list[Json]:
        answers = [asked.answer for asked in list(self.asked)]
        return [answer for answer in answers if answer is not None and answer["type"] == "refused"]

    def presence(self, seat: int) -> list[Heard]:
        """All it was told of the comings and goings of a seat."""
        return [
            heard
            for heard in list(self.heard)
            if heard.frame["type"] == "presence" and heard.frame["seat"] == seat
        ]

    def event(self, kind: str) -> Heard | None:
        return next((heard for heard in self.events if heard.frame["event"] == kind), None)

    def truth(self) -> Json:
        """The match as the site has it."""
        match: Json = self.api.get(f"/matches/{self.match}")
        return match

    def stop(self) -> None:
        self.stopping.set()

    # What it does

    def run(self) -> None:
        while not self.stopping.is_set():
            try:
                if not self.here:
                    self._leave()
                    self.stopping.wait(0.05)
                elif self.socket is None and self.opened and not self.returns:
                    self.stopping.wait(0.05)
                elif self.socket is None:
                    self._open()
                else:
                    self._listen(self.socket)
                    self._speak(self.socket)
            except Closed as closed:
                self._lost(closed.code)
            except OSError as error:
                self._lost(type(error).__name__)
        self._leave()

    def _open(self) -> None:
        asks = f"?since={self.version}" if self.version else ""
        path = f"/ws/v1/matches/{self.match}/{asks}"
        try:
            socket = RawSocket(self.port, path, self.headers, HANDSHAKE_SECONDS)
        except (OSError, Closed) as error:
            self._turned_away(type(error).__name__)
            return
        if socket.status != 101:
            socket.tcp.close()
            self._turned_away(socket.status)
            return
        self.opened.append(now_ms())
        self.socket, self.backoff, self.heard_at = socket, 0.1, time.monotonic()

    def _turned_away(self, why: int | str) -> None:
        self.turned_away.append((now_ms(), why))
        self.stopping.wait(self.backoff * random.uniform(0.7, 1.3))
        self.backoff = min(1.0, self.backoff * 2)

    def _listen(self, socket: RawSocket) -> None:
        if not socket.received and not select.select([socket.tcp], [], [], self._patience())[0]:
            if self.running and time.monotonic() - self.heard_at > SILENCE_SECONDS:
                raise TimeoutError
            return
        opcode, payload = socket.frame()
        self.heard_at = time.monotonic()
        if opcode == PING:
            socket.send(payload, PONG)
        elif opcode == CLOSE:
            socket.send(payload, CLOSE)
            raise Closed(int.from_bytes(payload[:2]) if payload else None)
        elif opcode == TEXT:
            self._hear(json.loads(payload))

    def _patience(self) -> float:
        """How long to listen before there may be something to say."""
        waits = [0.25]
        if self._to_move() and not self.pending:
            waits.append(self.move_at - time.monotonic())
        if self.claims and self.falls_at is not None:
            waits.append((self.falls_at + 1 - now_ms()) / 1000)
        return max(0.01, min(waits))

    def _hear(self, frame: Json) -> None:
        self.heard.append(Heard(now_ms(), len(self.opened), frame))
        match frame["type"]:
            case "match":
                self._see(frame["match"])
            case "event":
                self._follow(frame)
            case "tick":
                self._count(frame)
            case "presence":
                self.present[frame["seat"]] = frame["connected"]
            case "ok" | "refused" if self.pending and frame["ref"] == self.pending.frame["ref"]:
                self._answered(self.pending, frame)

    def _answered(self, asked: Asked, answer: Json) -> None:
        asked.answered, asked.answer = now_ms(), answer
        self.pending = None
        if answer["type"] == "refused":
            self.move_at = time.monotonic() + self.pace
        elif asked.frame["type"] == "flag":
            self.falls_at = None  # until the next that is told of the clocks
        elif answer["version"] > self.version:  # its event is still to come
            self.ready, self.turn, self.falls_at = True, None, None

    def _see(self, match: Json) -> None:
        self.version = match["version"]
        self.over = match["status"] == "over"
        self.running = any(seat["running"] for seat in match["seats"])
        self.present = [seat["connected"] for seat in match["seats"]]
        mine = match["seats"][self.seat]
        self.ready, self.mine = mine["ready"], len(mine["guesses"])
        self._pass_to(match["turn"])

    def _follow(self, event: Json) -> None:
        self.version = event["version"]
        match event["event"]:
            case "ready" if event["seat"] == self.seat:
                self.ready = True
            case "guess" if event["seat"] == self.seat:
                self.mine = event["guess"]["n"]
            case "over":
                self.over, self.running = True, False
        self._pass_to(event["turn"])
        self._count(event)

    def _count(self, frame: Json) -> None:
        """When the flag of whoever is to move falls, if nobody moves."""
        self.falls_at = None if self.turn is None else frame["server_time"] + frame["clocks"][self.turn]

    def _pass_to(self, turn: int | None) -> None:
        if turn == self.seat != self.turn:
            self.move_at = time.monotonic() + self.pace * random.uniform(0.6, 1.4)
        self.turn = turn

    def _speak(self, socket: RawSocket) -> None:
        if self.pending is None and (wish := self._wish()) is not None:
            self.pending = Asked({**wish, "ref": f"r{next(REFS)}"}, now_ms())
            self.asked.append(self.pending)
        asked = self.pending
        if asked is None:
            return
        if len(self.opened) not in asked.lines:
            asked.lines.append(len(self.opened))
            asked.sent_at = time.monotonic()
            socket.send_json(asked.frame)
        elif time.monotonic() - asked.sent_at > ANSWER_SECONDS:
            self._lost("hung")

    def _to_move(self) -> bool:
        return self.mood != "pause" and self.turn == self.seat

    def _wish(self) -> Json | None:
        if self.over or not self.version:
            return None
        if not self.ready:
            return {"type": "secret", "code": self.secret} if self.begun else None
        if self.claims and self.falls_at is not None and now_ms() > self.falls_at:
            return {"type": "flag"}
        if not self._to_move() or time.monotonic() < self.move_at:
            return None
        if self.mood == "finish" and int(self.match, 36) % 2:
            return {"type": "resign"}
        # Lawful, never twice, and below every secret.
        code = self.theirs if self.mood == "finish" else f"{self.mine + 1:05d}"
        return {"type": "guess", "code": code, "n": self.mine + 1}

    def _lost(self, why: int | str | None) -> None:
        self.ended.append(Ended(now_ms(), why))
        self._drop()
        self.stopping.wait(self.backoff * random.uniform(0.7, 1.3))

    def _leave(self) -> None:
        if self.socket is not None:
            self.ended.append(Ended(now_ms(), "left"))
            self._drop()

    def _drop(self) -> None:
        socket, self.socket = self.socket, None
        if socket is not None:
            socket.tcp.close()


class Duel:
    """One match and its two players, by seat."""

    def __init__(self, match: str, seconds: int, players: tuple[Player, Player]) -> None:
        self.id, self.seconds, self.players = match, seconds, players

    def __iter__(self) -> Iterator[Player]:
        return iter(self.players)

    def set(self, **told: Any) -> None:
        for player in self:
            for name, value in told.items():
                setattr(player, name, value)

    @property
    def guesses(self) -> int:
        """Acknowledged so far."""
        return sum(len(player.guesses) for player in self)

    @property
    def version(self) -> int:
        """How far it has certainly come: what either player was told, and what was acknowledged to either."""
        answers = (asked.answer for player in self for asked in player.guesses)
        acknowledged = (int(answer["version"]) for answer in answers if answer is not None)
        return max(self.players[0].version, self.players[1].version, *acknowledged)

    def guesses_since(self, ms: int) -> int:
        """Acknowledged of those first sent after then."""
        return sum(asked.first_sent > ms for player in self for asked in player.guesses)

    @property
    def begins(self) -> int | None:
        """When (ms) play began, as far as it was told."""
        started = [heard.frame["server_time"] for player in self if (heard := player.event("started"))]
        return min(started, default=None)

    @property
    def over(self) -> Json | None:
        """Its end, as far as it was told."""
        return next((heard.frame for player in self if (heard := player.event("over"))), None)

    @property
    def falls(self) -> tuple[int, int]:
        """Whose flag falls, and when (ms), if nobody moves any more."""
        told = [heard.frame for player in self for heard in player.events]
        last = max(told, key=lambda event: int(event["version"]))
        return last["turn"], last["server_time"] + last["clocks"][last["turn"]]

    def start(self) -> Self:
        for player in self:
            player.start()
        return self


def seat_two(port: int, seconds: int, **terms: Any) -> Duel:
    """Two new guests and the match between them; nobody has opened a socket yet."""
    tokens = [Api(port).post("/guest")["token"] for _ in range(2)]
    owner, taker = (Api(port, token) for token in tokens)
    asked = {"preset": "duel", "length": 5, "repeats": True, "clock": {"seconds": seconds}, **terms}
    invitation = owner.post("/invitations", {"terms": asked})["token"]
    match = taker.post(f"/invitations/{invitation}/accept")["match"]
    if owner.get(f"/matches/{match}")["you"] == 1:
        tokens.reverse()
    codes = (f"{random.randint(50_000, 99_999)}", f"{random.randint(50_000, 99_999)}")
    first, second = (Player(port, match, seat, token, codes) for seat, token in enumerate(tokens))
    return Duel(match, seconds, (first, second))


class Crowd:
    """Matches that are played from `seat` to the end of the `with` block."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.duels: list[Duel] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for player in self.players:
            player.stop()
        for player in self.players:
            player.join(HANDSHAKE_SECONDS + 2)

    def seat(self, count: int, seconds: int, **told: Any) -> list[Duel]:
        """So many new matches on that clock, at once begun; `told` is set on every player first."""

        def one(_: int) -> Duel:
            duel = seat_two(self.port, seconds)
            duel.set(**told)
            self.duels.append(duel)
            return duel.start()

        with ThreadPoolExecutor(6) as pool:
            return list(pool.map(one, range(count)))

    @property
    def players(self) -> list[Player]:
        return [player for duel in self.duels for player in duel]

    def set(self, **told: Any) -> None:
        for duel in self.duels:
            duel.set(**told)

    def plays(self, guesses: int = 3, duels: Iterable[Duel] | None = None, seconds: float = 60) -> float:
        """Wait until so many guesses have been acknowledged in each of these matches, or all; how long it took."""
        wanted = list(self.duels if duels is None else duels)
        return wait_for(
            "guesses everywhere", lambda: all(duel.guesses >= guesses for duel in wanted), seconds
        )

    def goes_on(self, since: int, duels: Iterable[Duel] | None = None, seconds: float = 30) -> float:
        """Wait until each of these matches, or all, has taken two guesses first sent after `since` (ms), or is over."""
        wanted = list(self.duels if duels is None else duels)
        return wait_for(
            "two guesses more in each match",
            lambda: all(duel.over or duel.guesses_since(since) >= 2 for duel in wanted),
            seconds,
        )

    def settle(self, seconds: float = 20) -> None:
        """Nothing new is begun, and all that was asked is answered: what is told now is the whole truth."""
        self.set(mood="pause")
        wait_for("answers", lambda: not any(player.pending for player in self.players), seconds)
        wait_for("the last events", self._level, seconds)

    def _level(self) -> bool:
        """Those who are there have been told all that was acknowledged in their match, and so equally far."""
        return all(
            all(player.version >= duel.version if player.connected else not player.here for player in duel)
            for duel in self.duels
        )

    def finish(self, seconds: float = 30) -> None:
        """Whoever is to move names the number, or resigns: both are told."""
        self.set(mood="finish")
        wait_for("all ends", lambda: all(player.over for player in self.players if player.here), seconds)
