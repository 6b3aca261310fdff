"""Tournaments over the public interface, as api.md has them (R8, D19)."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from players.models import Kind
from tests.builders import Api, person
from tests.tournaments.builders import Cup, people, play_on
from tournaments import services
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db

SHAPE = {
    "id",
    "name",
    "terms",
    "starts_at",
    "status",
    "why",
    "entrants",
    "rounds",
    "champion",
    "private",
    "maximum",
}


def asked(**fields: Any) -> dict[str, Any]:
    later = datetime.now(UTC) + timedelta(hours=2)
    return {"name": "Monday knockout", "terms": {"preset": "duel"}, "starts_at": later.isoformat(), **fields}


def test_who_makes_one_is_told_its_code_and_enters_like_anyone() -> None:
    ada = Api(person("ada"))
    made = ada.post("/tournaments", asked(private=True, maximum=8))
    assert made.status == 201
    assert set(made.body) == SHAPE | {"code"}
    assert made.body["entrants"] == []
    one = f"/tournaments/{made.body['id']}"
    joined = ada.post(f"{one}/join", {"code": made.body["code"]})
    assert (joined.status, joined.body["entrants"]) == (200, ["ada"])
    assert set(ada.get(one).body) == SHAPE
    assert ada.post(f"{one}/leave").status == 204
    assert ada.get(one).body["entrants"] == []


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"name": "ab"}, "invalid"),
        ({"name": "x" * 61}, "invalid"),
        ({"name": 7}, "bad_request"),
        ({"name": None}, "bad_request"),
        ({"starts_at": "2020-01-01T00:00:00Z"}, "invalid"),
        ({"starts_at": "2099-01-01T00:00:00"}, "invalid"),
        ({"starts_at": "tomorrow"}, "invalid"),
        ({"starts_at": 1790000000000}, "bad_request"),
        ({"maximum": 1}, "invalid"),
        ({"maximum": 51}, "invalid"),
        ({"maximum": 4.5}, "bad_request"),
        ({"maximum": True}, "bad_request"),
        ({"private": "yes"}, "bad_request"),
        ({"terms": {"preset": "chess"}}, "bad_terms"),
        ({"terms": []}, "bad_request"),
    ],
)
def test_what_cannot_be_is_refused_and_makes_nothing(wrong: dict[str, Any], code: str) -> None:
    assert Api(person("ada")).post("/tournaments", asked(**wrong)).code == code
    assert not Tournament.objects.exists()


def test_guests_and_nobody_look_on() -> None:
    """R8.4"""
    cup = Cup(people(2))
    guest, nobody = Api(person("guest", Kind.GUEST)), Api()
    assert guest.post("/tournaments", asked()).code == "forbidden"
    assert guest.post(f"/tournaments/{cup.id}/join").code == "forbidden"
    assert nobody.post("/tournaments", asked()).code == "not_signed_in"
    assert nobody.post(f"/tournaments/{cup.id}/join").code == "not_signed_in"
    for caller in (guest, nobody):
        assert caller.get(f"/tournaments/{cup.id}").body["entrants"] == ["player-0", "player-1"]


def test_to_outsiders_a_private_one_is_not_there() -> None:
    """D19: neither by its address, nor in the list, nor with a wrong code."""
    ada, bob = person("ada"), person("bob")
    cup = Cup([ada], private=True)
    one = f"/tournaments/{cup.id}"
    for outsider in (Api(bob), Api()):
        assert outsider.get(one).code == "not_found"
        assert outsider.get("/tournaments").body == {"tournaments": [], "next": None}
    assert Api(bob).post(f"{one}/join").code == "not_found"
    assert Api(bob).post(f"{one}/join", {"code": "wrong"}).code == "not_found"
    assert Api(bob).post(f"{one}/leave").code == "not_found"
    for insider in (Api(ada), Api(cup.boss)):
        assert insider.get(one).status == 200
        assert [listed["id"] for listed in insider.get("/tournaments").body["tournaments"]] == [cup.id]
    assert Api(bob).post(f"{one}/join", {"code": cup.row.code}).status == 200


def test_the_twentyfirst_wrong_code_in_a_minute_waits() -> None:
    """D19: also for another account at the same address, and for the right code."""
    cup = Cup([], private=True)
    bob = Api(person("bob"))
    for _ in range(20):
        assert bob.post(f"/tournaments/{cup.id}/join", {"code": "wrong"}).code == "not_found"
    waits = bob.post(f"/tournaments/{cup.id}/join", {"code": cup.row.code})
    assert waits.code == "too_many"
    assert 0 < int(waits.response["Retry-After"]) <= 60
    assert Api(person("cleo")).post(f"/tournaments/{cup.id}/join", {"code": "wrong"}).code == "too_many"


def test_without_limits_nobody_waits(settings: Any) -> None:
    settings.LIMITS = False
    cup, bob = Cup([], private=True), Api(person("bob"))
    answers = {bob.post(f"/tournaments/{cup.id}/join", {"code": "wrong"}).code for _ in range(25)}
    assert answers == {"not_found"}


def test_who_comes_late_or_to_a_full_one_is_told() -> None:
    cup = Cup(people(2), maximum=2)
    late = Api(person("late"))
    assert late.post(f"/tournaments/{cup.id}/join").code == "full"
    cup.start()
    assert late.post(f"/tournaments/{cup.id}/join").code == "closed"
    assert late.post("/tournaments/00000000/join").code == "not_found"
    assert late.get("/tournaments/nothing").code == "not_found"


def test_the_bracket_names_players_winners_and_the_champion() -> None:
    """R8.3: the Easy bot's name stands among the players."""
    cup = Cup(people(3)).start()
    body = Api().get(f"/tournaments/{cup.id}").body
    assert (body["status"], len(body["rounds"])) == ("running", 1)
    names = [name for pairing in body["rounds"][0] for name in pairing["players"]]
    assert sorted(names) == ["Easy", "player-0", "player-1", "player-2"]
    assert {pairing["winner"] for pairing in body["rounds"][0]} == {None}
    for pairing in body["rounds"][0]:
        assert Api().get(f"/matches/{pairing['match']}").body["public"]
    while cup.row.status == "running":
        play_on(cup, Random(2))
        services.sweep()
    body = Api().get(f"/tournaments/{cup.id}").body
    assert (body["status"], body["why"], len(body["rounds"])) == ("over", None, 2)
    assert body["rounds"][1][0]["winner"] == body["champion"]
    assert all(pairing["winner"] in pairing["players"] for drawn in body["rounds"] for pairing in drawn)


