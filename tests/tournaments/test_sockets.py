"""Sockets of a tournament: how it stands on opening, and again after each change (R8.7, D19, D20)."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from matches.core.machine import CommitSecret
from matches.services import act
from players.models import User
from tests.builders import Api, person
from tests.matches.lines import Line, Loop, by_cookie, by_token
from tests.tournaments.builders import Cup, people, plan, play_on
from tournaments import services

pytestmark = pytest.mark.django_db(transaction=True)

Watch = Callable[..., Line]


@pytest.fixture
def watch(loop: Loop, heart: None) -> Iterator[Watch]:
    """Opens a socket on a tournament, or on the pages' own address."""
    lines: list[Line] = []

    def watch(cup: Cup | str, user: User | None = None, *, page: bool = False) -> Line:
        path = cup if isinstance(cup, str) else f"/ws/{'' if page else 'v1/'}tournaments/{cup.id}/"
        headers = by_cookie(user) if page or user is None else by_token(user)
        lines.append(Line(loop, path, headers))
        return lines[-1]

    yield watch
    for line in lines:
        line.close()


def test_it_says_how_the_tournament_stands_and_again_after_each_change(watch: Watch) -> None:
    cup = Cup(people(3))
    line = watch(cup, cup.players[0])
    body = Api().get(f"/tournaments/{cup.id}").body
    assert line.next("tournament")["tournament"] == body
    services.join(cup.id, person("late"))
    assert line.next("tournament")["tournament"]["entrants"][-1] == "late"
    cup.start()
    assert line.next("tournament")["tournament"]["status"] == "running"
    while cup.row.status == "running":
        play_on(cup, Random(4))
        services.sweep()
    told = line.until(lambda frame: frame["tournament"]["status"] == "over")
    champion = cup.champion()
    assert champion is not None
    assert told["tournament"]["champion"] == champion.username


def test_pages_are_sent_the_bracket_with_the_readers_own_way(watch: Watch) -> None:
    cup = Cup(people(4), name="<img src=x onerror=alert(1)>")
    ada, nobody = watch(cup, cup.players[0], page=True), watch(cup, page=True)
    assert "Players" in ada.next("tournament")["html"]
    nobody.next("tournament")
    cup.start()
    own, other = ada.next("tournament"), nobody.next("tournament")
    assert "Your semi-final is on" in own["html"]
    assert "Your semi-final is on" in own["say"]
    assert "Your semi-final" not in other["html"]
    assert "<img" not in own["html"]


def test_pages_are_told_the_clocks_of_what_is_played_and_again_when_a_match_moves(watch: Watch) -> None:
    """What is left to both, and whose time runs; the public socket has no frame for it."""
    cup = Cup(people(4)).start()
    page, public = watch(cup, page=True), watch(cup)
    matches = {pairing.match_id for pairing in cup.pairings()}
    told = page.next("clocks")["matches"]
    assert set(told) == matches
    for one in told.values():
        assert one["running"] == [True, True]
        assert all(0 < left <= 300_000 for left in one["clocks"])
    moved = cup.pairings()[0].match_id
    assert moved is not None
    act(moved, CommitSecret(1, "1234", b"salt" * 4))
    told = page.next("clocks")["matches"]
    assert {match: one["running"] for match, one in told.items()} == {moved: [True, False]}
    assert not [frame for frame in public.rest(1.2) if frame["type"] == "clocks"]


def test_a_private_one_is_shut_to_outsiders_and_to_who_has_left(watch: Watch) -> None:
    """D19"""
    ada, bob = person("ada"), person("bob")
    cup = Cup([ada], private=True)
    assert not watch(cup, bob).open
    assert not watch(cup, bob, page=True).open
    line = watch(cup, ada)
    line.next("tournament")
    services.leave(cup.id, ada)
    with pytest.raises(AssertionError, match="4404"):
        line.next("nothing")


def test_what_is_sent_there_is_refused_and_the_socket_stays_open(watch: Watch) -> None:
    """D20"""
    cup = Cup([], name="Città n° 1")
    line = watch(cup)
    assert line.next("tournament")["tournament"]["name"] == "Città n° 1"
    frames: list[Any] = ["{", "[]", "null", "7", {"type": "x"}, {"type": None, "ref": "a1"}, b"\x00"]
    for frame in frames:
        line.send(frame)
        assert line.next("refused")["code"] == "bad_request"
    services.join(cup.id, person("late"))
    assert line.next("tournament")["tournament"]["entrants"] == ["late"]
    assert not watch("/ws/v1/tournaments/00000000/").open


def test_who_is_entered_is_called_before_the_start_on_every_page(watch: Watch, loop: Loop) -> None:
    """Five minutes and half a minute before, and when it is cancelled; nobody else is."""
    ada, bob = person("ada"), person("bob")
    cup = Cup([ada], ahead=295, name="Monday <b>knockout</b>")
    entered, other = watch("/ws/lobby/", ada, page=True), watch("/ws/lobby/", bob, page=True)
    told = entered.next("notice")
    assert told["title"] == "Monday <b>knockout</b> starts in five minutes."
    assert (told["url"], "<b>knock" in told["html"]) == (f"/tournaments/{cup.id}/", False)
    services.edit(cup.id, cup.boss, plan("Half a minute", ahead=25))
    assert entered.next("notice")["title"] == "Half a minute starts in thirty seconds."
    cup.start()
    assert entered.next("notice")["title"] == "Half a minute is cancelled."
    assert not [frame for frame in other.rest(1.2) if frame["type"] == "notice"]


def test_a_drawn_player_is_brought_to_the_match_from_any_page(watch: Watch) -> None:
    """R8.2: the lobby's own call, as for every match."""
    cup = Cup(people(2))
    line = watch("/ws/lobby/", cup.players[0], page=True)
    line.next("open")
    cup.start()
    (pairing,) = cup.pairings()
    assert line.next("match")["match"] == pairing.match_id
