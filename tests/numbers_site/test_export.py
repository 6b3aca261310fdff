"""A player's own data as a file: all of it, and no secret that still hides something."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import AsyncClient, Client
from django.test.utils import CaptureQueriesContext

from players import services
from players.models import Kind, User
from tests.builders import SECRETS, Duel, bearer, person, signed_in

pytestmark = [
    pytest.mark.django_db(transaction=True),
    # Only here is it read by a client that knows no loop.
    pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators"),
]


def export(player: User) -> tuple[str, Any]:
    answer: Any = signed_in(player).get("/account/export/")
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"] == 'attachment; filename="the-numbers.json"'
    text = b"".join(answer).decode()
    return text, json.loads(text)


def test_it_holds_all_that_is_kept_of_a_player() -> None:
    ada, bob = person("ada", email="ada@example.org"), person("bob")
    key = bearer(ada)["Authorization"].split()[1]
    services.block(ada, bob)
    duel = Duel(players=(bob, ada)).start()
    duel.guess(0)
    duel.guess(1)
    duel.end()
    text, file = export(ada)
    assert (file["account"]["name"], file["account"]["email"]) == ("ada", "ada@example.org")
    assert [len(file[part]) for part in ("tokens", "sessions", "ties", "matches")] == [1, 1, 1, 1]
    assert file["ties"][0]["player"] == "bob"
    match = file["matches"][0]
    assert (match["id"], match["you"]) == (duel.id, 1)
    assert [len(seat["guesses"]) for seat in match["seats"]] == [1, 1]
    assert [seat["secret"] for seat in match["seats"]] == list(SECRETS)
    assert key not in text
    assert ada.password not in text


@pytest.mark.parametrize("stage", ["chosen", "playing"])
def test_no_secret_of_a_running_match_is_in_it(stage: str) -> None:
    """D22: not even one's own: the file may lie about anywhere."""
    ada, bob = person("ada"), person("bob")
    duel = Duel(players=(ada, bob))
    duel.commit(0)
    if stage == "playing":
        duel.commit(1)
        duel.guess(0)
    for player in (ada, bob):
        text, file = export(player)
        assert not any(secret in text for secret in SECRETS)
        assert [seat["salt"] for seat in file["matches"][0]["seats"]] == [None, None]


def test_it_holds_nothing_of_others_matches() -> None:
    duel = Duel(public=True)
    assert duel.id not in export(person("eve"))[0]


def test_its_cost_grows_by_the_hundred(outages_known: Callable[[], None]) -> None:
    ada, bob = person("ada"), person("bob")

    def cost() -> int:
        client = signed_in(ada)
        client.get("/")
        outages_known()
        with CaptureQueriesContext(connection) as asked:
            b"".join(client.get("/account/export/"))
        return len(asked)

    Duel(players=(ada, bob)).end()
    few = cost()
    for _ in range(20):
        Duel(players=(ada, bob)).end()
    assert cost() == few


def test_matches_by_the_hundred_are_all_there_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from matches import queries

    monkeypatch.setattr(queries, "_AT_ONCE", 3)
    ada, bob = person("ada"), person("bob")
    ids = [Duel(players=(ada, bob)).end().id for _ in range(7)]
    assert [match["id"] for match in export(ada)[1]["matches"]] == ids


def test_a_guest_gets_one_too_and_nobody_none() -> None:
    assert export(person("Vega-4821", Kind.GUEST))[1]["account"]["kind"] == "guest"
    assert Client().get("/account/export/").status_code == 302


async def test_it_is_sent_as_it_is_read() -> None:
    from asgiref.sync import sync_to_async

    client = AsyncClient()
    ada = await sync_to_async(person)("ada")
    await sync_to_async(client.force_login)(ada)
    answer: Any = await client.get("/account/export/")
    assert answer.is_async
    assert json.loads(b"".join([part async for part in answer.streaming_content]))["matches"] == []
