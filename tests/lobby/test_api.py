"""Play by link over the public interface, as api.md has it: good for a day and one taker, on all its terms."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from lobby.models import Invitation
from matches import store
from matches.models import Match
from players.models import Kind, User
from tests.builders import Api, dump, invitation_of, person, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return person("ada")


@pytest.fixture
def bob() -> User:
    return person("bob")


def links(token: str, verb: str = "accept") -> str:
    return f"/invitations/{token}{verb and '/'}{verb}"


# Inviting


def test_an_invitation_answers_with_its_token_its_address_and_all_its_terms(ada: User) -> None:
    answer = Api(ada).post("/invitations", {"terms": {}})
    assert answer.status == 201
    body = answer.body
    assert set(body) == {"token", "url", "terms", "expires_at"}
    assert body["url"] == f"http://testserver/i/{body['token']}/"
    assert body["terms"] == {
        "preset": "duel",
        "length": 4,
        "repeats": True,
        "guesses": "strict",
        "feedback": "positions",
        "clock": {"kind": "budget", "seconds": 300},
        "rated": True,
    }
    left = datetime.fromisoformat(body["expires_at"]) - timezone.now()
    assert timedelta(hours=23, minutes=59) < left <= timedelta(hours=24)


def test_every_link_is_another_and_nobody_can_guess_it(ada: User) -> None:
    tokens = {Api(ada).post("/invitations", {}).body["token"] for _ in range(5)}
    assert len(tokens) == 5
    assert {len(token) for token in tokens} == {22}


TERMS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"preset": "duel", "length": 5}, {"length": 5, "repeats": True, "guesses": "strict"}),
    ({"preset": "duel", "guesses": "strict"}, {"guesses": "strict"}),
    ({"preset": "probe", "repeats": False}, {"repeats": False, "guesses": "free", "length": 4}),
    ({"preset": "probe", "feedback": "totals"}, {"feedback": "totals"}),
    ({"preset": "classic"}, {"length": 5, "repeats": False, "feedback": "totals"}),
    ({"preset": "classic"}, {"clock": {"kind": "move", "seconds": 120}}),
    ({"preset": "classic", "clock": {"seconds": 3600}}, {"clock": {"kind": "move", "seconds": 3600}}),
    ({"clock": {"kind": "budget"}}, {"clock": {"kind": "budget", "seconds": 300}}),
    ({"clock": {"seconds": 1800}}, {"clock": {"kind": "budget", "seconds": 1800}}),
    ({"clock": {}}, {"clock": {"kind": "budget", "seconds": 300}}),
    ({"rated": False}, {"rated": False}),
]


@pytest.mark.parametrize(("asked", "agreed"), TERMS)
def test_what_is_asked_for_is_agreed_and_what_is_left_out_filled_in(
    ada: User, bob: User, asked: dict[str, Any], agreed: dict[str, Any]
) -> None:
    """And the match is on these very terms."""
    body = Api(ada).post("/invitations", {"terms": asked}).body
    assert body["terms"] == {**body["terms"], **agreed}
    match = Api(bob).post(links(body["token"])).body["match"]
    assert Api(bob).get(f"/matches/{match}").body["terms"] == body["terms"]


BAD_TERMS: list[Any] = [
    {"preset": "blitz"},
    {"preset": None},
    {"preset": ["duel"]},
    {"preset": "Duel"},
    {"preset": "\ud800"},
    {"length": 3},
    {"length": 6},
    {"length": "4"},
    {"length": 4.0},
    {"length": True},
    {"length": None},
    {"length": 10**300},
    {"repeats": "yes"},
    {"repeats": 1},
    {"guesses": "free"},
    {"preset": "probe", "guesses": "strict"},
    {"feedback": "none"},
    {"feedback": ["positions"]},
    {"preset": "classic", "length": 4},
    {"preset": "classic", "repeats": True},
    {"preset": "classic", "feedback": "positions"},
    {"preset": "classic", "clock": {"kind": "budget"}},
    {"preset": "classic", "clock": {"seconds": 300.0}},
    {"preset": "classic", "clock": {"seconds": 301}},
    {"clock": 300},
    {"clock": None},
    {"clock": []},
    {"clock": {"seconds": "300"}},
    {"clock": {"seconds": 299}},
    {"clock": {"seconds": -300}},
    {"clock": {"seconds": 300, "increment": 2}},
    {"clock": {"kind": "move", "seconds": 120}},
    {"rated": "no"},
    {"rated": None},
    {"colour": "red"},
    {"totals": "exact_misplaced"},
    {"grace": False},
    {"\x00": 1},
]


@pytest.mark.parametrize("terms", BAD_TERMS, ids=ascii)
def test_terms_that_cannot_be_agreed_on_are_bad_terms_in_words(ada: User, terms: Any) -> None:
    """What a preset fixes may be left out or repeated with its fixed value; anything else is `bad_terms`."""
    answer = Api(ada).post("/invitations", {"terms": terms})
    assert answer.code == "bad_terms"
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(("terms", "word"), [({"length": 3}, "length"), ({"clock": {"seconds": 1}}, "clock")])
def test_bad_terms_say_which_one_it_is(ada: User, terms: dict[str, Any], word: str) -> None:
    assert word in Api(ada).post("/invitations", {"terms": terms}).body["detail"]


@pytest.mark.parametrize(
    "body", [None, b"{", b"[]", b"null", b"7", b'"x"', {"terms": None}, {"terms": []}, {"terms": "duel"}]
)
def test_what_is_no_invitation_at_all_is_a_bad_request(ada: User, body: Any) -> None:
    assert Api(ada).post("/invitations", body).code == "bad_request"
    assert not Invitation.objects.exists()


def test_nobody_invites_nobody() -> None:
    assert Api().post("/invitations", {"terms": {}}).code == "not_signed_in"


def test_a_cookie_invites_with_its_csrf_token_only(ada: User) -> None:
    client = signed_in(ada, enforce_csrf_checks=True)
    assert Api(client=client).post("/invitations", {"terms": {}}).code == "forbidden"
    token = str(client.get("/").context["csrf_token"])
    assert Api(client=client, X_CSRFToken=token).post("/invitations", {"terms": {}}).status == 201


# Accepting


@pytest.mark.parametrize("kind", [Kind.HUMAN, Kind.GUEST])
def test_accepting_makes_a_private_match_of_the_two(ada: User, kind: Kind) -> None:
    taker = person("taker", kind)
    answer = Api(taker).post(links(invitation_of(ada).pk))
    assert answer.status == 201
    row = Match.objects.get(pk=answer.body["match"])
    assert [seat.player for seat in row.seats.all()] == [ada, taker]
    assert (row.public, row.status) == (False, "choosing")
    assert Api().get(f"/matches/{row.pk}").code == "not_found"


def test_the_inviter_learns_of_it_from_the_list_of_running_matches(ada: User, bob: User) -> None:
    api = Api(ada)
    token = api.post("/invitations", {}).body["token"]
    assert api.get("/matches?mine=live").body == []
    match = Api(bob).post(links(token)).body["match"]
    assert [running["id"] for running in api.get("/matches?mine=live").body] == [match]


def test_who_moves_first_is_drawn_for_links_too(ada: User, bob: User) -> None:
    """R4.1: neither who invites nor who accepts."""
    firsts = set()
    for _ in range(40):
        match = Api(bob).post(links(invitation_of(ada).pk)).body["match"]
        firsts.add(store.state_of(Match.objects.get(pk=match)).first)
    assert firsts == {0, 1}


def test_a_link_is_good_for_one_taker_who_may_ask_again(ada: User, bob: User) -> None:
    """docs/decisions.md: a double tap gets the same match; anybody else is told that it is taken."""
    token = invitation_of(ada).pk
    first = Api(bob).post(links(token))
    again = Api(bob).post(links(token))
    assert (first.body, again.status) == (again.body, 201)
    assert Api(person("cleo")).post(links(token)).code == "taken"
    assert Match.objects.count() == 1


def test_nobody_takes_their_own_link(ada: User) -> None:
    """D14: by whatever browser."""
    token = invitation_of(ada).pk
    assert Api(ada).post(links(token)).code == "own_seek"
    assert Api(client=signed_in(ada)).post(links(token)).code == "own_seek"
    assert not Match.objects.exists()


def test_a_link_is_good_for_a_day(ada: User, bob: User) -> None:
    """410, and it does not come back."""
    invitation = invitation_of(ada)
    Invitation.objects.update(expires_at=timezone.now())
    assert Api(bob).post(links(invitation.pk)).code == "expired"
    Invitation.objects.update(expires_at=timezone.now() + timedelta(seconds=5))
    assert Api(bob).post(links(invitation.pk)).status == 201


def test_what_was_taken_in_time_stays_taken(ada: User, bob: User) -> None:
    """Its taker is led to the match also after the day has passed."""
    invitation = invitation_of(ada)
    match = Api(bob).post(links(invitation.pk)).body
    Invitation.objects.update(expires_at=timezone.now() - timedelta(days=1))
    assert Api(bob).post(links(invitation.pk)).body == match
    assert Api(person("cleo")).post(links(invitation.pk)).code == "taken"


@pytest.mark.parametrize("token", ["x" * 22, "short", "x" * 23, "_" * 22, "%00" * 22, "é" * 22])
def test_a_link_that_never_was_is_not_found(bob: User, token: str) -> None:
    assert Api(bob).post(links(token)).code == "not_found"
    assert Api(bob).delete(links(token, "")).code == "not_found"


def test_nobody_takes_a_link_without_signing_in(ada: User) -> None:
    """Over the interface; a page makes them a guest."""
    before = dump()
    assert Api().post(links(invitation_of(ada).pk)).code == "not_signed_in"
    assert dump()["matches_match"] == before["matches_match"]


# Withdrawing


def test_a_link_that_was_withdrawn_is_closed(ada: User, bob: User) -> None:
    """204 without a word, and again."""
    token = invitation_of(ada).pk
    answers = [Api(ada).delete(links(token, "")) for _ in range(2)]
    assert [(answer.status, answer.response.content) for answer in answers] == [(204, b"")] * 2
    assert Api(bob).post(links(token)).code == "closed"


def test_a_link_that_was_taken_cannot_be_withdrawn(ada: User, bob: User) -> None:
    token = invitation_of(ada).pk
    match = Api(bob).post(links(token)).body["match"]
    assert Api(ada).delete(links(token, "")).code == "taken"
    assert Match.objects.get(pk=match).status == "choosing"


def test_only_its_owner_withdraws_a_link(ada: User, bob: User) -> None:
    """D23: whoever has it may take it, no more."""
    token = invitation_of(ada).pk
    assert Api(bob).delete(links(token, "")).code == "forbidden"
    assert Api().delete(links(token, "")).code == "not_signed_in"
    assert Api(bob).post(links(token)).status == 201


def test_a_deleted_players_links_vanish(ada: User, bob: User) -> None:
    """R5.7"""
    token = invitation_of(ada).pk
    ada.delete()
    assert Api(bob).post(links(token)).code == "not_found"