def test_a_match_the_bot_has_won_says_so() -> None:
    cup = Cup(people(3)).start()
    (pairing,) = [pairing for pairing in cup.pairings() if pairing.against_bot]
    services.disqualify(pairing.places.all()[0].entry_id, cup.boss)
    body = Api().get(f"/tournaments/{cup.id}").body
    assert body["rounds"][0][pairing.index]["winner"] == "Easy"


def test_a_cancelled_one_says_why() -> None:
    cup = Cup(people(1)).start()
    body = Api().get(f"/tournaments/{cup.id}").body
    assert (body["status"], body["why"], body["champion"]) == ("cancelled", "too_few", None)


def test_the_list_neither_repeats_nor_skips_and_asks_as_often_for_one_as_for_many() -> None:
    boss, players = person("boss"), people(2)
    Cup(players, boss)
    with CaptureQueriesContext(connection) as few:
        Api().get("/tournaments")
    cups = [Cup(players, boss, ahead=600 + number // 2).id for number in range(12)]
    with CaptureQueriesContext(connection) as many:
        Api().get("/tournaments")
    assert len(many) == len(few)
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = Api().get(f"/tournaments?limit=5&after={after}").body
        seen += [listed["id"] for listed in page["tournaments"]]
        after = page["next"]
    assert len(seen) == len(set(seen)) == 13
    assert set(cups) < set(seen)
    assert Api().get("/tournaments?after=nowhere").code == "invalid"
    assert Api().get(f"/tournaments?after={'9' * 18}.00000000").code == "invalid"


def test_one_costs_as_many_queries_with_two_entrants_as_with_sixteen() -> None:
    small, large = Cup(people(2)).start(), Cup(people(16, "other"), person("chief")).start()
    counts = []
    for cup in (small, large):
        with CaptureQueriesContext(connection) as asked:
            Api().get(f"/tournaments/{cup.id}")
        counts.append(len(asked))
    assert counts[0] == counts[1]
