"""Practice: a board in the session. Its number stays on the server, and nobody needs an account or a script."""

import re
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from bots import practice
from bots.core.counting import possible
from bots.core.puzzle import Puzzle
from bots.core.solo import see
from tests.builders import ALL_TERMS, SECRETS, WRONG, Page, people, terms_of

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def begun(preset: str = "duel", **asked: Any) -> Client:
    """A passer-by with a board against a known number."""
    client = Client()
    terms = terms_of(preset, **{"length": 5, **asked})
    session = client.session
    practice.begin(session, terms)
    session["practice"]["secret"] = SECRETS[0]
    session.save()
    client.cookies["sessionid"] = str(session.session_key)
    return client


def guess(client: Client, code: str, n: str = "", **extra: Any) -> Page:
    return client.post("/practice/guess/", {"code": code, "n": n}, **extra)


def guesses(client: Client) -> tuple[str, ...]:
    board = practice.board_of(client.session)
    assert board is not None
    return board.guesses


def test_looking_makes_neither_account_nor_session() -> None:
    client = Client()
    assert client.get("/practice/").status_code == 200
    assert not people()
    assert not Session.objects.exists()


def test_a_board_is_played_by_plain_forms_with_no_account() -> None:
    client = Client()
    assert client.post("/practice/begin/", {"preset": "classic"})["Location"] == "/practice/"
    page = client.get("/practice/").content.decode()
    assert 'action="/practice/guess/"' in page
    assert 'name="code"' in page
    assert guess(client, "01234", "1")["Location"] == "/practice/"
    assert "Guess 1, 0 1 2 3 4: found" in client.get("/practice/").content.decode()
    assert not people()


def test_the_number_of_a_board_played_alone_is_nobodys() -> None:
    """Over it stands whose number it is: here, only that it is hidden."""
    shown = begun().get("/practice/").content.decode()
    assert re.search(r'class="whose[^>]*>\s*The hidden number\s*<', shown)


def test_terms_are_chosen_without_clock_and_ladder() -> None:
    page = Client().get("/practice/").content.decode()
    assert set(re.findall(r'name="([a-z-]+)"', page)) >= {"preset", "duel-length", "duel-repeats", "counted"}
    assert "seconds" not in page
    assert "rated" not in page


@pytest.mark.parametrize("form", [{"preset": "chess"}, {"preset": "duel", "duel-length": "6"}])
def test_terms_that_cannot_be_are_refused_in_words(form: dict[str, str]) -> None:
    client = Client()
    response = client.post("/practice/begin/", form)
    assert response.status_code == 422
    assert "These terms cannot be played" in response.content.decode()
    assert practice.board_of(client.session) is None


@pytest.mark.parametrize(("preset", "asked"), ALL_TERMS)
def test_the_number_does_not_leave_the_server_before_the_end(preset: str, asked: dict[str, Any]) -> None:
    """R4.8: in no page, fragment, header or cookie."""
    client = begun(preset, **asked)
    answers = [
        client.get("/practice/"),
        guess(client, WRONG, "1"),
        guess(client, "13579", "2", headers=HTMX),
        guess(client, "x", "3"),
        client.post("/practice/count/", {"counted": "yes"}),
        client.get("/practice/"),
    ]
    for answer in answers:
        told = f"{answer.content.decode()} {answer.headers} {answer.cookies}"
        assert SECRETS[0] not in told
        assert " ".join(SECRETS[0]) not in told
    client.post("/practice/give-up/")
    assert " ".join(SECRETS[0]) in client.get("/practice/").content.decode()


def test_under_totals_nothing_tells_places() -> None:
    """R3.4"""
    client = begun(feedback="totals")
    guess(client, "98700")
    page = client.get("/practice/").content.decode()
    assert "exact 2, misplaced 2" in page
    assert not re.search(r'class="(tile|key) (exact|present|absent)', page)


