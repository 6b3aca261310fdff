"""The socket of a match, as docs/protocol.md has it: what it says, what it takes, what it survives."""

import json
import time
from itertools import pairwise
from statistics import median
from typing import Any

import pytest

from matches import consumers, queries, services, uptime
from tests.builders import Api, Duel, S, dump, movers, person
from tests.matches.conftest import Dial, Lossy, push
from tests.matches.lines import PATIENCE, Json, Line, by_token, versions

GUESS = {"code": "24680"}


def playing(dial: Dial, **asked: Any) -> tuple[Duel, Line, Line]:
    """A match under way with a socket of each player's, both quiet."""
    duel = Duel(**asked).start()
    ada, bob = (dial(duel, player) for player in duel.players)
    ada.rest()
    bob.rest()
    return duel, ada, bob


# What is said first


def test_a_socket_begins_with_the_match_as_the_interface_gives_it(dial: Dial) -> None:
    duel = Duel().start()
    duel.guess(0)
    line = dial(duel, duel.players[1])
    said = line.receive(5)
    assert said is not None
    assert said["type"] == "match"
    body = Api(duel.players[1]).get(f"/matches/{duel.id}").body
    moving = "server_time", "seats"
    assert {k: v for k, v in said["match"].items() if k not in moving} == {
        k: v for k, v in body.items() if k not in moving
    }
    assert said["match"]["seats"][1]["connected"]
    tick = line.receive(PATIENCE)
    assert tick is not None
    assert (tick["type"], len(tick["clocks"])) == ("tick", 2)


def test_ticks_come_about_once_a_second_while_a_clock_runs(dial: Dial) -> None:
    """R4.3: none runs while numbers are chosen for a classic match, and none after the end."""
    duel, ada, _ = playing(dial)
    standing = dial(Duel("classic", players=duel.players), duel.players[0])
    ticks = [ada.next("tick") for _ in range(4)]
    spans = [later["server_time"] - sooner["server_time"] for sooner, later in pairwise(ticks)]
    assert 700 < median(spans) < 5000
    sooner, later, span = *ticks[-2:], spans[-1]
    assert sooner["clocks"][0] - later["clocks"][0] == span
    assert sooner["clocks"][1] == later["clocks"][1]
    duel.end()
    ada.event("over")
    before = len(ada.heard)
    ada.rest(1.1)
    standing.rest(0.05)
    assert not any('"tick"' in heard for heard in ada.heard[before:] + standing.heard)


