"""Keys to play by: who gets one, what is kept of it, what it opens (api.md)."""

from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client

from players.models import ApiToken, Kind, User
from players.services import issue_token, player_by_token
from tests.builders import Api, Duel, bearer, dump, people, person, tables

pytestmark = pytest.mark.django_db


def create_token(*arguments: str) -> str:
    out = StringIO()
    call_command("create_token", *arguments, stdout=out)
    return out.getvalue()


# create_token USER


def test_the_command_prints_a_token_alone_and_it_is_the_players() -> None:
    ada = person("ada")
    printed = create_token("ada")
    assert printed == f"{printed.strip()}\n"
    assert player_by_token(printed.strip()) == ada
    duel = Duel(players=(ada, person("bob")))
    api = Api(Authorization=f"Bearer {printed.strip()}")
    assert api.get(f"/matches/{duel.id}").body["you"] == 0


def test_every_token_is_another_and_all_of_them_hold() -> None:
    ada = person("ada")
    printed = {create_token("ada").strip() for _ in range(3)}
    assert len(printed) == 3
    assert {player_by_token(token) for token in printed} == {ada}


@pytest.mark.parametrize("kind", [*Kind])
def test_guests_and_bots_may_have_one_too(kind: Kind) -> None:
    person("cleo", kind)
    assert player_by_token(create_token("cleo").strip())


@pytest.mark.parametrize("name", ["nobody", "ADA", "", "ada "])
def test_for_a_name_nobody_has_it_says_so_and_prints_nothing(name: str) -> None:
    person("ada")
    with pytest.raises(CommandError, match="no player is called"):
        create_token(name)
    assert not ApiToken.objects.exists()


def test_the_command_asks_for_a_name() -> None:
    with pytest.raises(CommandError, match="USER"):
        create_token()


# What is kept


def test_the_database_does_not_know_a_token_it_has_made() -> None:
    """Stored hashed: a stolen database opens nothing."""
    token = issue_token(person("ada"))
    assert len(token) >= 43
    for rows in dump(tables()).values():
        assert not any(token in text for row in rows for text in row.values())


def test_a_revoked_token_opens_nothing_and_the_others_stay() -> None:
    ada = person("ada")
    first, second = issue_token(ada), issue_token(ada)
    ApiToken.objects.order_by("pk")[0].delete()
    assert (player_by_token(first), player_by_token(second)) == (None, ada)


def test_a_deleted_players_token_opens_nothing() -> None:
    ada = person("ada")
    token = issue_token(ada)
    ada.delete()
    assert player_by_token(token) is None


@pytest.mark.parametrize("token", ["", " ", "x", "é", "\x00", "\xed\xa0\x80"])
def test_what_is_no_token_is_nobodys(token: str) -> None:
    issue_token(person("ada"))
    assert player_by_token(token) is None


# What it opens


@pytest.mark.parametrize("path", ["/admin/", "/admin/matches/match/", "/admin/password_change/"])
def test_a_token_does_not_reach_the_admin(path: str) -> None:
    """Tokens play and read; that of a superuser too."""
    root = person("root", is_staff=True, is_superuser=True)
    response = Client(headers=bearer(root)).get(path)
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")


def test_a_token_is_no_cookie() -> None:
    """Nor does it make one."""
    ada = person("ada")
    duel = Duel(players=(ada, person("bob")), public=False)
    client = Client(headers=bearer(ada))
    assert Api(client=client).get(f"/matches/{duel.id}").status == 200
    assert client.get(f"/m/{duel.id}/").status_code == 404
    assert settings.SESSION_COOKIE_NAME not in client.cookies


# POST /guest


def test_a_guest_needs_nothing_and_can_play_at_once() -> None:
    answer = Api(client=Client(enforce_csrf_checks=True)).post("/guest")
    assert (answer.status, set(answer.body)) == (201, {"name", "token"})
    (guest,) = people()
    assert (guest.username, guest.kind) == (answer.body["name"], "guest")
    assert not guest.has_usable_password()
    api = Api(Authorization=f"Bearer {answer.body['token']}")
    assert api.post("/invitations", {"terms": {}}).status == 201
    assert api.get("/matches?mine=live").body == []


@pytest.mark.parametrize(
    "body", [None, {}, {"name": "root", "kind": "human", "is_staff": True}, b"{", b"\xff"]
)
def test_a_guest_chooses_nothing(body: Any) -> None:
    Api().post("/guest", body)
    (guest,) = people()
    assert (guest.kind, guest.is_staff) == ("guest", False)
    assert guest.username != "root"


def test_every_guest_is_another() -> None:
    names = [Api().post("/guest").body["name"] for _ in range(5)]
    assert len(set(names)) == 5


def test_a_guest_is_made_by_post_only() -> None:
    assert Api().get("/guest").status == 405
    assert not people()


def test_a_scheme_is_read_in_any_case() -> None:
    """RFC 7235"""
    token = issue_token(person("ada"))
    for scheme in ("Bearer", "bearer", "BEARER"):
        assert Api(Authorization=f"{scheme} {token}").get("/matches?mine=live").status == 200


# createsuperuser


def test_a_superuser_is_made_as_in_every_django_project(monkeypatch: pytest.MonkeyPatch) -> None:
    """api.md: --noinput --username --email with DJANGO_SUPERUSER_PASSWORD; a superuser is a registered player."""
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "correct-horse-9")
    call_command(
        "createsuperuser", "--noinput", "--username", "root", "--email", "r@example.org", verbosity=0
    )
    (root,) = people()
    assert (root.username, root.kind, root.is_superuser, root.name_key) == ("root", "human", True, "root")
    assert root.check_password("correct-horse-9")
    assert User.USERNAME_FIELD == "username"
    assert User.REQUIRED_FIELDS == ["email"]
