"""Whatever a socket may be sent: frames drawn from a seed, and a run of them against a running site.

`python -m tests.fuzz FRAMES` starts a site of its own and tells what came of it; the suite runs fewer
(tests/numbers_site/test_fuzz.py).
"""

import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import psutil

from matches.wire import VERBS
from numbers_site.server import MESSAGE_BYTES
from tests.site import Site
from tests.sockets import BINARY, TEXT, Closed, RawSocket

AT_ONCE = 64
"""As many frames are under way; a socket with over 128 unread is closed (numbers_site/server.py)."""
SECRET = "90718"
"""Of the opponent, and never sent by us."""
CLOSES = {1002, 1007, 1009}
"""A frame that is against the protocol, no text, or too long ends its socket. Nothing else does."""

Frame = tuple[bytes, int]


def frames(seed: int) -> Any:
    """Without end: text and binary frames of which none is a command that could end a match."""
    chance = Random(seed)
    while True:
        kind = chance.choice(_KINDS if chance.random() > 0.002 else _DEADLY)
        raw = kind(chance)
        fits = kind in _DEADLY or len(raw[0]) <= MESSAGE_BYTES
        if fits and SECRET.encode() not in raw[0] and not _ends_the_match(raw[0]):
            yield raw


def _ends_the_match(raw: bytes) -> bool:
    try:
        frame = json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return isinstance(frame, dict) and frame.get("type") == "resign"


def _text(text: str) -> Frame:
    return text.encode(), TEXT


def _noise(chance: Random) -> Frame:
    return chance.randbytes(chance.choice((0, 1, 7, 200, 4096))), BINARY


def _no_text(chance: Random) -> Frame:
    return b'{"type":"say","code":"' + chance.choice((b"\xff", b"\xed\xa0\x80", b"\xc0\x80")), TEXT


def _broken(chance: Random) -> Frame:
    whole = json.dumps({"type": chance.choice(VERBS), "code": "24680", "ref": "r1"})
    at = chance.randrange(len(whole))
    return _text(
        chance.choice((whole[:at], whole[at:], whole[:at] + chance.choice('{}[]",:\\\0') + whole[at:]))
    )


