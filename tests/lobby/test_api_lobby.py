"""Seeks and challenges over the public interface, to the letter of api.md."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from bots.core.levels import Level
from bots.services import bot_named
from lobby import services
from lobby.models import Challenge, Seek
from matches.models import Match
from players.models import Kind, User
from tests.builders import Answer, Api, dump, person, signed_in, terms_of

pytestmark = pytest.mark.django_db
DEFAULTS = {
    "preset": "duel",
    "length": 4,
    "repeats": True,
    "guesses": "strict",
    "feedback": "positions",
    "clock": {"kind": "budget", "seconds": 300},
    "rated": True,
}
LOBBY = ("lobby_seek", "lobby_challenge", "matches_match")
NO_SUCH = "0" * 8


@pytest.fixture
def ada() -> User:
    return person("ada", points=42)


@pytest.fixture
def bob() -> User:
    return person("bob")


def opened(owner: User, body: Any = None) -> str:
    answer = Api(owner).post("/seeks", {} if body is None else body)
    assert answer.status == 201, answer.body
    return str(answer.body["id"])


def asked(challenger: User, opponent: str) -> str:
    answer = Api(challenger).post("/challenges", {"opponent": opponent})
    assert answer.status == 201, answer.body
    return str(answer.body["id"])


def seconds_until(instant: str) -> float:
    return (datetime.fromisoformat(instant) - timezone.now()).total_seconds()


# Seeks


@pytest.mark.parametrize("body", [{}, {"terms": {}}])
def test_a_seek_answers_with_its_owner_and_all_its_terms(ada: User, body: Any) -> None:
    answer = Api(ada).post("/seeks", body)
    assert answer.status == 201
    seek = answer.body
    assert set(seek) == {"id", "player", "terms", "expires_at"}
    assert re.fullmatch("[0-9a-z]{8}", seek["id"])
    assert seek["player"] == {"name": "ada", "kind": "human", "points": 42}
    assert seek["terms"] == DEFAULTS
    assert 590 < seconds_until(seek["expires_at"]) <= 600
    assert Api().get("/seeks").body == [seek]


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_terms_of_a_seek_stand_by_themselves_or_under_their_name(ada: User, wrapped: bool) -> None:
    terms = {"preset": "probe", "length": 5, "clock": {"seconds": 60}}
    body = Api(ada).post("/seeks", {"terms": terms} if wrapped else terms).body
    assert body["terms"] == {
        **DEFAULTS,
        **terms,
        "guesses": "free",
        "clock": {"kind": "budget", "seconds": 60},
    }


def test_a_page_s_seek_says_that_it_has_no_end_of_its_own(ada: User) -> None:
    client = signed_in(ada)
    assert Api(client=client).post("/seeks", {}).body["expires_at"] is None
    assert Api().get("/seeks").body[0]["expires_at"] is None


@pytest.mark.parametrize(
    "terms",
    [
        {"preset": "blitz"},
        {"length": 3},
        {"length": "4"},
        {"length": 10**300},
        {"repeats": 1},
        {"clock": {"seconds": 299}},
        {"clock": 300},
        {"colour": "red"},
        {"\x00": 1},
        {"preset": "\ud800"},
    ],
    ids=ascii,
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_terms_that_cannot_be_agreed_on_are_bad_terms(ada: User, terms: Any, wrapped: bool) -> None:
    assert Api(ada).post("/seeks", {"terms": terms} if wrapped else terms).code == "bad_terms"
    assert Api(ada).post("/challenges", {"opponent": "ada", "terms": terms}).code == "bad_terms"
    assert not Seek.objects.exists()


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"null", b"7", b'"x"', b"\xff", {"terms": []}, {"terms": "duel"}, {"terms": 7}]
)
def test_what_is_no_seek_at_all_is_a_bad_request(ada: User, body: Any) -> None:
    assert Api(ada).post("/seeks", body).code == "bad_request"
    assert not Seek.objects.exists()


def test_terms_said_twice_are_a_bad_request(ada: User) -> None:
    """Which of the two is meant? Neither is dropped without a word."""
    assert Api(ada).post("/seeks", {"terms": {"length": 4}, "length": 5}).code == "bad_request"
    assert not Seek.objects.exists()


def test_a_body_over_4_kb_is_too_large(ada: User) -> None:
    """R1.2"""
    assert Api(ada).post("/seeks", b'{"preset": "' + b"x" * 5000 + b'"}').code == "too_large"


def test_the_lobby_is_public_and_lists_the_longest_waiting_first(ada: User, bob: User) -> None:
    ids = [opened(ada), opened(bob), opened(ada, {"length": 5})]
    for api in (Api(), Api(bob)):
        answer = api.get("/seeks")
        assert (answer.status, [seek["id"] for seek in answer.body]) == (200, ids)


def test_a_sixth_seek_is_full_and_the_same_again_is_the_same(ada: User) -> None:
    several = [
        {"length": 5},
        {"repeats": False},
        {"rated": False},
        {"preset": "probe"},
        {"preset": "classic"},
    ]
    for terms in several:
        opened(ada, terms)
    assert Api(ada).post("/seeks", {}).code == "full"
    assert opened(ada, several[0]) == Api().get("/seeks").body[0]["id"]


def test_taking_a_seek_answers_with_the_match_and_so_does_asking_again(ada: User, bob: User) -> None:
    seek = opened(ada)
    first, again = (Api(bob).post(f"/seeks/{seek}/accept") for _ in range(2))
    assert (first.status, set(first.body)) == (201, {"match"})
    assert (again.status, again.body) == (201, first.body)
    assert [one["id"] for one in Api(ada).get("/matches?mine=live").body] == [first.body["match"]]
    assert Api().get(f"/matches/{first.body['match']}").body["public"]
    assert Api().get("/seeks").body == []


def test_every_refusal_of_a_seek_has_its_word(ada: User, bob: User) -> None:
    seek = opened(ada)
    accept, mine = f"/seeks/{seek}/accept", f"/seeks/{seek}"
    assert Api().post(accept).code == "not_signed_in"
    assert Api().delete(mine).code == "not_signed_in"
    assert Api().post("/seeks", {}).code == "not_signed_in"
    assert Api(ada).post(accept).code == "own_seek"
    assert Api(bob).delete(mine).code == "forbidden"
    assert Api(bob).post(accept).status == 201
    assert Api(person("cleo")).post(accept).code == "taken"
    assert Api(ada).delete(mine).code == "taken"


def test_a_seek_taken_back_is_closed_and_taking_it_back_again_is_no_fault(ada: User, bob: User) -> None:
    seek = opened(ada)
    for _ in range(2):
        answer = Api(ada).delete(f"/seeks/{seek}")
        assert (answer.status, answer.body) == (204, None)
    assert Api(bob).post(f"/seeks/{seek}/accept").code == "closed"
    lapsed = opened(ada)
    Seek.objects.update(expires_at=timezone.now())
    assert Api(bob).post(f"/seeks/{lapsed}/accept").code == "closed"
    assert Api().get("/seeks").body == []


# Challenges


def test_a_challenge_answers_with_all_of_it(ada: User, bob: User) -> None:
    answer = Api(ada).post("/challenges", {"opponent": "bob", "terms": {"preset": "classic"}})
    assert answer.status == 201
    body = answer.body
    assert set(body) == {
        "id",
        "challenger",
        "opponent",
        "terms",
        "status",
        "reason",
        "match",
        "expires_at",
    }
    assert (body["challenger"]["name"], body["opponent"]["name"]) == ("ada", "bob")
    assert (body["status"], body["reason"], body["match"]) == ("open", None, None)
    assert body["terms"]["preset"] == "classic"
    assert 590 < seconds_until(body["expires_at"]) <= 600
    for player in (ada, bob):
        assert Api(player).get("/challenges").body == [body]
    assert Api(person("cleo")).get("/challenges").body == []
    assert Api().get("/challenges").code == "not_signed_in"


def test_a_name_is_found_without_regard_to_case(ada: User, bob: User) -> None:
    assert Challenge.objects.get(pk=asked(ada, "BOB")).opponent == bob


def test_accepting_answers_with_the_private_match(ada: User, bob: User) -> None:
    challenge = asked(ada, "bob")
    first, again = (Api(bob).post(f"/challenges/{challenge}/accept") for _ in range(2))
    assert (first.status, first.body) == (201, again.body)
    match = first.body["match"]
    assert Api().get(f"/matches/{match}").code == "not_found"
    assert Api(ada).get(f"/matches/{match}").status == 200
    (told,) = Api(ada).get("/challenges").body
    assert (told["status"], told["match"]) == ("accepted", match)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (None, None),
        ({}, None),
        ({"reason": ""}, None),
        *[({"reason": r}, r) for r in ("later", "terms", "no")],
    ],
)
def test_declining_tells_the_challenger_why(ada: User, bob: User, body: Any, reason: str | None) -> None:
    challenge = asked(ada, "bob")
    for _ in range(2):
        assert Api(bob).post(f"/challenges/{challenge}/decline", body).status == 204
    (told,) = Api(ada).get("/challenges").body
    assert (told["status"], told["reason"]) == ("declined", reason)


@pytest.mark.parametrize(
    "body", [{"reason": "never"}, {"reason": 7}, {"reason": None}, {"reason": ["no"]}, b"[]", b"{", b"7"]
)
def test_a_reason_nobody_offered_is_a_bad_request(ada: User, bob: User, body: Any) -> None:
    challenge = asked(ada, "bob")
    assert Api(bob).post(f"/challenges/{challenge}/decline", body).code == "bad_request"
    assert Challenge.objects.get().fate == "open"


def test_every_refusal_of_a_challenge_has_its_word(ada: User, bob: User) -> None:
    assert Api().post("/challenges", {"opponent": "bob"}).code == "not_signed_in"
    assert Api(ada).post("/challenges", {"opponent": "nobody"}).code == "not_found"
    assert Api(ada).post("/challenges", {"opponent": "ada"}).code == "own_seek"
    bot_named(Level.EASY)
    assert Api(ada).post("/challenges", {"opponent": "Easy"}).code == "forbidden"
    challenge = asked(ada, "bob")
    one = f"/challenges/{challenge}"
    for caller, code in ((None, "not_signed_in"), (ada, "not_found"), (person("cleo"), "not_found")):
        assert Api(caller).post(f"{one}/accept").code == code
        assert Api(caller).post(f"{one}/decline").code == code
    assert Api(bob).delete(one).code == "not_found"
    Challenge.objects.update(expires_at=timezone.now())
    assert Api(bob).post(f"{one}/accept").code == "expired"
    assert Api(bob).post(f"{one}/decline").code == "expired"
    assert Api(ada).delete(one).code == "expired"
    Challenge.objects.update(expires_at=timezone.now() + timedelta(minutes=1))
    for _ in range(2):
        assert Api(ada).delete(one).status == 204
    assert Api(bob).post(f"{one}/accept").code == "closed"
    assert Api(bob).post(f"{one}/decline").code == "closed"


def test_a_sixth_open_challenge_is_full(ada: User) -> None:
    for number in range(5):
        person(f"rival-{number}")
        asked(ada, f"rival-{number}")
    person("rival-5")
    assert Api(ada).post("/challenges", {"opponent": "rival-5"}).code == "full"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"opponent": None},
        {"opponent": 7},
        {"opponent": ["bob"]},
        {"opponent": "bob", "terms": []},
        {"opponent": "bob", "terms": None},
        {"opponent": "bob", "length": 5},
        b"[]",
        b"null",
        b"{",
    ],
)
def test_what_is_no_challenge_at_all_is_a_bad_request(ada: User, bob: User, body: Any) -> None:
    assert Api(ada).post("/challenges", body).code == "bad_request"
    assert not Challenge.objects.exists()


@pytest.mark.parametrize(
    "name",
    ["", " ", "\x00", "bob\x00", "\ud800", "x" * 3000, "bob ", "%", "_", "' OR 1=1 --", "<b>"],
)
def test_a_name_that_cannot_be_anybody_s_is_nobody_s(ada: User, bob: User, name: str) -> None:
    assert Api(ada).post("/challenges", {"opponent": name}).code == "not_found"
    assert not Challenge.objects.exists()


# Whoever asks for whatever


@pytest.mark.parametrize("one", [NO_SUCH, "short", "x" * 9, "%00" * 8, "é" * 8, "ABCDEFGH", "..", "a" * 3000])
def test_an_id_that_never_was_is_not_found(ada: User, one: str) -> None:
    calls: list[Answer] = [
        Api(ada).post(f"/seeks/{one}/accept"),
        Api(ada).delete(f"/seeks/{one}"),
        Api(ada).post(f"/challenges/{one}/accept"),
        Api(ada).post(f"/challenges/{one}/decline"),
        Api(ada).delete(f"/challenges/{one}"),
    ]
    assert [answer.code for answer in calls] == ["not_found"] * 5


def test_the_id_of_one_thing_opens_no_other(ada: User, bob: User) -> None:
    """D23"""
    seek, challenge = opened(ada), asked(ada, "bob")
    before = dump(LOBBY)
    assert Api(bob).post(f"/seeks/{challenge}/accept").code == "not_found"
    assert Api(bob).post(f"/challenges/{seek}/accept").code == "not_found"
    assert dump(LOBBY) == before


def test_who_is_asked_is_taken_from_the_token_not_from_the_body(ada: User, bob: User) -> None:
    """D23"""
    answer = Api(bob).post("/seeks", {"owner": "ada", "player": {"name": "ada"}})
    assert answer.code == "bad_terms"
    assert Api(bob).post("/challenges", {"opponent": "ada", "challenger": "ada"}).code == "bad_request"
    assert not Seek.objects.exists()


def test_a_cookie_needs_its_csrf_token(ada: User, bob: User) -> None:
    """D25"""
    seek, challenge = opened(ada), asked(ada, "bob")
    before = dump(LOBBY)
    api = Api(client=signed_in(bob, enforce_csrf_checks=True))
    for path in ("/seeks", f"/seeks/{seek}/accept", "/challenges", f"/challenges/{challenge}/accept"):
        assert api.post(path, {"opponent": "ada"}).code == "forbidden"
    assert api.delete(f"/seeks/{seek}").code == "forbidden"
    assert dump(LOBBY) == before
    token = str(api.client.get("/lobby/").context["csrf_token"])
    assert Api(client=api.client, X_CSRFToken=token).post(f"/seeks/{seek}/accept").status == 201


def test_refusals_are_in_the_callers_language(ada: User) -> None:
    seek = opened(ada)
    told = {
        language: Api(ada).post(f"/seeks/{seek}/accept", Accept_Language=language).body["detail"]
        for language in ("en", "it")
    }
    assert told["en"] == "This challenge is your own: somebody else has to take it."


def test_a_suspended_players_token_does_nothing(ada: User, bob: User) -> None:
    seek = opened(ada)
    api = Api(bob)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert api.post(f"/seeks/{seek}/accept").code == "not_signed_in"
    assert Api(ada).post("/challenges", {"opponent": "bob"}).code == "not_found"


@pytest.mark.parametrize("rows", [1, 1000])
def test_the_list_asks_as_much_of_the_database_at_1_row_as_at_1000(
    ada: User, rows: int, django_assert_num_queries: Any
) -> None:
    seek = services.open_seek(ada, terms_of(), lasting=True)
    owners = User.objects.bulk_create(
        User(username=f"o-{n}", name_key=f"o-{n}", kind=Kind.GUEST) for n in range(1, rows)
    )
    Seek.objects.bulk_create(
        Seek(owner=one, terms=seek.terms, lasting=True, expires_at=seek.expires_at) for one in owners
    )
    with django_assert_num_queries(1):
        assert len(Api().get("/seeks").body) == rows


def test_nothing_that_was_refused_has_made_a_match(ada: User, bob: User) -> None:
    seek = opened(ada)
    Api(ada).post(f"/seeks/{seek}/accept")
    Api().post(f"/seeks/{seek}/accept")
    assert not Match.objects.exists()


# The document

CALLS = {
    ("get", "/seeks"),
    ("post", "/seeks"),
    ("delete", "/seeks/{seek_id}"),
    ("post", "/seeks/{seek_id}/accept"),
    ("get", "/challenges"),
    ("post", "/challenges"),
    ("post", "/challenges/{challenge_id}/accept"),
    ("post", "/challenges/{challenge_id}/decline"),
    ("delete", "/challenges/{challenge_id}"),
}


def test_the_document_lists_every_call_of_the_lobby() -> None:
    paths = Api().get("/openapi.json").body["paths"]
    listed = {(method, re.sub(r"\{\w+:", "{", path)) for path, methods in paths.items() for method in methods}
    assert listed >= {(method, f"/api/v1{path}") for method, path in CALLS}
