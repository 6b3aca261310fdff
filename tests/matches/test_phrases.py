"""Canned phrases on the match page: heard once by who looks, in the reader's words, and not by who is deaf to them."""

import re
from html import unescape

import pytest
from django.test import Client

from matches import words
from players import services as ties
from players.models import Kind, User
from tests.builders import Duel, person, signed_in
from tests.matches.conftest import Dial
from tests.matches.lines import by_cookie

pytestmark = pytest.mark.django_db(transaction=True)


def page(duel: Duel, user: User | None) -> str:
    client = signed_in(user) if user else Client()
    return unescape(client.get(f"/m/{duel.id}/").content.decode())


def offered(html: str) -> list[str]:
    return re.findall(r'data-say="(\d)"', html)


def test_a_phrase_is_heard_by_both_and_by_who_watches_each_in_their_words(dial: Dial) -> None:
    duel = Duel().start()
    ada, bob = (dial(duel, headers=by_cookie(player), page=True) for player in duel.players)
    nobody = dial(duel, headers=by_cookie(None), page=True)
    for line in (ada, bob, nobody):
        line.next("stage")
    assert ada.ask("say", phrase=3)["type"] == "ok"
    name = duel.players[0].username
    told = [line.next("said") for line in (ada, bob, nobody)]
    assert [frame["text"] for frame in told] == [
        "You: “Well played!”",
        f"{name}: “Well played!”",
        f"{name}: “Well played!”",
    ]
    assert {frame["version"] for frame in told} == {duel.state.version}


@pytest.mark.parametrize("verb", [ties.mute, ties.block])
def test_whom_one_has_muted_or_blocked_one_does_not_hear(dial: Dial, verb: object) -> None:
    duel = Duel().start()
    ada, bob = duel.players
    verb(bob, ada)  # type: ignore[operator]  # one of two functions
    deaf = dial(duel, headers=by_cookie(bob), page=True)
    deaf.next("stage")
    duel.do(0, "say", phrase=1)
    duel.do(1, "say", phrase=2)
    assert deaf.next("said")["text"] == "You: “Good luck!”"
    assert 'aria-pressed="true">Mute' in page(duel, bob)
    assert 'aria-pressed="false">Mute' in page(duel, ada)


def test_players_are_offered_six_phrases_and_who_watches_or_plays_a_bot_none() -> None:
    duel, alone = Duel(), Duel(players=(person("eve"), person("Easy", Kind.BOT)))
    for player in duel.players:
        assert offered(page(duel, player)) == [*"123456"]
    assert all(text in page(duel, duel.players[0]) for text in words.phrases().values())
    assert offered(page(duel, person("zoe"))) == offered(page(alone, alone.players[0])) == []


def test_the_fourth_phrase_in_a_row_is_refused_and_changes_nothing(dial: Dial) -> None:
    duel = Duel().start()
    line = dial(duel, duel.players[1])
    for phrase in (1, 2, 3):
        assert line.ask("say", phrase=phrase)["type"] == "ok"
    before = duel.row.version
    answer = line.ask("say", phrase=4)
    assert (answer["type"], answer["code"]) == ("refused", "too_many")
    assert duel.row.version == before
