"""Duels over the wire: the whole site in a process of its own, spoken to by sockets and requests as a bot would."""

import contextlib
import http.client
import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.builders import ALL_TERMS, SECRETS, WRONG
from tests.site import Site
from tests.sockets import BINARY, RawSocket

Json = dict[str, Any]
GUESS = {"type": "guess", "code": WRONG}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One site for all of this: with a move clock of a second among the others."""
    with Site(tmp_path_factory.mktemp("live") / "data", MOVE_SECONDS="1,120") as site:
        yield site


def ask(site: Site, method: str, path: str, body: Any = None, token: str = "") -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=10)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    with contextlib.closing(connection):
        raw = body if isinstance(body, bytes) else json.dumps(body)
        connection.request(method, f"/api/v1{path}", raw if body is not None else None, headers)
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content else None


class Player:
    """A guest with a token, and the socket they play by."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.token = ask(site, "POST", "/guest")[1]["token"]
        self.heard: list[Json] = []

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        return ask(self.site, method, path, body, self.token)

    def open(self, match: str, since: int | None = None) -> None:
        query = "" if since is None else f"?since={since}"
        headers = {"Authorization": f"Bearer {self.token}"}
        self.socket = RawSocket(self.site.port, f"/ws/v1/matches/{match}/{query}", headers)
        assert self.socket.status == 101

    def next(self, **wanted: Any) -> Json:
        while True:
            frame: Json = self.socket.receive_json()
            self.heard.append(frame)
            if wanted.items() <= frame.items():
                return frame

    def do(self, verb: str, **fields: Any) -> Json:
        ref = f"{verb}-{len(self.heard)}"
        self.socket.send_json({"type": verb, "ref": ref, **fields})
        return self.next(ref=ref)


def met(site: Site, preset: str = "duel", **asked: Any) -> tuple[str, Player, Player]:
    """Two guests who have met by link, their sockets open."""
    ada, bob = Player(site), Player(site)
    _, invitation = ada.ask("POST", "/invitations", {"terms": {"preset": preset, "length": 5, **asked}})
    status, accepted = bob.ask("POST", f"/invitations/{invitation['token']}/accept")
    assert status == 201
    match: str = accepted["match"]
    for player in (ada, bob):
        player.open(match)
        player.next(type="match")
    return match, ada, bob


def begun(site: Site, preset: str = "duel", **asked: Any) -> tuple[str, Player, Player]:
    """The same with play begun; who moves comes first."""
    match, ada, bob = met(site, preset, **asked)
    for seat, player in enumerate((ada, bob)):
        assert player.do("secret", code=SECRETS[seat])["type"] == "ok"
    if preset == "classic":
        for player in (ada, bob):
            assert player.do("confirm")["type"] == "ok"
    turn = ada.next(event="started")["turn"]
    bob.next(event="started")
    return (match, ada, bob) if turn == 0 else (match, bob, ada)


@pytest.mark.parametrize(("preset", "asked"), ALL_TERMS)
def test_a_whole_duel_by_socket(live: Site, preset: str, asked: Json) -> None:
    """From two guests to the reveal and the rematch: nothing told twice, nothing too early."""
    match, first, second = begun(live, preset, **asked)
    for player, other in ((first, second), (second, first), (first, second)):
        answer = player.do("guess", code="31605")
        assert answer["guess"]["marks"] is None or asked["feedback"] == "positions"
        other.next(event="guess", version=answer["version"])
    for player in (first, second):
        assert SECRETS[1 - seat_of(player)] not in json.dumps(player.heard)
    assert second.do("guess", code=SECRETS[seat_of(first)])["guess"]["exact"] == 5
    ends = [player.next(event="over") for player in (first, second)]
    assert ends[0] == ends[1]
    assert (ends[0]["secrets"], ends[0]["result"]["reason"]) == ([*SECRETS], "broken")
    assert first.do("rematch")["rematch"]["match"] is None
    made = second.do("rematch")["rematch"]
    assert made["match"]
    assert first.next(event="rematch", rematch=made)
    for player in (first, second):
        versions = [frame["version"] for frame in player.heard if frame["type"] == "event"]
        assert versions == list(range(2, len(versions) + 2))
    assert ask(live, "GET", f"/matches/{match}")[0] == 404


def seat_of(player: Player) -> int:
    seat: int = player.heard[0]["match"]["you"]
    return seat