@pytest.mark.parametrize("code", ["", "1", "123456", "1234a", "１２３４1", "11111"])
def test_a_bad_code_is_refused_in_words_and_changes_nothing(code: str) -> None:
    """R1.2, R2.3"""
    client = begun(repeats=False)
    for headers in ({}, HTMX):
        response = guess(client, code, headers=headers)
        assert response.status_code == 422
        assert "exactly 5 digits from 0 to 9, all different" in response.content.decode()
    assert guesses(client) == ()


def test_white_space_round_a_typed_code_is_stripped_by_the_form() -> None:
    """R1.2"""
    client = begun()
    guess(client, f" {WRONG}\n")
    assert guesses(client) == (WRONG,)


def test_a_form_sent_twice_is_one_guess_and_a_stale_one_is_refused() -> None:
    client = begun()
    for _ in range(2):
        assert guess(client, WRONG, "1").status_code == 302
    stale = guess(client, "11111", "1")
    assert (stale.status_code, guesses(client)) == (409, (WRONG,))
    assert "moved on elsewhere" in stale.content.decode()


@pytest.mark.parametrize("n", ["0", "-1", "x", "²", "9" * 400])
def test_a_strange_count_is_no_fault(n: str) -> None:
    client = begun()
    assert guess(client, WRONG, n).status_code in (302, 409)


def test_htmx_gets_the_board_alone_with_its_newest_row_turning() -> None:
    client = begun()
    answer = guess(client, WRONG, "1", headers=HTMX).content.decode()
    assert answer.lstrip().startswith("<main")
    assert '<li class="row turn" id="row-0-1"' in answer
    assert "turn" not in re.findall(r'class="([^"]*)"', client.get("/practice/").content.decode())


def test_what_is_over_is_told_and_takes_no_further_guess() -> None:
    client = begun()
    guess(client, SECRETS[0])
    page = client.get("/practice/").content.decode()
    assert "Found on guess 1." in page
    refused = guess(client, WRONG)
    assert refused.status_code == 409
    assert "This board is finished." in refused.content.decode()


def test_again_is_another_number_on_the_same_terms() -> None:
    client = begun("probe", repeats=False)
    client.post("/practice/give-up/")
    assert "Not found." in client.get("/practice/").content.decode()
    client.post("/practice/begin/")
    board = practice.board_of(client.session)
    assert board is not None
    assert (board.terms, board.guesses, board.over) == (
        terms_of("probe", length=5, repeats=False),
        (),
        False,
    )


def test_the_count_of_what_is_possible_is_told_to_who_wants_it() -> None:
    client = begun()
    guess(client, WRONG)
    assert "Still possible" not in client.get("/practice/").content.decode()
    client.post("/practice/count/", {"counted": "yes"})
    response = client.get("/practice/")
    board = practice.board_of(client.session)
    assert board is not None
    assert response.context["possible"] == f"{possible(Puzzle.of(board.terms), see(board).rows):,}"
    assert "of 100,000" in response.content.decode()
    client.post("/practice/count/", {"counted": "no"})
    assert "Still possible" not in client.get("/practice/").content.decode()


@pytest.mark.parametrize("path", ["guess", "give-up", "count"])
def test_without_a_board_every_action_leads_to_the_terms(path: str) -> None:
    client = Client()
    assert client.post(f"/practice/{path}/")["Location"] == "/practice/"


@pytest.mark.parametrize("path", ["begin", "guess", "give-up", "count"])
def test_actions_are_posts_from_our_own_pages(path: str) -> None:
    """D25"""
    assert Client().get(f"/practice/{path}/").status_code == 405
    assert Client(enforce_csrf_checks=True).post(f"/practice/{path}/").status_code == 403


def test_a_board_has_an_end_whatever_is_sent() -> None:
    client = begun()
    session = client.session
    session["practice"]["guesses"] = [WRONG] * practice.ROOM
    session.save()
    assert guess(client, WRONG).status_code == 409
    assert "Not found." in client.get("/practice/").content.decode()
