"""Home, and the pages of a link: what each reader is shown, and that a page without a script is enough."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lobby.models import Invitation
from matches.models import Match
from players.models import Kind, User
from tests.builders import ALL_TERMS, Duel, Page, dump, invitation_of, people, person, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return person("ada")


@pytest.fixture
def bob() -> User:
    return person("bob")


def text(response: Page) -> str:
    """What is read on a page: without tags, spaces as one."""
    bare = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", bare)


def made(response: Page) -> str:
    """The token of the link that an answer leads to."""
    found = re.fullmatch(r"/i/([^/]{22})/", response["Location"])
    assert found, response["Location"]
    return found[1]


# Home


def test_home_makes_no_account_and_no_session_of_a_passer_by() -> None:
    client = Client()
    assert client.get("/").status_code == 200
    assert not people()
    assert "sessionid" not in client.cookies


def test_home_lists_my_running_matches_and_nobody_elses(ada: User, bob: User) -> None:
    mine, over = (Duel(players=(ada, bob)).start() for _ in range(2))
    over.end()
    other = Duel(players=(bob, person("cleo")))
    page = signed_in(ada).get("/")
    assert f"/m/{mine.id}/" in page.content.decode()
    assert not any(f"/m/{duel.id}/" in page.content.decode() for duel in (over, other))
    assert "You against bob" in text(page)
    assert "Your turn" in text(page)


def test_the_example_at_home_is_marked_by_the_real_rule() -> None:
    """R3: 72815 and 71830."""
    (row,) = Client().get("/").context["strip"]
    assert [(tile.text, tile.look) for tile in row.tiles] == [
        ("7", "exact"),
        ("1", "present"),
        ("8", "exact"),
        ("3", "absent"),
        ("0", "absent"),
    ]


# Making a link


def test_one_tap_makes_a_guest_and_a_link() -> None:
    """docs/decisions.md: on the default terms."""
    client = Client()
    token = made(client.post("/invite/"))
    invitation = Invitation.objects.get(pk=token)
    assert (invitation.owner.kind, invitation.terms["preset"]) == ("guest", "duel")
    page = client.get(f"/i/{token}/")
    assert f"http://testserver/i/{token}/" in page.content.decode()
    assert "<svg" in page.content.decode()


def test_a_player_stays_who_they_are(ada: User) -> None:
    token = made(signed_in(ada).post("/invite/"))
    assert Invitation.objects.get(pk=token).owner == ada
    assert len(people()) == 1


def test_the_terms_chosen_last_are_offered_again(ada: User) -> None:
    client = signed_in(ada)
    client.post(
        "/invite/", {"preset": "probe", "probe-length": "5", "probe-seconds": "60", "duel-length": "4"}
    )
    again = Invitation.objects.get(pk=made(client.post("/invite/")))
    assert (again.terms["preset"], again.terms["length"], again.terms["clock"]) == (
        "probe",
        5,
        ["budget", 60],
    )


def test_terms_chosen_once_that_are_no_longer_offered_are_forgotten(ada: User, settings: Any) -> None:
    client = signed_in(ada)
    client.post("/invite/", {"preset": "duel", "duel-seconds": "60"})
    settings.BUDGET_SECONDS = (600,)
    again = Invitation.objects.get(pk=made(client.post("/invite/")))
    assert again.terms["clock"] == ["budget", 600]


def test_other_terms_make_a_new_link_in_place_of_the_old(ada: User) -> None:
    client = signed_in(ada)
    old = made(client.post("/invite/"))
    new = made(client.post("/invite/", {"preset": "classic", "replaces": old}))
    assert Invitation.objects.get(pk=old).withdrawn
    assert Invitation.objects.get(pk=new).terms["preset"] == "classic"
    assert client.get(f"/i/{old}/").status_code == 410


def test_a_link_taken_meanwhile_is_not_replaced(ada: User, bob: User) -> None:
    client = signed_in(ada)
    old = made(client.post("/invite/"))
    signed_in(bob).post(f"/i/{old}/accept/")
    assert client.post("/invite/", {"preset": "duel", "replaces": old})["Location"] == f"/i/{old}/"
    assert Invitation.objects.count() == 1


def test_nobody_replaces_another_players_link(ada: User, bob: User) -> None:
    """D23"""
    token = invitation_of(ada).pk
    signed_in(bob).post("/invite/", {"preset": "duel", "replaces": token})
    assert not Invitation.objects.get(pk=token).withdrawn


@pytest.mark.parametrize("replaces", ["x", "x" * 22, "../", "é", "\x00", "x" * 3000])
@pytest.mark.parametrize("preset", ["duel", "blitz"])
def test_replacing_what_never_was_breaks_nothing(ada: User, replaces: str, preset: str) -> None:
    response = signed_in(ada).post("/invite/", {"preset": preset, "replaces": replaces})
    assert response.status_code == (302 if preset == "duel" else 422)


@pytest.mark.parametrize(
    "fields",
    [
        {"preset": "blitz"},
        {"preset": "duel", "duel-length": "6"},
        {"preset": "duel", "duel-length": "²"},
        {"preset": "duel", "duel-length": "9" * 50},
        {"preset": "duel", "duel-repeats": "maybe"},
        {"preset": "duel", "duel-seconds": "1"},
        {"preset": "duel", "duel-rated": ""},
        {"preset": "classic", "classic-length": "4"},
        {"preset": "classic", "classic-repeats": "yes"},
    ],
)
def test_a_form_with_terms_that_cannot_be_is_told_so_in_words(ada: User, fields: dict[str, str]) -> None:
    """And the link it came from is as it was."""
    old = invitation_of(ada).pk
    before = dump()
    response = signed_in(ada).post("/invite/", {**fields, "replaces": old})
    assert response.status_code == 422
    assert response.context["error"].startswith("These terms cannot be played")
    assert response.context["error"] in response.content.decode()
    assert dump() == before


@pytest.mark.parametrize(("preset", "asked"), ALL_TERMS)
def test_every_choice_of_the_form_can_be_sent_and_is_what_was_chosen(
    ada: User, preset: str, asked: dict[str, Any]
) -> None:
    """The last option of every field; the first is the default."""
    client = signed_in(ada)
    token = invitation_of(ada, preset, **asked).pk
    choices = client.get(f"/i/{token}/").context["presets"]
    chosen = next(choice for choice in choices if choice.checked)
    assert chosen.name == preset
    fields = {field.name: field.options[-1].value for field in chosen.fields}
    terms = Invitation.objects.get(pk=made(client.post("/invite/", {"preset": preset, **fields}))).terms
    assert terms["clock"][1] == (3600 if preset == "classic" else 1800)
    assert not terms["rated"]
    assert terms["length"] == 5
    assert not terms["repeats"]


# Reading a link


SMALL_PRINT = {
    "duel": ("Both choose while the clocks run.", "void", "60 s to come back"),
    "probe": ("Both choose while the clocks run.", "draw", "60 s to come back"),
    "classic": ("each has 30 s to confirm", "void", "loses nothing but their own time"),
}
CHIPS: dict[str, tuple[str, ...]] = {
    "duel": ("4 digits", "all different, guesses too", "10 min each"),
    "probe": ("4 digits", "all different, guesses free", "10 min each"),
    "classic": ("5 digits", "all different, guesses too", "5 min a move", "found and in place"),
}


@pytest.mark.parametrize("preset", [*CHIPS])
@pytest.mark.parametrize("feedback", ["positions", "totals"])
def test_whoever_opens_a_link_reads_all_its_terms_before_accepting(
    ada: User, bob: User, preset: str, feedback: str
) -> None:
    """Rules: a link shows all terms in words, the agreed and the fixed ones."""
    asked: dict[str, Any] = {"clock": {"seconds": 300 if preset == "classic" else 600}, "repeats": False}
    if preset != "classic":
        asked["feedback"] = feedback
    token = invitation_of(ada, preset, **asked).pk
    for client in (Client(), signed_in(bob), signed_in(ada)):
        page = text(client.get(f"/i/{token}/"))
        marks = {"positions": "marks per position", "totals": "misplaced and exact"}[feedback]
        wanted = [*CHIPS[preset], *SMALL_PRINT[preset], *([marks] if preset != "classic" else [])]
        assert [words for words in wanted if words not in page] == []


def test_a_link_says_how_long_a_player_has_to_come_back_here(ada: User, settings: Any) -> None:
    settings.GRACE_SECONDS, settings.CONFIRM_SECONDS = 90, 120
    pages = [text(Client().get(f"/i/{invitation_of(ada, preset).pk}/")) for preset in ("duel", "classic")]
    assert "90 s to come back" in pages[0]
    assert "2 min to confirm" in pages[1]


@pytest.mark.parametrize(
    ("owner", "reader", "rated", "words"),
    [
        (Kind.HUMAN, None, True, "rated if both are registered"),
        (Kind.HUMAN, Kind.HUMAN, True, " rated "),
        (Kind.HUMAN, Kind.GUEST, True, "unrated"),
        (Kind.GUEST, Kind.HUMAN, True, "unrated"),
        (Kind.HUMAN, Kind.HUMAN, False, "unrated"),
    ],
)
def test_a_link_says_whether_the_match_is_rated(
    owner: Kind, reader: Kind | None, rated: bool, words: str
) -> None:
    """R6.1"""
    token = invitation_of(person("ada", owner), rated=rated).pk
    page = text(signed_in(person("bob", reader) if reader else None).get(f"/i/{token}/"))
    assert words in page


def test_a_stranger_is_not_shown_what_is_the_owners(ada: User, bob: User) -> None:
    token = invitation_of(ada).pk
    page = signed_in(bob).get(f"/i/{token}/").content.decode()
    assert "ada challenges you" in page
    assert f"/i/{token}/accept/" in page
    assert f"/i/{token}/withdraw/" not in page
    assert "terms-form" not in page


def test_pages_of_links_are_for_no_search_engine_and_no_cache(ada: User) -> None:
    page = Client().get(f"/i/{invitation_of(ada).pk}/")
    assert 'name="robots" content="noindex"' in page.content.decode()
    assert "no-store" in page["Cache-Control"]


def test_opening_a_link_takes_nothing_and_makes_no_account(ada: User) -> None:
    """A messenger's preview opens it too."""
    token = invitation_of(ada).pk
    before = dump()
    for path in ("", "state/"):
        assert Client().get(f"/i/{token}/{path}").status_code in (200, 204)
        assert Client().head(f"/i/{token}/{path}").status_code in (200, 204)
    for path in ("accept/", "withdraw/"):
        assert Client().get(f"/i/{token}/{path}").status_code == 405
    assert dump() == before
    assert len(people()) == 1


