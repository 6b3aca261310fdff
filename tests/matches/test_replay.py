"""Stepping through a finished match (issue 4): each step a page of its own, with a script or without."""

import re
from typing import Any

import pytest

from players.models import User
from tests.builders import ALL_TERMS, Duel, Page, movers, person, signed_in
from tests.matches.test_pages import read

pytestmark = pytest.mark.django_db


def look(duel: Duel, user: User | None, version: int | str, **headers: str) -> Page:
    return signed_in(user).get(f"/m/{duel.id}/at/{version}/", headers=headers)


def text(duel: Duel, user: User | None, version: int) -> str:
    response = look(duel, user, version)
    assert response.status_code == 200
    return read(response.content.decode())


def told(preset: str = "duel", **asked: Any) -> Duel:
    """Ada guesses, bob guesses, ada names bob's number."""
    duel = Duel(preset, **asked).start()
    duel.guess(0)
    duel.guess(1, "13579")
    duel.guess(0, duel.secret(1))
    return duel


def link(html: str, step: str) -> str:
    (found,) = re.findall(rf'id="step-{step}"[^>]*href="([^"]+)"', html)
    return str(found)


@pytest.mark.parametrize(("preset", "asked"), ALL_TERMS)
def test_a_match_is_walked_by_its_links_from_the_first_step_to_the_last_and_back(
    preset: str, asked: dict[str, Any]
) -> None:
    """Without a script: every link leads to the next page, and the sentence says what happened."""
    duel = told(preset, **asked)
    client = signed_in(duel.players[1])
    over = client.get(f"/m/{duel.id}/").content.decode()
    assert f'href="/m/{duel.id}/at/1/"' in over
    path, sentences = f"/m/{duel.id}/at/1/", []
    while True:
        html = client.get(path).content.decode()
        sentences += re.findall(r'id="happened">(.*?)</p>', html, re.DOTALL)
        assert link(html, "first").endswith("/at/1/")
        if link(html, "next") == path:
            break
        path = link(html, "next")
    confirmed = ["ada confirmed.", "You confirmed."] if preset == "classic" else []
    assert sentences[:-4] == [
        "The match begins: each chooses a number.",
        "ada chose a number.",
        "You chose your number.",
        *confirmed,
        "Play begins. ada’s turn.",
    ]
    assert sentences[-4].startswith("ada: Guess 1, 2 4 6 8 0: ")
    assert sentences[-3].startswith("Guess 1, 1 3 5 7 9: ")
    assert sentences[-1].startswith("You lost. ada found your number on guess 2")
    assert link(html, "last") == path
    for _ in sentences[1:]:
        path = link(client.get(path).content.decode(), "previous")
    assert path == f"/m/{duel.id}/at/1/"


def test_a_step_shows_boards_turn_and_clocks_as_they_stood() -> None:
    duel = told()
    first = look(duel, duel.players[0], 5).content.decode()
    assert first.count('data-kind="guess"') == 1
    assert "bob’s turn" in read(first) or "To move" in read(first)
    assert look(duel, duel.players[0], 7).content.decode().count('data-kind="guess"') == 3
    assert re.findall(r'class="clock">([^<]+)', first) == ["5:00", "5:00"]
    later = told(players=(person("cleo"), person("dora")))
    later.row.events.filter(version=5).update(clocks=[61_000, 9_000])
    assert re.findall(r'class="clock">([^<]+)', look(later, None, 5).content.decode()) == ["1:01", "0:09"]


def test_both_numbers_are_shown_to_whoever_may_look() -> None:
    """R5.5"""
    duel = told()
    for user in (*duel.players, None):
        assert "9 0 7 1 8" in text(duel, user, 8)
        assert "3 1 6 5 0" in text(duel, user, 4)
        assert "9 0 7 1 8" not in text(duel, user, 1)


def test_no_step_of_a_match_that_is_not_over_is_shown() -> None:
    """R4.8: it is watched, not looked back on."""
    duel = Duel().start()
    duel.guess(0)
    for user in (*duel.players, None):
        for version in (1, 2, 5):
            response = look(duel, user, version)
            assert (response.status_code, response["Location"]) == (302, f"/m/{duel.id}/")


def test_a_private_match_is_for_its_two() -> None:
    duel = told(public=False)
    assert [look(duel, user, 5).status_code for user in duel.players] == [200, 200]
    assert [look(duel, user, 5).status_code for user in (person("cleo"), None)] == [404, 404]


@pytest.mark.parametrize("version", ["0", "9", "99", "9" * 5000, "-1", "x", "²", "%00", "1.0", ""])
def test_a_step_that_never_was_is_a_page_that_is_not(version: str) -> None:
    duel = told()
    assert look(duel, duel.players[0], version).status_code == 404


def test_htmx_is_given_the_step_alone() -> None:
    duel = told()
    part = look(duel, None, 5, HX_Request="true").content.decode()
    assert part.startswith('<main id="replay"')
    assert "<html" not in part
    assert part.strip() in look(duel, None, 5).content.decode()


@pytest.mark.parametrize("feedback", ["positions", "totals"])
def test_places_are_told_only_where_the_terms_give_them(feedback: str) -> None:
    """R3.4: under totals no mark, in no class name and in no sentence, though both numbers are known."""
    duel = told(feedback=feedback)
    for version in range(1, 9):
        html = look(duel, None, version).content.decode()
        marked = re.findall(r'class="tile (exact|present|absent)', html)
        assert bool(marked) == (feedback == "positions" and version > 4)


@pytest.mark.parametrize("guesses", [1, 40])
def test_a_step_takes_four_questions_however_long_the_match(
    guesses: int, django_assert_num_queries: Any
) -> None:
    """Session, user, match with its players, events."""
    duel = Duel(clock={"seconds": 1800}).start()
    for seat, _ in zip(movers(duel), range(guesses), strict=False):
        duel.guess(seat)
    duel.end()
    client, last = signed_in(duel.players[0]), duel.row.version
    client.get("/rules/")  # the first of the day notes that the player was seen
    with django_assert_num_queries(4):
        assert client.get(f"/m/{duel.id}/at/{last}/").status_code == 200


def test_a_step_is_kept_by_no_cache_and_no_search_engine() -> None:
    response = look(told(), None, 5)
    assert "no-store" in response["Cache-Control"]
    assert 'name="robots" content="noindex"' in response.content.decode()
