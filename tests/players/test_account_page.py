"""One's own page: preferences, tokens, sessions, whom one has blocked or muted; and the days a player was seen."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bots.services import bot_named
from players import services
from players.agents import device
from players.models import ApiToken, Kind, Session, Tie, User
from players.problems import Problem
from players.queries import PAGE, ties_between
from tests.builders import Api, Page, bearer, person, signed_in, the_one

pytestmark = pytest.mark.django_db

LONG_AGO = timedelta(days=40)


def choose(client: Client, language: str = "it", theme: str = "dark", sound: str = "on") -> Page:
    return client.post("/account/choices/", {"language": language, "theme": theme, "sound": sound})


def html(page: Page) -> str:
    found = re.search(r"<html [^>]*>", page.content.decode())
    assert found is not None
    return found[0]


# Preferences


def test_a_player_finds_the_same_looks_in_every_browser() -> None:
    ada = person("ada")
    assert choose(signed_in(ada))["Location"] == "/account/"
    elsewhere = html(signed_in(ada).get("/"))
    assert ('lang="it"' in elsewhere, 'data-theme="dark"' in elsewhere, 'data-sounds="on"' in elsewhere) == (
        True,
    ) * 3


def test_nobody_has_them_in_a_cookie_and_a_guest_takes_them_along() -> None:
    client = Client()
    choose(client, "it", "light")
    assert 'lang="it" data-theme="light" data-sounds="on"' in html(client.get("/"))
    client.post("/invite/")
    assert the_one().kind == "guest"
    assert 'lang="it" data-theme="light" data-sounds="on"' in html(client.get("/"))


def test_who_signs_up_keeps_what_was_chosen_before() -> None:
    client = Client()
    choose(client, "it", "light")
    client.post("/account/signup/", {"username": "ada", "password1": "correct-horse-9"})
    ada = the_one()
    assert (ada.language, ada.theme, ada.sound) == ("it", "light", True)


def test_as_the_device_can_be_chosen_over_an_older_choice() -> None:
    client = signed_in(person("ada"))
    choose(client, "en", "dark")
    choose(client, "en", "system", "off")
    assert html(client.get("/")) == '<html lang="en" data-sounds="off">'


@pytest.mark.parametrize("field", ["language", "theme", "sound"])
def test_what_cannot_be_chosen_changes_nothing(field: str) -> None:
    client = signed_in(person("ada"))
    assert choose(client, **{field: "x\x00"}).status_code == 422
    ada = the_one()
    assert (ada.language, ada.theme, ada.sound) == ("", "", None)


@pytest.mark.parametrize("cookie", ["", "purple", '"><b>', "dark; x"])
def test_a_cookie_that_makes_no_sense_is_none(cookie: str) -> None:
    client = Client()
    client.cookies["theme"] = client.cookies["sound"] = cookie
    assert html(client.get("/")) == '<html lang="en" data-sounds="off">'


def test_the_switch_of_the_language_is_kept_with_the_player() -> None:
    ada = person("ada")
    client = signed_in(ada)
    assert client.post("/i18n/setlang/", {"language": "it", "next": "/account/"})["Location"] == "/account/"
    assert 'lang="it"' in html(signed_in(ada).get("/", headers={"Accept-Language": "en"}))
    client.post("/i18n/setlang/", {"language": "xx"})
    client.get("/i18n/setlang/?language=en")
    ada.refresh_from_db()
    assert ada.language == "it"


# Tokens


def test_a_token_is_shown_once_plays_and_is_revoked() -> None:
    ada = person("ada")
    client = signed_in(ada)
    page = client.post("/account/tokens/", {"label": "my bot"}).content.decode()
    shown = re.search(r'id="made" readonly value="([^"]+)"', page)
    assert shown is not None
    api = Api(Authorization=f"Bearer {shown[1]}")
    assert api.get("/matches?mine=live").status == 200
    listed = client.get("/account/tokens/").content.decode()
    assert "my bot" in listed
    assert "Last used on" in listed
    assert shown[1] not in listed
    assert client.post(f"/account/tokens/{ApiToken.objects.get().pk}/revoke/").status_code == 302
    assert api.get("/matches?mine=live").status == 401


def test_a_guest_may_have_one_too() -> None:
    assert (
        signed_in(person("Vega-4821", Kind.GUEST)).post("/account/tokens/", {"label": "x"}).status_code == 200
    )
    assert ApiToken.objects.count() == 1


def test_nobody_revokes_anothers() -> None:
    bearer(person("ada"))
    token = ApiToken.objects.get()
    for number in (token.pk, token.pk + 1, 10**30):
        assert (
            signed_in(User.objects.filter(username="bob").first() or person("bob"))
            .post(f"/account/tokens/{number}/revoke/")
            .status_code
            == 404
        )
    assert ApiToken.objects.exists()


@pytest.mark.parametrize("label", ["", " ", "x" * 41])
def test_a_token_needs_a_label(label: str) -> None:
    signed_in(person("ada")).post("/account/tokens/", {"label": label})
    assert not ApiToken.objects.exists()


def test_there_is_an_end_to_tokens() -> None:
    ada = person("ada")
    for _ in range(services.MOST_TOKENS):
        services.issue_token(ada)
    page = signed_in(ada).post("/account/tokens/", {"label": "one more"}).content.decode()
    assert "revoke one first" in page
    assert ApiToken.objects.count() == services.MOST_TOKENS


@pytest.mark.parametrize("path", ["tokens/", "password/", "email/", "delete/", "export/", "sessions/"])
def test_a_token_changes_no_account(path: str) -> None:
    """Tokens play and read; they never change credentials or make tokens."""
    client = Client(headers=bearer(person("ada")))
    for answer in (client.get(f"/account/{path}"), client.post(f"/account/{path}", {"label": "x"})):
        assert answer.status_code in (302, 405)
        assert answer.get("Location", "/account/signin/").startswith("/account/signin/")
    assert ApiToken.objects.count() == 1


# Sessions


def test_every_browser_is_listed_and_all_others_signed_out_at_once() -> None:
    ada = person("ada")
    firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    here, there = signed_in(ada, headers={"User-Agent": firefox}), signed_in(ada)
    signed_in(person("bob")).get("/")
    for client in (here, there):
        client.get("/")
    page = here.get("/account/sessions/").content.decode()
    assert page.count("Last seen on") == 2
    assert "Firefox, Linux" in page
    assert not any(session.pk in page for session in Session.objects.all())
    here.post("/account/sessions/end/")
    assert here.get("/account/sessions/").content.decode().count("Last seen on") == 1
    assert there.get("/account/sessions/").status_code == 302
    assert Session.objects.count() == 2


def test_a_browser_that_has_signed_out_is_listed_no_more() -> None:
    ada = person("ada")
    here, there = signed_in(ada), signed_in(ada)
    there.get("/")
    there.post("/account/signout/")
    assert here.get("/account/sessions/").content.decode().count("Last seen on") == 1


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("", ""),
        ("curl/8", ""),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36 Edg/142.0",
            "Edge, Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
            "Safari, iPhone",
        ),
        ("Mozilla/5.0 (Linux; Android 15) Chrome/142.0 Mobile Safari/537.36", "Chrome, Android"),
    ],
)
def test_a_browser_is_named_in_two_words(agent: str, name: str) -> None:
    assert device(agent) == name


def test_sessions_that_have_run_out_are_swept() -> None:
    from players.tasks import forget_sessions

    signed_in(person("ada"))
    signed_in(person("bob"))
    Session.objects.filter(user__username="ada").update(expire_date=timezone.now() - LONG_AGO)
    forget_sessions()
    assert Session.objects.get().user == User.objects.get(username="bob")


# When a player was seen


def age(player: User) -> None:
    User.objects.filter(pk=player.pk).update(last_seen_at=timezone.now() - LONG_AGO)


def is_fresh(player: User) -> bool:
    player.refresh_from_db()
    return timezone.now() - player.last_seen_at < timedelta(minutes=1)


def test_a_page_and_a_token_are_signs_of_life() -> None:
    ada = person("ada")
    headers = bearer(ada)
    for look in (
        lambda: signed_in(ada).get("/"),
        lambda: Api(client=Client(headers=headers)).get("/matches?mine=live"),
    ):
        age(ada)
        look()
        assert is_fresh(ada)


def test_they_are_noted_once_a_day() -> None:
    ada = person("ada")
    age(ada)
    client, api = signed_in(ada), Api(ada)
    client.get("/")
    api.get("/matches?mine=live")
    for look in (lambda: client.get("/"), lambda: api.get("/matches?mine=live")):
        with CaptureQueriesContext(connection) as asked:
            look()
        assert not [query for query in asked if query["sql"].startswith(("UPDATE", "INSERT"))]


def test_who_is_gone_is_nobody_and_may_begin_anew() -> None:
    """A guest who comes back in the moment they expire."""
    guest = person("Vega-4821", Kind.GUEST)
    headers, client = bearer(guest), signed_in(guest)
    stale = the_one()
    age(stale)
    stale.refresh_from_db()
    User.objects.filter(pk=guest.pk).delete()
    assert not services.seen(stale)
    assert client.post("/invite/").status_code == 302
    assert the_one().pk != guest.pk
    assert Api(client=Client(headers=headers)).get("/matches?mine=live").status == 401


# Ties


def test_a_block_holds_in_both_directions_and_a_mute_in_none() -> None:
    ada, bob, eve = person("ada"), person("bob"), person("Vega-4821", Kind.GUEST)
    services.block(ada, bob)
    services.mute(ada, eve)
    assert services.blocked(ada, bob)
    assert services.blocked(bob, ada)
    assert not services.blocked(ada, eve)
    assert ties_between(ada, bob) == {"block"}
    assert not ties_between(bob, ada)
    services.unblock(ada, bob)
    assert not services.blocked(bob, ada)


def test_a_block_is_one_however_often_it_is_asked_for() -> None:
    ada, bob = person("ada"), person("bob")
    for _ in range(3):
        services.block(ada, bob)
    assert Tie.objects.count() == 1
    with pytest.raises(IntegrityError), transaction.atomic():
        Tie.objects.create(player=ada, other=bob, kind="block")


def test_nobody_blocks_themselves_or_a_bot() -> None:
    ada = person("ada")
    for other in (ada, bot_named("easy")):
        for verb in (services.block, services.mute):
            with pytest.raises(Problem, match="forbidden"):
                verb(ada, other)
    with pytest.raises(IntegrityError), transaction.atomic():
        Tie.objects.create(player=ada, other=ada, kind="block")
    client = signed_in(ada)
    client.post("/players/ada/block/")
    assert "not yours to do" in client.get("/account/ties/").content.decode()
    assert not Tie.objects.exists()


def test_the_page_blocks_lists_and_lets_go() -> None:
    person("Nicolò")
    client = signed_in(person("Vega-4821", Kind.GUEST))
    assert client.post("/players/Nicolò/block/", {"next": "/rules/"})["Location"] == "/rules/"
    assert client.post("/players/nicolo/mute/")["Location"] == "/account/ties/"
    assert client.get("/account/ties/").content.decode().count("<strong>Nicolò</strong>") == 2
    for verb in ("unblock", "unmute"):
        client.post(f"/players/Nicolò/{verb}/")
    assert not Tie.objects.exists()
    assert client.post("/players/nobody/block/").status_code == 404
    assert client.get("/players/Nicolò/block/").status_code == 405
    assert Client().post("/players/Nicolò/block/")["Location"] == "/account/signin/?next=/account/"


def test_a_long_list_is_paged_without_repeating_or_skipping() -> None:
    ada = person("ada")
    others = [person(f"rival-{number:03}") for number in range(2 * PAGE + 3)]
    for other in others:
        services.block(ada, other)
    client, address, found = signed_in(ada), "/account/ties/", []
    costs = []
    while address:
        with CaptureQueriesContext(connection) as asked:
            page = client.get(address).content.decode()
        costs.append(len(asked))
        found += re.findall(r"<strong>(rival-\d+)</strong>", page)
        older = re.search(r'href="(\?before=\d+)"', page)
        address = f"/account/ties/{older[1]}" if older else ""
    assert found == [other.username for other in reversed(others)]
    assert len(set(costs[1:])) == 1
    for nonsense in ("x", "-1", "²", "9" * 40):
        assert client.get("/account/ties/", {"before": nonsense}).status_code == 200


def buttons(viewer: Any, player: User) -> list[str]:
    from django.template.loader import render_to_string
    from django.test import RequestFactory

    request = RequestFactory().get("/players/bob/")
    ties = ties_between(viewer, player) if viewer.pk else frozenset()
    shown = render_to_string(
        "players/_ties.html", {"viewer": viewer, "player": player, "ties": ties}, request
    )
    return re.findall(r"<button[^>]*>(\w+)", shown)


def test_a_player_page_offers_what_can_be_said_of_a_player() -> None:
    from django.contrib.auth.models import AnonymousUser

    ada, bob = person("ada"), person("bob")
    assert buttons(ada, bob) == ["Block", "Mute"]
    services.block(ada, bob)
    services.mute(ada, bob)
    assert buttons(ada, bob) == ["Unblock", "Unmute"]
    assert buttons(ada, ada) == buttons(ada, bot_named("easy")) == buttons(AnonymousUser(), bob) == []


# The page


@pytest.mark.parametrize("path", ["", "tokens/", "sessions/", "ties/", "delete/"])
def test_a_page_costs_the_same_however_much_there_is(path: str) -> None:
    def cost(client: Client) -> int:
        client.get(f"/account/{path}")
        with CaptureQueriesContext(connection) as asked:
            assert client.get(f"/account/{path}").status_code == 200
        return len(asked)

    ada = person("ada")
    first = signed_in(ada)
    services.issue_token(ada)
    services.block(ada, person("bob"))
    few = cost(first)
    for number in range(10):
        services.issue_token(ada)
        services.block(ada, person(f"rival-{number}"))
        signed_in(ada)
    assert cost(first) == few


@pytest.mark.parametrize("kind", [Kind.HUMAN, Kind.GUEST])
def test_members_are_called_by_name_in_the_header_and_guests_are_asked_in(kind: Kind) -> None:
    page = signed_in(person("ada", kind)).get("/").content.decode()
    member = kind == Kind.HUMAN
    assert ('href="/account/">ada</a>' in page) is member
    assert ('href="/account/signin/"' in page) is not member
