"""Other people's bots: an account becomes one for good, is named as one, and has to be there like everybody."""

from typing import Any

import pytest
from django.test import Client

from bots import services as bots
from lobby import services as lobby
from matches import choices
from players.models import Kind, User
from players.names import HOUSE_BOTS
from tests.builders import MIN, Api, Duel, Page, bearer, person, signed_in, terms_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def hal() -> User:
    return person("Hal")


def become(player: User | None, name: str = "Hal", **extra: Any) -> Page:
    return signed_in(player).post("/account/bot/", {"name": name}, **extra)


def kind(player: User) -> str:
    player.refresh_from_db()
    return player.kind


def test_an_account_that_never_played_becomes_a_bot(hal: User) -> None:
    assert "Type Hal to confirm" in signed_in(hal).get("/account/bot/").content.decode()
    assert become(hal).status_code == 302
    assert kind(hal) == "bot"
    assert "This is a bot’s account" in signed_in(hal).get("/account/bot/").content.decode()


@pytest.mark.parametrize("name", ["", "hal", "Ha", "H\u0430l", "x" * 3000, "\x00"])
def test_only_its_name_as_it_is_written_confirms(hal: User, name: str) -> None:
    response = become(hal, name)
    assert response.status_code == 422
    assert "That is not the name of this account." in response.content.decode()
    assert kind(hal) == "human"


def test_there_is_no_way_back(hal: User) -> None:
    become(hal)
    assert become(hal).status_code == 403
    assert kind(hal) == "bot"


def test_who_has_sat_at_a_match_stays_a_person(hal: User) -> None:
    Duel(players=(hal, person("ada")))
    response = become(hal)
    assert response.status_code == 403
    assert "A person has played under this name" in response.content.decode()
    assert kind(hal) == "human"


def test_a_guest_has_no_account_to_turn() -> None:
    guest = person("Vega-1234", Kind.GUEST)
    assert become(guest, "Vega-1234").status_code == 403
    assert kind(guest) == "guest"


def test_nobody_and_a_token_are_sent_to_sign_in(hal: User) -> None:
    """Tokens play and read; they never change an account (api.md)."""
    for client in (Client(), Client(headers=bearer(hal))):
        assert "next=/account/bot/" in client.post("/account/bot/", {"name": "Hal"})["Location"]
    assert kind(hal) == "human"


def test_a_bot_plays_by_token_and_is_named_as_one(hal: User) -> None:
    """R6.1: its matches are not rated."""
    become(hal)
    ada = person("ada")
    match = Api(hal).post(f"/seeks/{lobby.open_seek(ada, terms_of(), lasting=True).pk}/accept").body["match"]
    seen = Api(ada).get(f"/matches/{match}").body
    assert [seat["player"]["kind"] for seat in seen["seats"]] == ["human", "bot"]
    page = signed_in(ada).get(f"/m/{match}/").content.decode()
    assert "<li>unrated</li>" in page
    assert Api(hal).post(f"/matches/{match}/secret", {"code": "0417"}).status in (200, 201)


def test_it_has_to_be_there_like_everybody(hal: User) -> None:
    """R5.3: away, its grace runs; and it forfeits."""
    become(hal)
    hal.refresh_from_db()
    duel = Duel(players=(person("ada"), hal)).arrive(0).start()
    assert not duel.state.seats[1].connected
    duel.wait(2 * MIN)
    assert duel.refused(0, "guess", code="12345") == "match_over"
    assert duel.ending == ("win", 0, "forfeit")


def test_the_sites_own_bots_are_always_there() -> None:
    """R5.3, R7"""
    assert set(bots.NAMES.values()) == set(HOUSE_BOTS)
    for level in bots.NAMES:
        match = bots.challenge(person(f"ada-{level}"), level, choices.default_terms())
        bot = bots.bot_named(level)
        assert bot.of_the_house
        assert match.state["seats"][1]["connected"]


def test_a_bot_of_somebodys_is_challenged_like_a_person(hal: User) -> None:
    become(hal)
    ada = person("ada")
    assert signed_in(ada).post("/challenge/Hal/", {"preset": "duel"})["Location"] == "/lobby/"
    (asked,) = Api(hal).get("/challenges").body
    match = Api(hal).post(f"/challenges/{asked['id']}/accept").body["match"]
    assert Api(ada).get(f"/matches/{match}").status == 200


def test_its_owner_still_signs_in_and_changes_the_password() -> None:
    hal = person("Hal", password="correct horse battery")
    become(hal)
    assert signed_in(hal).get("/account/password/").status_code == 200
    assert 'href="/account/bot/"' in signed_in(hal).get("/account/").content.decode()