def _deep(chance: Random) -> Frame:
    depth = chance.choice((10, 500, 1300))
    opened, closed = chance.choice((("[", "]"), ('{"a":', "}")))
    inner = opened * min(depth, 4000 // (len(opened) + 1))
    return _text(f'{{"type":"guess","code":{inner}1{closed * (len(inner) // len(opened))}}}')


def _huge(chance: Random) -> Frame:
    large = ("9" * 1900, "1e999999", "0." + "1" * 1800, str(2**63), str(2**64))
    number = chance.choice((*large, "-1e-999999", "NaN", "-Infinity", "-1"))
    return _text(
        f'{{"type":"{chance.choice(VERBS)}","code":"24680","n":{number},"phrase":{number},"ref":"r"}}'
    )


def _strange(chance: Random) -> Frame:
    signs = "\0\a\b\x1b\x7f\u200b\u202e\ufeff\u0663\uff11\U0001f600'\"<>&%\\"
    text = "".join(chance.choices(signs, k=chance.choice((1, 5, 64, 250))))
    escaped = chance.random() < 0.5
    if escaped:
        text += "\ud800"  # half a sign: lawful JSON, and nothing that could be sent back
    fields = {chance.choice(("code", "ref", "n", "phrase", text)): text for _ in range(3)}
    return _text(json.dumps({"type": chance.choice((*VERBS, text)), **fields}, ensure_ascii=escaped))


def _typed(chance: Random) -> Frame:
    values: tuple[Any, ...] = (
        None,
        True,
        0,
        -1,
        1.5,
        "",
        "24680",
        [],
        {},
        ["24680"],
        {"code": "24680"},
        "x" * 1500,
    )
    names = ("type", "code", "ref", "n", "phrase", "seat", "player", "match", "__proto__")
    frame = {name: chance.choice(values) for name in chance.sample(names, chance.randrange(1, 6))}
    if chance.random() < 0.7:
        frame["type"] = chance.choice(VERBS)
    return _text(json.dumps(chance.choice((frame, [frame], frame.get("type", 7)))))


def _long(chance: Random) -> Frame:
    return _text('{"type":"guess","code":"' + "1" * chance.choice((4100, 65_000, 200_000)) + '"}')


_KINDS = (_broken, _deep, _huge, _strange, _typed, _typed, _noise)
_DEADLY = (_long, _no_text)
"""Each ends its socket, and so are few: the rest is to be heard by one that lives on."""


@dataclass
class Outcome:
    sent: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    closes: Counter[int | None] = field(default_factory=Counter)
    leaks: list[bytes] = field(default_factory=list)


class Fuzz:
    """A player's socket, a spectator's, and a page's on one match."""

    def __init__(self, site: Site, paths: list[tuple[str, dict[str, str]]], seed: int) -> None:
        self.site, self.paths = site, paths
        self.frames = frames(seed)
        self.outcome = Outcome()

    def run(self, count: int) -> Outcome:
        turn = 0
        while self.outcome.sent < count:
            path, headers = self.paths[turn % len(self.paths)]
            turn += 1
            with RawSocket(self.site.port, path, headers, timeout=60) as socket:
                assert socket.status == 101, (path, socket.status)
                self._talk(socket, min(count, self.outcome.sent + 2000))
        return self.outcome

    def _talk(self, socket: RawSocket, until: int) -> None:
        """Until a frame has ended the socket, or enough was said; every other frame is answered, each once."""
        try:
            while self.outcome.sent < until:
                batch = [next(self.frames) for _ in range(min(AT_ONCE, until - self.outcome.sent))]
                for raw, opcode in batch:
                    self.outcome.sent += 1
                    socket.send(raw, opcode)
                self._read(socket, len(batch))
        except Closed as closed:
            self.outcome.closes[closed.code] += 1
        except (BrokenPipeError, ConnectionResetError):
            self.outcome.closes[0] += 1  # closed while we were still sending

    def _read(self, socket: RawSocket, answers: int) -> None:
        while answers:
            said = socket.receive()
            if SECRET.encode() in said:
                self.outcome.leaks.append(said)
            frame = json.loads(said)
            if frame["type"] in ("ok", "refused"):
                answers -= 1
                self.outcome.answers[frame.get("code", "ok")] += 1


SETTLE = (
    "import json; from tests.builders import Duel, bearer, person; "
    "d = Duel(length=5).start('31650', '90718'); a = bearer(d.players[0]); c = bearer(person('cleo')); "
    "print(json.dumps([d.id, a, c]))"
)


def settle(site: Site) -> tuple[str, list[tuple[str, dict[str, str]]]]:
    """A match in play, whose second seat's number is `SECRET`; who may speak, and the first seat's path first."""
    made = site.manage("shell", "-v0", "-c", SETTLE)
    assert made.returncode == 0, made.stderr
    match_id, player, watcher = json.loads(made.stdout)
    path = f"/ws/v1/matches/{match_id}/"
    page = f"/ws/matches/{match_id}/"
    return match_id, [(path, player), (page, player), (path, watcher), ("/ws/v1/lobby/", player)]


def megabytes(site: Site) -> float:
    return float(psutil.Process(site.process.pid).memory_info().rss) / 2**20


def main(count: int) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Site(Path(folder) / "data", LIMITS="off", GRACE_SECONDS="9999", BUDGET_SECONDS="1800") as site,
    ):
        _match, paths = settle(site)
        Fuzz(site, paths, seed=1).run(2000)
        before, began = megabytes(site), time.monotonic()
        outcome = Fuzz(site, paths, seed=2).run(count)
        took = time.monotonic() - began
        time.sleep(5)
        told = {
            "frames": outcome.sent, "seconds": round(took), "answers": outcome.answers, "closed": outcome.closes,
            "leaks": len(outcome.leaks), "MB before": before, "MB after": megabytes(site), "stderr": site.errors(),
        }  # fmt: skip
        sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