# Accepting, withdrawing, waiting


def test_whoever_accepts_without_an_account_becomes_a_guest_in_the_match(ada: User) -> None:
    client = Client()
    response = client.post(f"/i/{invitation_of(ada).pk}/accept/")
    match = Match.objects.get()
    assert response["Location"] == f"/m/{match.pk}/"
    guest = match.seats.get(index=1).player
    assert guest is not None
    assert guest.kind == "guest"
    assert client.get(f"/m/{match.pk}/").context["view"].playing


def test_both_are_led_from_the_link_to_the_match_and_others_are_told_that_it_is_taken(
    ada: User, bob: User
) -> None:
    token = invitation_of(ada).pk
    signed_in(bob).post(f"/i/{token}/accept/")
    match = Match.objects.get()
    for player in (ada, bob):
        assert signed_in(player).get(f"/i/{token}/")["Location"] == f"/m/{match.pk}/"
    cleo = signed_in(person("cleo"))
    late = cleo.post(f"/i/{token}/accept/")
    assert late.status_code == 409
    assert "Somebody else has already used this link." in text(late)
    page = cleo.get(f"/i/{token}/")
    assert page.status_code == 200
    assert match.pk not in page.content.decode()


def test_accepting_ones_own_link_is_refused_in_words(ada: User) -> None:
    response = signed_in(ada).post(f"/i/{invitation_of(ada).pk}/accept/")
    assert response.status_code == 409
    assert "send it to somebody else" in text(response)