@pytest.mark.parametrize("size", [4097, 1_000_000])
def test_a_frame_that_is_too_long_closes_with_1009_and_the_client_resumes(live: Site, size: int) -> None:
    """D20, R1.2: nothing is lost, and the same guess is taken on the next socket."""
    match, first, second = begun(live)
    first.socket.send(json.dumps({**GUESS, "code": "1" * size}))
    assert first.socket.close_code() == 1009
    first.open(match, since=4)
    assert first.do("guess", code=WRONG)["guess"]["n"] == 1
    assert second.next(event="guess")["move"] == 0


FRAMES = {
    "half an object": (b"{", 1),
    "NUL": (b"\x00" * 9, 1),
    "bytes": (json.dumps(GUESS).encode(), BINARY),
    "a nest": (b"[" * 4000, 1),
    "half a character": (b'{"type":"guess","code":"\\ud800"}', 1),
    "4 KB of digits": (b'{"type":"guess","code":"' + b"1" * 4000 + b'"}', 1),
    "nothing": (b"", 1),
}


@pytest.mark.parametrize(("payload", "opcode"), FRAMES.values(), ids=[*FRAMES])
def test_a_frame_that_is_none_leaves_the_socket_open(live: Site, payload: bytes, opcode: int) -> None:
    """D20: the same socket then takes a good guess."""
    _, first, _ = begun(live)
    first.socket.send(payload, opcode)
    assert first.next(type="refused")["detail"]
    assert first.do("guess", code=WRONG)["type"] == "ok"


def chunked(site: Site, path: str, size: int) -> bytes:
    """The first line of what is answered to a body that does not say how long it is."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nContent-Type: application/json\r\n"
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=10)
    connection.connect()
    with contextlib.closing(connection):
        assert connection.sock is not None
        connection.sock.sendall(f"{head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n".encode())
        with contextlib.suppress(OSError):  # answered before all was sent
            for _ in range(0, size, 1000):
                connection.sock.sendall(b"3e8\r\n" + b" " * 1000 + b"\r\n")
            connection.sock.sendall(b"0\r\n\r\n")
        return connection.sock.recv(1000).split(b"\r\n")[0]


@pytest.mark.parametrize("size", [5_000, 10_000_000])
def test_a_body_that_is_too_long_is_413(live: Site, size: int) -> None:
    """R1.2"""
    status, problem = Player(live).ask("POST", "/invitations", b" " * size)
    assert (status, problem["code"]) == (413, "too_large")


def test_two_clients_who_guess_at_the_same_instant(live: Site) -> None:
    """D5: on two sockets of one player, without a word between them."""
    match, first, second = begun(live)
    headers = {"Authorization": f"Bearer {first.token}"}
    with RawSocket(live.port, f"/ws/v1/matches/{match}/", headers) as twin:
        for socket in (first.socket, twin):
            socket.send_json(GUESS)
        answers = []
        for socket in (first.socket, twin):
            while (frame := socket.receive_json())["type"] not in ("ok", "refused"):
                pass
            answers.append(frame.get("code", "ok"))
    assert sorted(answers) == ["ok", "out_of_turn"]
    assert second.next(event="guess")["move"] == 0


def test_a_flag_that_nobody_watches_falls_by_itself(live: Site) -> None:
    """D7, R4.6: every socket closed at once; two seconds after the flag it is settled, dated when it fell."""
    match, first, second = begun(live, "classic", clock={"seconds": 1})
    started = second.heard[-1]["server_time"]
    for player in (first, second):
        player.socket.tcp.close()
    time.sleep(3)
    status, body = second.ask("GET", f"/matches/{match}")
    result = body["result"]
    assert (status, result["reason"], result["winner"]) == (200, "time", seat_of(second))
    assert result["at"] == started + 1000


def test_what_went_on_has_left_no_number_in_the_log(live: Site) -> None:
    """D22; and no error of ours."""
    time.sleep(0.2)
    said = live.errors()
    assert not any(secret in re.sub(r"1[0-9]{12}", "", said) for secret in SECRETS)
    assert "Traceback" not in said
    assert " ERROR " not in said


@pytest.mark.parametrize(
    "size",
    [
        5000,
        3_000_000,
    ],
)
def test_a_body_that_does_not_say_its_size_is_measured(live: Site, size: int) -> None:
    """R1.2"""
    assert b" 413 " in chunked(live, "/api/v1/guest", size)
