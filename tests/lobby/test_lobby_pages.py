"""Home, lobby and challenge pages: what each reader is shown, and that forms are enough (no script, no htmx)."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lobby import pages, queries, services
from lobby.models import Challenge, Seek
from matches.models import Match
from players.models import Kind, User
from tests.builders import Page, dump, people, person, signed_in, terms_of

pytestmark = pytest.mark.django_db
DUEL = terms_of()
HTMX = {"HX-Request": "true"}


@pytest.fixture
def ada() -> User:
    return person("ada")


@pytest.fixture
def bob() -> User:
    return person("bob")


def seek(owner: User, **asked: Any) -> Seek:
    return services.open_seek(owner, terms_of(**asked), lasting=True)


def text(response: Page) -> str:
    bare = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", bare)


# What is shown


def test_every_term_of_a_seek_is_read_before_it_is_taken(ada: User) -> None:
    seek(ada, length=5, repeats=False, feedback="totals", clock={"seconds": 600})
    for path in ("/", "/lobby/"):
        page = text(Client().get(path))
        for words in (
            "5 digits",
            "all different, guesses too",
            "misplaced and exact",
            "10 min each",
            "rated if both",
            "If nobody ever chooses",
            "Whoever drops",
            "1 open challenge",
        ):
            assert words in page, (path, words)


def test_whether_it_is_rated_is_known_once_both_are(ada: User, bob: User) -> None:
    """R6.1"""
    guest = person("guest", Kind.GUEST)
    mine, theirs = seek(ada), seek(guest)

    def chips(viewer: User | None, one: Seek) -> str:
        return pages.seek_row(viewer or signed_in(None).get("/").wsgi_request.user, one).chips[-1]

    assert chips(bob, mine) == "rated"
    assert chips(None, mine) == chips(ada, mine) == "rated if both are registered"
    assert (
        chips(guest, mine) == chips(bob, theirs) == chips(None, theirs) == chips(guest, theirs) == "unrated"
    )


def test_an_own_seek_can_be_withdrawn_and_not_taken(ada: User, bob: User) -> None:
    one = seek(ada)
    take, withdraw = f"/seeks/{one.pk}/accept/", f"/seeks/{one.pk}/withdraw/"
    mine, theirs = (signed_in(who).get("/lobby/").content.decode() for who in (ada, bob))
    assert withdraw in mine
    assert take not in mine
    assert take in theirs
    assert withdraw not in theirs


def test_an_empty_lobby_says_what_to_do() -> None:
    page = Client().get("/lobby/")
    assert "Nobody is waiting" in text(page)
    assert "0 open challenges" in text(page)


def test_a_challenge_stands_in_the_lobby_of_its_two_and_of_nobody_else(ada: User, bob: User) -> None:
    one = services.challenge(ada, bob, DUEL)
    shown = {who: signed_in(who).get("/lobby/") for who in (ada, bob)}
    assert "ada challenges you" in text(shown[bob])
    assert "Waiting for bob’s answer" in text(shown[ada])
    assert f"/challenges/{one.pk}/accept/" in shown[bob].content.decode()
    assert f"/challenges/{one.pk}/withdraw/" in shown[ada].content.decode()
    for outsider in (person("cleo"), None):
        assert one.pk not in signed_in(outsider).get("/lobby/").content.decode()


@pytest.mark.parametrize("path", ["/", "/lobby/"])
def test_a_page_asks_as_much_of_the_database_at_1_seek_as_at_1000(ada: User, bob: User, path: str) -> None:
    client, one = signed_in(bob), seek(ada)
    services.challenge(ada, bob, DUEL)
    client.get(path)
    with CaptureQueriesContext(connection) as few:
        client.get(path)
    owners = User.objects.bulk_create(
        User(username=f"o-{n}", name_key=f"o-{n}", kind=Kind.GUEST) for n in range(999)
    )
    Seek.objects.bulk_create(
        Seek(owner=owner, terms=one.terms, lasting=True, expires_at=one.expires_at) for owner in owners
    )
    for rival in owners[:20]:
        services.challenge(rival, bob, DUEL)
    with CaptureQueriesContext(connection) as many:
        page = client.get(path)
    assert len(few) == len(many) <= 8
    assert "1000 open challenges" in text(page) or "1,000 open challenges" in text(page)
    assert page.content.count(b'class="seek') <= queries.SHOWN


@pytest.mark.parametrize(("language", "words"), [("en", "open challenge"), ("it", "")])
@pytest.mark.parametrize("path", ["/", "/lobby/", "/challenge/ada/"])
def test_pages_come_in_the_readers_language(ada: User, path: str, language: str, words: str) -> None:
    seek(ada)
    page = Client().get(path, headers={"Accept-Language": language})
    assert f'<html lang="{language}"' in page.content.decode()
    if path != "/challenge/ada/":
        assert words in text(page)


def test_a_name_and_terms_are_shown_as_text(ada: User, bob: User) -> None:
    """D24: ones that got past their rules would still be no markup, neither on pages nor in what is pushed."""
    evil = "<img src=x onload=a>"  # as long as a name can be
    one, asked = seek(ada), services.challenge(ada, bob, DUEL)
    User.objects.filter(pk=ada.pk).update(username=evil)
    one.owner.username = asked.challenger.username = evil
    said = [signed_in(bob).get(path).content.decode() for path in ("/", "/lobby/")]
    said += [pages.seeks(bob, [one])["html"], pages.seek(bob, one, 1)["html"]]
    said += [pages.challenge(bob, asked)["html"]]
    said += [pages.call(bob, queries.Call("0" * 8, bob.pk, ada))["html"]]
    ada.username = evil
    said += [pages.call(bob, queries.Call("0" * 8, bob.pk, ada))["html"]]
    for html in said:
        assert "<img src=x" not in html
    assert sum("&lt;img src=x" in html for html in said) >= 6


# Forms without a script


def test_a_passer_by_opens_a_seek_and_becomes_a_guest() -> None:
    client = Client()
    answer = client.post("/seeks/", {"preset": "probe", "probe-length": "5", "probe-seconds": "60"})
    assert answer["Location"] == "/lobby/"
    one = Seek.objects.get()
    assert (one.owner.kind, one.terms["preset"], one.terms["length"]) == ("guest", "probe", 5)
    assert not one.lasting
    page = client.get("/lobby/")
    assert "Waiting for an opponent" in text(page)
    assert '<meta http-equiv="refresh"' in page.content.decode()
    again = re.search(r'name="preset" value="probe"[^>]*checked', page.content.decode())
    assert again, "the form remembers the last choice"


def test_looking_at_the_lobby_keeps_ones_seek_open(ada: User) -> None:
    """Without a script the page asks again every 5 s; with one its socket does it."""
    one = services.open_seek(ada, DUEL, lasting=False)
    Seek.objects.update(expires_at=timezone.now() + timedelta(seconds=1))
    signed_in(ada).get("/lobby/")
    one.refresh_from_db()
    assert (one.expires_at - timezone.now()).total_seconds() > 12


def test_five_reloads_and_two_tabs_leave_one_row(ada: User) -> None:
    """D14: also of the form itself."""
    client = signed_in(ada)
    for _ in range(5):
        client.post("/seeks/", {"preset": "duel"})
        client.get("/lobby/")
    other = signed_in(ada)
    other.post("/seeks/", {"preset": "duel"})
    assert other.get("/lobby/").content.count(b'class="seek') == 1
    assert Seek.objects.count() == 1


def test_taking_a_seek_leads_to_the_match_and_a_passer_by_becomes_a_guest(ada: User) -> None:
    one = seek(ada)
    answer = Client().post(f"/seeks/{one.pk}/accept/")
    match = Match.objects.get()
    assert answer["Location"] == f"/m/{match.pk}/"
    assert {seat.player.kind for seat in match.seats.all() if seat.player} == {"human", "guest"}


def test_a_seek_that_is_gone_says_so_and_makes_no_guest(ada: User, bob: User) -> None:
    one = seek(ada)
    services.withdraw_seek(one.pk, ada.pk)
    for path in (f"/seeks/{one.pk}/accept/", "/seeks/00000000/accept/"):
        page = Client().post(path)
        assert page.status_code in (404, 409)
    assert "no longer open" in text(signed_in(bob).post(f"/seeks/{one.pk}/accept/"))
    assert set(people()) == {ada, bob}


def test_whoever_comes_late_is_told_in_the_page_and_by_htmx_in_a_note(ada: User, bob: User) -> None:
    one = seek(ada)
    services.accept_seek(one.pk, bob)
    client = signed_in(person("cleo"))
    whole, note = (client.post(f"/seeks/{one.pk}/accept/", headers=h) for h in ({}, HTMX))
    assert whole.status_code == note.status_code == 409
    assert "just taken" in text(whole)
    assert "just taken" in text(note)
    assert "<html" in whole.content.decode()
    assert "<html" not in note.content.decode()


def test_htmx_is_led_on_by_its_own_header(ada: User, bob: User) -> None:
    one = seek(ada)
    answer = signed_in(bob).post(f"/seeks/{one.pk}/accept/", headers=HTMX)
    assert answer["HX-Redirect"] == f"/m/{Match.objects.get().pk}/"


def test_nobody_takes_or_withdraws_by_the_page_what_is_not_theirs_to(ada: User, bob: User) -> None:
    """D14, D23"""
    one = seek(ada)
    assert "your own" in text(signed_in(ada).post(f"/seeks/{one.pk}/accept/"))
    for client in (signed_in(bob), Client()):
        assert client.post(f"/seeks/{one.pk}/withdraw/").status_code == 403
    assert Seek.objects.get().fate == "open"
    assert signed_in(ada).post(f"/seeks/{one.pk}/withdraw/")["Location"] == "/lobby/"
    assert Seek.objects.get().fate == "withdrawn"


def test_play_now_takes_what_is_open_or_opens(ada: User) -> None:
    first, second = Client(), Client()
    assert first.post("/play-now/")["Location"] == "/lobby/"
    answer = second.post("/play-now/")
    assert answer["Location"] == f"/m/{Match.objects.get().pk}/"
    assert not Seek.objects.filter(fate="open").exists()


def test_play_now_is_for_the_terms_chosen_last(ada: User, bob: User) -> None:
    seek(ada)
    client = signed_in(bob)
    client.post("/seeks/", {"preset": "classic"})
    client.post("/play-now/")
    assert not Match.objects.exists()
    services.open_seek(ada, terms_of("classic"), lasting=True)
    client.post("/play-now/")
    assert Match.objects.count() == 1


@pytest.mark.parametrize(
    "form",
    [
        {"preset": "blitz"},
        {"preset": ""},
        {"preset": "\x00"},
        {"preset": "duel", "duel-length": "9"},
        {"preset": "duel", "duel-length": "²"},
        {"preset": "duel", "duel-seconds": "9" * 5000},
        {"preset": "duel", "duel-repeats": "maybe"},
        {"preset": "duel", "duel-feedback": "\x00"},
    ],
    ids=ascii,
)
def test_a_form_that_asks_for_what_cannot_be_is_refused_in_words(bob: User, form: dict[str, str]) -> None:
    for client in (signed_in(person("ada")), Client()):
        for path in ("/seeks/", "/challenge/bob/"):
            answer = client.post(path, form)
            assert answer.status_code in (413, 422)
    assert not Seek.objects.exists()
    assert not Challenge.objects.exists()
    assert len(people()) == 2


def test_a_full_lobby_is_said_in_words(ada: User) -> None:
    client = signed_in(ada)
    for asked in ({"length": 5}, {"repeats": False}, {"rated": False}, {"feedback": "totals"}):
        seek(ada, **asked)
    client.post("/seeks/", {"preset": "classic"})
    for path in ("/seeks/", "/play-now/"):
        page = client.post(path, {"preset": "probe"})
        if path == "/seeks/":
            assert page.status_code == 409
            assert "as many open challenges" in text(page)


# Challenges


def test_a_challenge_goes_by_the_form_and_back_to_the_lobby(ada: User, bob: User) -> None:
    client = signed_in(ada)
    form = client.get("/challenge/bob/")
    assert "Challenge bob" in text(form)
    assert client.post("/challenge/bob/", {"preset": "probe"})["Location"] == "/lobby/"
    one = Challenge.objects.get()
    assert (one.challenger, one.opponent, one.terms["preset"]) == (ada, bob, "probe")
    answer = signed_in(bob).post(f"/challenges/{one.pk}/accept/")
    assert answer["Location"] == f"/m/{Match.objects.get().pk}/"


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_challenge_is_declined_with_a_reason_and_withdrawn(ada: User, bob: User, headers: Any) -> None:
    for who, verb, fate in ((bob, "decline", "declined"), (ada, "withdraw", "withdrawn")):
        one = services.challenge(ada, bob, DUEL)
        answer = signed_in(who).post(f"/challenges/{one.pk}/{verb}/", {"reason": "later"}, headers=headers)
        assert answer.status_code == (204 if headers else 302)
        one.refresh_from_db()
        assert one.fate == fate


def test_answers_to_what_is_not_ones_own_change_nothing(ada: User, bob: User) -> None:
    """D23"""
    one = services.challenge(ada, bob, DUEL)
    for verb in ("accept", "decline", "withdraw", "explode"):
        for client in (signed_in(person(f"eve-{verb}")), Client()):
            assert client.post(f"/challenges/{one.pk}/{verb}/").status_code == 404
    assert signed_in(ada).post(f"/challenges/{one.pk}/accept/").status_code == 404
    assert signed_in(bob).post(f"/challenges/{one.pk}/withdraw/").status_code == 404
    assert signed_in(bob).post(f"/challenges/{one.pk}/decline/", {"reason": "\x00"}).status_code == 422
    one.refresh_from_db()
    assert one.fate == "open"


def test_an_expired_challenge_explains_itself(ada: User, bob: User) -> None:
    one = services.challenge(ada, bob, DUEL)
    Challenge.objects.update(expires_at=timezone.now())
    page = signed_in(bob).post(f"/challenges/{one.pk}/accept/")
    assert page.status_code == 410
    assert "expired" in text(page)


def test_nobody_challenges_themselves_by_the_page(ada: User) -> None:
    page = signed_in(ada).post("/challenge/ada/", {"preset": "duel"})
    assert page.status_code == 409
    assert "yourself" in text(page)


@pytest.mark.parametrize(
    "name",
    ["nobody", "%00", "ada%00", "%ED%A0%80", "%FF", "x" * 3000, "%25", "_", "<b>", "ada%0A", " ", "%F0%9F"],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_name_that_is_nobody_s_is_a_page_that_is_not_there(ada: User, name: str, method: str) -> None:
    assert getattr(Client(), method)(f"/challenge/{name}/").status_code == 404
    assert len(people()) == 1


@pytest.mark.parametrize("name", ["Nicolò-Çé", "Łukasz_9"])
def test_a_name_with_accents_is_challenged_like_any_other(ada: User, name: str) -> None:
    """D20"""
    person(name)
    client = signed_in(ada)
    assert name in text(client.get(f"/challenge/{name}/"))
    assert client.post(f"/challenge/{name}/", {"preset": "duel"}).status_code == 302
    assert name in text(client.get("/lobby/"))


# What no page may do


@pytest.mark.parametrize(
    "path",
    ["/seeks/", "/play-now/", "/play-bot/", "/seeks/00000000/accept/", "/challenges/00000000/accept/"],
)
def test_nothing_is_done_by_looking(path: str) -> None:
    assert Client().get(path).status_code == 405


def test_forms_need_their_csrf_token(ada: User, bob: User) -> None:
    """D25"""
    one, asked = seek(ada), services.challenge(ada, bob, DUEL)
    tables = ("lobby_seek", "lobby_challenge", "matches_match")
    before = dump(tables)
    client = signed_in(bob, enforce_csrf_checks=True)
    for path in (
        "/seeks/",
        "/play-now/",
        f"/seeks/{one.pk}/accept/",
        "/challenge/ada/",
        f"/challenges/{asked.pk}/accept/",
    ):
        assert client.post(path, {"preset": "duel"}).status_code == 403
    assert dump(tables) == before


def test_looking_makes_no_account(ada: User) -> None:
    client = Client()
    for path in ("/", "/lobby/", "/challenge/ada/"):
        assert client.get(path).status_code == 200
    assert len(people()) == 1