def test_a_link_that_is_no_more_says_so(ada: User, bob: User) -> None:
    withdrawn, expired = invitation_of(ada), invitation_of(ada)
    assert signed_in(ada).post(f"/i/{withdrawn.pk}/withdraw/")["Location"] == "/"
    Invitation.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    for invitation, status, words in ((withdrawn, 409, "withdrawn"), (expired, 410, "expired")):
        client = signed_in(bob)
        page, refused = client.get(f"/i/{invitation.pk}/"), client.post(f"/i/{invitation.pk}/accept/")
        assert (page.status_code, refused.status_code) == (410, status)
        assert words in text(page)
        assert words in text(refused)
    assert not Match.objects.exists()


def test_a_dead_link_makes_no_guest(ada: User) -> None:
    """Who could not get in has no account from trying."""
    invitation = invitation_of(ada)
    Invitation.objects.update(withdrawn=True)
    Client().post(f"/i/{invitation.pk}/accept/")
    Client().post(f"/i/{invitation.pk}/withdraw/")
    assert people() == [ada]


def test_only_the_owner_withdraws_by_the_page(ada: User, bob: User) -> None:
    token = invitation_of(ada).pk
    assert signed_in(bob).post(f"/i/{token}/withdraw/").status_code == 403
    assert not Invitation.objects.get(pk=token).withdrawn