def test_no_tick_comes_before_the_match_however_slow_the_start(
    dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the interface promises: a client takes the first frame for the match."""
    duel = Duel().start()
    connect = services.connect

    def slowly(*seat: Any) -> None:
        time.sleep(0.5)
        connect(*seat)

    monkeypatch.setattr(services, "connect", slowly)
    monkeypatch.setattr(consumers, "TICK_SECONDS", 0.0)
    said = dial(duel, duel.players[1]).receive(10)
    assert said is not None
    assert said["type"] == "match"


# since


def tale(duel: Duel) -> int:
    """Guesses, talk, the end, an offer: the version it comes to."""
    for seat, _ in zip(movers(duel), range(4), strict=False):
        duel.guess(seat)
    duel.do(1, "say", phrase=3)
    duel.end()
    duel.do(1, "rematch")
    return duel.row.version


def test_since_gives_exactly_what_came_after(dial: Dial) -> None:
    """For every version there is: the same frames that a socket was sent which saw it all."""
    duel = Duel()
    witness = dial(duel, person("cleo"))
    witness.next("match")
    duel.start()
    last = tale(duel)
    seen = [frame for frame in witness.rest() if frame["type"] == "event"]
    assert versions(seen) == list(range(2, last + 1))
    for since in range(1, last + 1):
        with dial(duel, person(f"eve-{since}"), since=since) as line:
            missed = [frame for frame in seen if frame["version"] > since]
            assert [line.next("event") for _ in missed] == missed
            assert line.rest(0.05) == []


@pytest.mark.parametrize(
    "since", ["0", "999", "-1", "x", "²", "1e3", "", "99999999999999999999", "%00", "3&since=2"]
)
def test_since_a_version_that_never_was_gives_the_match(dial: Dial, since: str) -> None:
    duel = Duel()
    line = dial(duel, duel.players[0], query=f"since={since}")
    assert line.next("match")["match"]["version"] == 1


def test_what_happens_between_the_page_and_its_socket_is_delivered(dial: Dial) -> None:
    """D12: bob's guess is stored while ada's page is on its way."""
    duel = Duel(first=1).start()
    loaded = Api(duel.players[0]).get(f"/matches/{duel.id}").body["version"]
    duel.guess(1)
    line = dial(duel, duel.players[0], since=loaded)
    assert line.event("guess")["version"] == loaded + 1


def test_an_end_while_the_line_was_down_is_told_on_return(dial: Dial) -> None:
    """D12"""
    duel, ada, _ = playing(dial)
    ada.close()
    duel.guess(0)
    duel.guess(1, duel.secret(0))
    frames = dial(duel, duel.players[0], since=4).rest()
    assert [frame["event"] for frame in frames] == ["guess", "guess", "over"]
    assert frames[-1]["secrets"] == [duel.secret(0), duel.secret(1)]


# Commands


def test_a_duel_from_choosing_to_its_rematch_by_socket(dial: Dial) -> None:
    """Every command and every event, each event on both sockets, its versions without a gap."""
    duel = Duel("classic")
    ada, bob = lines = [dial(duel, player) for player in duel.players]
    for line in lines:
        line.next("match")
    assert ada.ask("secret", code=duel.secret(0))["version"] == 2
    assert bob.ask("secret", code=duel.secret(1))["version"] == 3
    assert [ada.ask("confirm")["type"], bob.ask("confirm")["type"]] == ["ok", "ok"]
    answer = ada.ask("guess", code="12345", n=1)
    assert {**answer["guess"], "at": 0} == {
        "n": 1,
        "code": "12345",
        "marks": None,
        "exact": 0,
        "present": 3,
        "at": 0,
    }
    assert bob.ask("say", phrase=6)["type"] == "ok"
    assert bob.ask("flag")["type"] == "ok"
    assert bob.ask("resign")["type"] == "ok"
    assert ada.ask("rematch")["rematch"] == {"offered_by": 0, "match": None}
    made = bob.ask("rematch")["rematch"]["match"]
    assert made == duel.follow().id

    kinds = [
        "ready",
        "ready",
        "confirmed",
        "confirmed",
        "started",
        "guess",
        "said",
        "over",
        "rematch",
        "rematch",
    ]
    for line in lines:
        line.rest()
        events = [frame for frame in map(json.loads, line.heard) if frame["type"] == "event"]
        assert [event["event"] for event in events] == kinds
        assert versions(events) == list(range(2, 12))
        by_kind: dict[str, Json] = {event["event"]: event for event in events}
        assert (by_kind["guess"]["seat"], by_kind["guess"]["move"]) == (0, 0)
        assert by_kind["guess"]["guess"] == answer["guess"]
        assert (by_kind["said"]["seat"], by_kind["said"]["phrase"]) == (1, 6)
        result = by_kind["over"]["result"]
        assert (result["outcome"], result["winner"], result["reason"]) == ("win", 0, "resigned")
        assert by_kind["over"]["secrets"] == [duel.secret(0), duel.secret(1)]
        assert [event["turn"] for event in events] == [None] * 4 + [0, 1, 1, None, None, None]
        assert all(len(event["clocks"]) == 2 for event in events)


def test_a_frame_has_its_fields_and_no_others(dial: Dial) -> None:
    """A client may say more than we understand; what it is told is what the protocol says."""
    _, ada, _ = playing(dial)
    ok = ada.ask("guess", code="24680", colour="red", seat=1, player="bob")
    event = ada.event("guess")
    refused = ada.ask("guess", code="24680")
    tick = ada.next("tick")
    assert set(ok) == {"type", "ref", "version", "guess"}
    assert set(ok["guess"]) == {"n", "code", "marks", "exact", "present", "at"}
    assert set(event) == {
        "type",
        "version",
        "event",
        "seat",
        "guess",
        "move",
        "clocks",
        "turn",
        "server_time",
    }
    assert set(refused) == {"type", "ref", "code", "detail"}
    assert set(tick) == {"type", "clocks", "server_time"}


REPEATED: dict[str, Json] = {
    "guess": GUESS,
    "resign": {},
    "flag": {},
    "say": {"phrase": 1},
    "secret": {"code": "13579"},
}


@pytest.mark.parametrize(("verb", "fields"), REPEATED.items(), ids=[*REPEATED])
def test_a_repeated_ref_gets_the_very_same_answer(dial: Dial, verb: str, fields: Json) -> None:
    """api.md: its first answer, on another socket too, after more has happened; and it happens once."""
    duel = Duel().start()
    line, other = dial(duel, duel.players[0]), dial(duel, duel.players[0])
    first = line.ask(verb, ref="x-1", **fields)
    if duel.state.turn is not None:
        duel.guess(duel.state.turn)
    before = dump()
    assert line.ask(verb, ref="x-1", **fields) == first
    assert other.ask(verb, ref="x-1", **fields) == first
    assert dump() == before


@pytest.mark.parametrize("verb", ["rematch", "flag"])
def test_a_repeated_ref_of_a_command_that_changed_nothing_gets_the_same_answer_too(
    dial: Dial, verb: str
) -> None:
    """There is no event of its own to tell again, and none of anybody else's may be told instead."""
    duel = Duel().start()
    duel.guess(0)
    if verb == "rematch":
        duel.end()
        duel.do(1, verb)
    line = dial(duel, duel.players[1])
    assert line.ask(verb, ref="x-1") == line.ask(verb, ref="x-1")


def test_a_ref_of_the_socket_is_the_key_of_the_interface(dial: Dial) -> None:
    """One namespace a seat: sent by socket, asked again over HTTP, and the reverse."""
    duel, ada, bob = playing(dial)
    answer = ada.ask("guess", ref="k-1", **GUESS)
    again = Api(duel.players[0], Idempotency_Key="k-1").post(f"/matches/{duel.id}/guesses", {"code": "13579"})
    assert (again.status, again.body) == (201, answer["guess"])
    first = Api(duel.players[1], Idempotency_Key="k-1").post(f"/matches/{duel.id}/guesses", GUESS)
    assert bob.ask("guess", ref="k-1", code="13579")["guess"] == first.body
    assert duel.state.moves == 2


@pytest.mark.parametrize("ref", ["", "x" * 65, "é", "a b", 7, True, [], {}, "\x00", "\ud800"])
def test_a_ref_that_is_none_is_refused_without_one(dial: Dial, ref: Any) -> None:
    duel, ada, _ = playing(dial)
    ada.send({"type": "guess", "ref": ref, **GUESS})
    answer = ada.next("refused")
    assert (answer["code"], answer["ref"]) == ("bad_request", None)
    assert duel.state.moves == 0


def test_a_command_needs_no_ref(dial: Dial) -> None:
    duel, ada, _ = playing(dial)
    ada.send({"type": "guess", **GUESS})
    assert ada.next("ok")["ref"] is None
    assert duel.state.moves == 1
    assert duel.row.answers == [[], []]


# Frames that are none (D20)

NESTED = "[" * 2000 + "]" * 2000
FRAMES: dict[str, str | bytes] = {
    "half an object": "{",
    "a list": "[]",
    "null": "null",
    "a number": "7",
    "text": '"guess"',
    "nothing": " ",
    "an unknown type": '{"type":"x"}',
    "a type that is null": '{"type":null}',
    "a type that is a list": '{"type":["guess"]}',
    "no type": "{}",
    "a nest": NESTED,
    "a nest inside": '{"type":"guess","code":' + NESTED[:1900] + "}",
    "a nest of objects": '{"a":' * 700 + "1" + "}" * 700,
    "NaN": "NaN",
    "NaN inside": '{"type":"guess","code":"24680","n":NaN}',
    "infinity inside": '{"type":"guess","code":"24680","n":1e999}',
    "a huge number": "9" * 4000,
    "a huge number inside": '{"type":"guess","code":"24680","n":' + "9" * 4000 + "}",
    "a huge phrase": '{"type":"say","phrase":' + "9" * 400 + "}",
    "no phrase": '{"type":"say"}',
    "NUL": "\x00",
    "NUL inside": '{"type":"guess\x00","code":"24680"}',
    "NUL escaped": '{"type":"guess\\u0000","code":"24680"}',
    "half a character": '{"type":"\\ud800"}',
    "half a character for a code": '{"type":"guess","code":"\\ud8004680"}',
    "two halves": '{"type":"guess","code":"\\ud83d\\ude00"}',
    "a code that is a number": '{"type":"guess","code":24680}',
    "a code that is null": '{"type":"guess","code":null}',
    "no code": '{"type":"guess"}',
    "no code for a secret": '{"type":"secret"}',
    "a number that is text": '{"type":"guess","code":"24680","n":"1"}',
    "a number that is yes": '{"type":"guess","code":"24680","n":true}',
    "bytes": b'{"type":"guess","code":"24680"}',
    "bytes of nothing": b"\x00\xff",
    "a type in capitals": '{"type":"GUESS","code":"24680"}',
    "a handler's name": '{"type":"match.moved","revision":9}',
    "two types": '{"type":"guess","type":"x","code":"24680"}',
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=[*FRAMES])
def test_a_frame_that_is_none_is_refused_and_the_same_socket_takes_a_good_guess(
    dial: Dial, frame: str | bytes
) -> None:
    """D20: refused in words, nothing changed, nothing told."""
    duel = Duel().start()
    ada = dial(duel, duel.players[0])
    ada.next("match")
    before = dump()
    ada.send(frame)
    answer = ada.next("refused")
    assert answer["code"] in ("bad_request", "bad_code", "out_of_turn", "invalid")
    assert answer["detail"]
    assert dump() == before
    assert ada.ask("guess", **GUESS)["type"] == "ok"
    assert duel.state.moves == 1


def test_a_refused_frame_keeps_its_ref(dial: Dial) -> None:
    """So that its sender can tell which one it was."""
    _, ada, _ = playing(dial)
    ada.send({"type": "guess", "code": 24680, "ref": "mine"})
    assert ada.next("refused")["ref"] == "mine"


def test_a_watcher_may_look_and_not_act(dial: Dial) -> None:
    """R4.8, D23: with every command there is."""
    duel = Duel().start()
    line = dial(duel, person("cleo"))
    assert line.next("match")["match"]["you"] is None
    before = dump()
    for verb in ("secret", "confirm", "guess", "resign", "rematch", "flag", "say"):
        assert line.ask(verb, code="31650", phrase=1)["code"] == "forbidden"
    assert dump() == before
    duel.guess(0)
    assert line.event("guess")["version"] == 5


# Presence


def test_the_other_is_told_who_comes_and_goes(dial: Dial) -> None:
    """R5.3, D10: the second tab and its closing are nobody's news."""
    duel = Duel().start()
    ada = dial(duel, duel.players[0])
    ada.rest()
    bob = dial(duel, duel.players[1])
    come = ada.until(lambda frame: frame["type"] == "presence" and frame["seat"] == 1)
    assert come == {"type": "presence", "seat": 1, "connected": True, "forfeits_at": None}
    second = dial(duel, duel.players[1])
    second.next("match")
    bob.close()
    before = len(ada.heard)
    ada.rest()
    assert not any('"presence"' in heard for heard in ada.heard[before:])
    second.close()
    gone = ada.next("presence")
    assert (gone["seat"], gone["connected"]) == (1, False)
    assert gone["forfeits_at"] == duel.state.seats[1].seen_at + 60 * S


def test_a_watcher_is_no_player_come_back(dial: Dial) -> None:
    """R5.3: only sockets of the seat's own player count."""
    duel = Duel().start()
    with dial(duel, person("cleo")) as line:
        line.next("match")
        assert not any(seat.connected for seat in duel.state.seats)
    assert not any(seat.connected for seat in duel.state.seats)


def test_a_player_is_there_by_page_and_by_interface_alike(dial: Dial) -> None:
    """R5.3: any device, either socket."""
    duel = Duel().start()
    page, line = dial(duel, duel.players[0], page=True), dial(duel, duel.players[0])
    line.next("match")
    page.close()
    assert duel.state.seats[0].connected
    line.close()
    assert not duel.state.seats[0].connected


# What the channel layer may do (D12, design.md: at most once)


ORDERS = {
    "as they came": (0, 1, 2, 3, 4),
    "doubled": (0, 0, 1, 1, 2, 2, 3, 3, 4, 4),
    "backwards": (4, 3, 2, 1, 0),
    "shuffled": (2, 0, 4, 1, 3),
    "all but the last lost": (4,),
    "the first lost": (1, 2, 3, 4),
    "one in the middle lost": (0, 1, 3, 4),
    "told again from the start": (0, 1, 2, 3, 4, 0, 1, 2, 3, 4),
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=[*ORDERS])
@pytest.mark.parametrize("ends", [False, True])
def test_each_version_is_told_once_and_in_order_whatever_the_layer_does(
    dial: Dial, lossy: Lossy, order: tuple[int, ...], ends: bool
) -> None:
    duel = Duel().start()
    line = dial(duel, person("cleo"))
    line.next("match")
    lossy.kept.clear()
    for seat, _ in zip(movers(duel), range(4), strict=False):
        duel.guess(seat)
    if ends:
        duel.end()
    else:
        duel.guess(0)
    lossy.release(*order)
    line.until(lambda frame: frame.get("version") == 9)
    line.rest(0.05)
    assert versions([*map(json.loads, line.heard)]) == [5, 6, 7, 8, 9]


def test_what_the_layer_lost_altogether_is_made_good_within_two_seconds(dial: Dial, lossy: Lossy) -> None:
    """D12, issue 3"""
    duel = Duel().start()
    line = dial(duel, person("cleo"))
    line.next("match")
    took = []
    for version, seat in zip((5, 6, 7), movers(duel), strict=False):
        duel.guess(seat)
        sent = time.monotonic()
        assert line.event("guess")["version"] == version
        took.append(time.monotonic() - sent)
    assert median(took) < 10  # a machine may be busy for a moment
    duel.guess(1)
    duel.end()
    assert [line.event("guess")["version"], line.event("over")["version"]] == [8, 9]


def test_a_message_that_tells_what_was_already_told_is_not_told_again(dial: Dial, lossy: Lossy) -> None:
    """A socket may have read further in the database than the last message it had: by version, not only by revision."""
    duel = Duel().start()
    line = dial(duel, person("cleo"))
    line.next("match")
    lossy.kept.clear()
    duel.guess(0)
    group, message = lossy.kept[0]
    lossy.release(0)
    assert line.event("guess")["version"] == 5
    lossy.kept[0] = group, {**message, "revision": message["revision"] + 1}
    lossy.release(0)
    assert versions(line.rest()) == []


def test_what_happens_while_a_socket_reads_is_told_once(dial: Dial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between its look at the match and its look at the events somebody guesses."""
    duel = Duel().start()
    read, pending = queries.tellings_since, [True]

    def guess_meanwhile(match_id: str, version: int) -> Any:
        if pending and pending.pop():
            duel.guess(0, "24680")
        return read(match_id, version)

    monkeypatch.setattr(queries, "tellings_since", guess_meanwhile)
    line = dial(duel, person("cleo"), since=3)
    assert versions(line.rest(0.3)) == [4, 5]


def test_what_was_lost_is_made_good_though_an_outage_comes_between(dial: Dial, lossy: Lossy) -> None:
    """R5.4 and D12: showing the clocks anew must not pass over an event that nobody has been told of yet."""
    duel = Duel().start()
    line = dial(duel, person("cleo"))
    line.next("match")
    duel.guess(0)
    consumers.watch.renew()
    assert line.until(lambda frame: frame.get("event") == "guess")["version"] == 5


def test_a_message_about_clocks_alone_is_no_event(dial: Dial) -> None:
    """Whatever else the group hears of the match: nothing is told of what has no frame."""
    duel = Duel().start()
    line = dial(duel, person("cleo"))
    line.next("match")
    revision = duel.row.revision + 1
    push(
        services.group(duel.id),
        {"type": "match.moved", "revision": revision, "clocks": [[9, 9], [False, False], 1], "frames": []},
    )
    assert line.rest() == []


def test_two_matches_do_not_hear_of_each_other(dial: Dial) -> None:
    players = person("ada"), person("bob")
    one, two = (Duel(players=players).start() for _ in range(2))
    line = dial(two, players[0])
    line.rest()
    one.guess(0)
    assert line.rest() == []


# Which language


@pytest.mark.parametrize(
    ("query", "header"),
    [
        ("", ""),
        ("lang=en", "it"),
        ("lang=xx", "en-GB"),
        ("lang=", "*"),
        ("lang=%00", "²"),
        ("", "q=;,;"),
        ("", "fr"),
    ],
)
def test_a_refusal_is_in_the_language_that_was_asked_for(dial: Dial, query: str, header: str) -> None:
    duel = Duel().start()
    headers = {**by_token(duel.players[1]), "Accept-Language": header}
    answer = dial(duel, headers=headers, query=query).ask("guess", **GUESS)
    assert answer["detail"] == "It is not your turn."


def test_a_language_without_a_catalogue_breaks_nothing(dial: Dial) -> None:
    duel = Duel().start()
    answer = dial(duel, duel.players[1], query="lang=it").ask("guess", **GUESS)
    assert (answer["code"], bool(answer["detail"])) == ("out_of_turn", True)


def test_a_process_is_alive_while_it_serves_sockets(dial: Dial) -> None:
    """R5.3: presence is tied to a process known to be alive."""
    duel = Duel()
    dial(duel, duel.players[0]).next("match")
    assert not uptime.dead_processes()
    services.bury()
    assert duel.state.seats[0].connected