def test_the_waiting_page_is_told_nothing_until_there_is_news(ada: User, bob: User) -> None:
    owner, token = signed_in(ada), invitation_of(ada).pk
    assert owner.get(f"/i/{token}/state/").status_code == 204
    signed_in(bob).post(f"/i/{token}/accept/")
    assert owner.get(f"/i/{token}/state/")["HX-Redirect"] == f"/m/{Match.objects.get().pk}/"
    assert "HX-Redirect" not in signed_in(person("cleo")).get(f"/i/{token}/state/")


def test_the_waiting_page_is_told_of_the_end_of_its_link(ada: User) -> None:
    owner, invitation = signed_in(ada), invitation_of(ada)
    Invitation.objects.update(expires_at=timezone.now())
    assert "expired" in text(owner.get(f"/i/{invitation.pk}/state/"))


@pytest.mark.parametrize(
    "path", ["/i/x/", f"/i/{'x' * 22}/", f"/i/{'x' * 22}/state/", f"/i/{'é' * 22}/", "/i/"]
)
def test_a_link_that_never_was_is_a_page_that_is_not_there(path: str) -> None:
    response = Client().get(path)
    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")


def test_forms_of_links_need_their_csrf_token(ada: User, bob: User) -> None:
    """D25"""
    token = invitation_of(ada).pk
    before = dump()
    client = signed_in(bob, enforce_csrf_checks=True)
    for path in ("/invite/", f"/i/{token}/accept/", f"/i/{token}/withdraw/"):
        assert client.post(path).status_code == 403
    assert dump() == before


def test_a_name_is_shown_as_text(bob: User) -> None:
    """D24: one that got past its rule would still be no markup."""
    evil = person("ada")
    User.objects.filter(pk=evil.pk).update(username="<b>x</b>")
    page = signed_in(bob).get(f"/i/{invitation_of(evil).pk}/").content.decode()
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x&lt;/b&gt; challenges you" in page


@pytest.mark.parametrize("language", ["en", "it", "it-IT,it;q=0.9", "fr", "*"])
def test_pages_answer_in_whatever_language_is_asked_for(ada: User, language: str) -> None:
    client, token = signed_in(ada), invitation_of(ada).pk
    for path in ("/", f"/i/{token}/"):
        page = client.get(path, headers={"Accept-Language": language})
        wanted = "it" if language.startswith("it") else "en"
        assert f'<html lang="{wanted}"' in page.content.decode()
