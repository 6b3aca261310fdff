"""The rules and strategy pages: examples are right, figures true, and the box marks by the real rule (R3)."""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest

from matches import guide
from matches.core.codes import DIGITS
from matches.core.marking import mark, totals
from matches.core.terms import PRESETS
from matches.presenters import Row
from tests.builders import Page, signed_in
from tests.matches.test_pages import read

pytestmark = pytest.mark.django_db

ALL = ["".join(digits) for digits in product(DIGITS, repeat=4)]
LOOKS = {"exact": "E", "present": "P", "absent": "A"}


def marks(row: Row) -> str:
    return "".join(LOOKS[tile.look] for tile in row.tiles)


def counts(row: Row) -> tuple[str, ...]:
    return tuple(tile.text for tile in row.tiles)


def still_possible(rows: Iterable[tuple[str, str]]) -> list[str]:
    rows = list(rows)
    return [code for code in ALL if all(mark(code, guess) == marked for guess, marked in rows)]


# Examples and figures


def test_the_examples_of_repeated_digits_are_those_of_the_rule() -> None:
    """R3.2, D1"""
    shown: Any = guide.rules()["repeated"]
    assert [(each.secret, each.rows[0].sentence.split(":")[0][-9:], marks(each.rows[0])) for each, _ in shown] == [
        ("11234", "4 3 2 1 1", "PPEPP"),
        ("11234", "5 1 1 1 1", "AEPAA"),
        ("00417", "7 4 1 0 0", "PPPPP"),
    ]  # fmt: skip


def test_the_examples_of_totals_count_as_the_rule_does() -> None:
    """R3.3: misplaced and exact; found, which includes the exact, and in place."""
    shown: Any = guide.rules()
    assert [counts(row) for row in shown["counted"].rows] == [("2", "0"), ("2", "3")]
    assert [counts(row) for row in shown["found"].rows] == [
        ("2", "0"),
        ("2", "2"),
        ("5", "0"),
        ("5", "3"),
        ("5", "5"),
    ]


@pytest.mark.parametrize(("opening", "left"), guide.OPENINGS.items())
def test_what_an_opening_leaves_on_average_is_true(opening: str, left: tuple[int, int]) -> None:
    marked = [mark(code, opening) for code in ALL]

    def on_average(told: list[Any]) -> int:
        return round(sum(size * size for size in Counter(told).values()) / len(ALL))

    assert (on_average(marked), on_average([*map(totals, marked)])) == left


def test_what_is_left_after_the_guesses_shown_is_true() -> None:
    rows: list[tuple[str, str]] = []
    for guess, left in guide.SHOWN_GUESSES.items():
        rows.append((guess, mark(guide.SHOWN_NUMBER, guess)))
        assert len(still_possible(rows)) == left
    assert tuple(still_possible(rows)) == guide.LAST_FIVE


def test_the_probe_cannot_be_right_and_tells_the_last_five_apart() -> None:
    assert guide.PROBE not in guide.LAST_FIVE
    assert len({mark(code, guide.PROBE) for code in guide.LAST_FIVE}) == len(guide.LAST_FIVE)


def test_the_parting_guess_earns_what_is_said() -> None:
    """R6.2: one digit not in its place, +6."""
    assert totals(mark(*guide.PARTING))[0] == len(guide.PARTING[0]) - 1


def test_the_presets_are_compared_by_their_own_terms(settings: Any) -> None:
    """With the clocks and the grace that this site offers."""
    settings.MOVE_SECONDS = (60, 7200)
    settings.GRACE_SECONDS = 90
    shown: Any = guide.rules()
    assert shown["presets"] == ["Duel", "Probe", "Classic"]
    assert all(len(line.cells) == len(PRESETS) for line in shown["comparison"])
    by_label = {line.label: line.cells for line in shown["comparison"]}
    assert by_label["Digits"] == ("4 or 5", "4 or 5", "5")
    assert by_label["Clock"][2] == "60 s or 2 hours a move"
    assert "90 s" in by_label["Dropping"][0]
    assert [cell.split()[-1] for cell in by_label["Nobody chooses"]] == ["void.", "draw.", "void."]
    assert "free" in by_label["Repeats"][1]


# Pages


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("path", ["/rules/", "/strategy/"])
def test_each_is_a_page_for_anybody(path: str, language: str) -> None:
    html = signed_in(None).get(path, headers={"Accept-Language": language}).content.decode()
    assert "%(" not in html
    assert "None" not in read(html)
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert sorted(ids) == sorted(set(ids))
    assert not re.search(r"<script(?![^>]*src=)|\son\w+=|<style|\sstyle=", html)


def test_the_pages_ask_nothing_of_the_database(django_assert_num_queries: Any) -> None:
    client = signed_in(None)
    with django_assert_num_queries(0):
        for path in ("/rules/", "/strategy/"):
            assert client.get(path).status_code == 200


# The box


def tried(form: dict[str, Any], **headers: str) -> Page:
    fields = {
        "preset": "duel",
        "duel-length": "5",
        "duel-feedback": "positions",
        "secret": "11234",
        "guess": "43211",
    }
    return signed_in(None).post("/rules/", {**fields, **form}, headers=headers)


def box(response: Page) -> str:
    """The board that was answered."""
    found = re.search(r'<ol class="board tried".*?</ol>', response.content.decode(), re.DOTALL)
    return found[0] if found else ""


def looks(html: str) -> list[str]:
    return re.findall(r'class="tile (\w+)"', html)


def test_a_guess_is_marked_by_a_plain_form() -> None:
    """R3.2, without a script: what was typed is still there."""
    response = tried({"secret": " 11234 ", "guess": "51111"})
    assert response.status_code == 200
    assert looks(box(response)) == ["absent", "exact", "present", "absent", "absent"]
    html = response.content.decode()
    assert 'name="secret" value="11234"' in html
    assert 'name="past" value="51111"' in html


def test_guesses_marked_before_stand_above_and_are_marked_against_the_number_of_now() -> None:
    response = tried({"past": ["43211", "x", "1234"], "guess": "51111", "secret": "51111"})
    assert re.findall(r"Guess (\d), ([\d ]+):", box(response)) == [("1", "4 3 2 1 1"), ("2", "5 1 1 1 1")]
    assert looks(box(response))[5:] == ["exact"] * 5
    many = tried({"past": [f"{n:05}" for n in range(40)]})
    assert many.content.decode().count('name="past"') == guide.TRIED


def test_totals_tell_no_places() -> None:
    """R3.4"""
    response = tried({"duel-feedback": "totals", "duel-length": "4", "secret": "1123", "guess": "3211"})
    assert looks(box(response)) == ["loop", "full"]
    assert "exact 0, misplaced 4" in read(box(response))


@pytest.mark.parametrize("field", ["secret", "guess"])
@pytest.mark.parametrize(
    "code",
    ["", "1234", "123456", "²2344", "١٢٣٤٥", "12\x0034", "<b>12", "1 234", "-1234", "9" * 3000, "\ud800"],
)
def test_what_is_no_number_is_refused_in_words(field: str, code: str) -> None:
    """R1.2"""
    response = tried({field: code.encode("utf-8", "replace").decode(), "past": "00000"})
    assert response.status_code == 422
    assert "A number here is exactly 5 digits from 0 to 9." in read(response.content.decode())
    assert "<b>12" not in response.content.decode()
    assert 'name="past" value="00000"' in response.content.decode()


@pytest.mark.parametrize(
    "form",
    [
        {"duel-length": "6"},
        {"duel-length": "²"},
        {"duel-feedback": "x"},
        {"preset": "nim"},
        {"preset": ""},
        {"duel-seconds": "7"},
    ],
)
def test_terms_that_cannot_be_are_refused_in_words(form: dict[str, str]) -> None:
    response = tried(form)
    assert response.status_code == 422
    assert "terms" in read(response.content.decode()).lower()


def test_the_rules_with_a_body_that_is_none_are_no_error_of_ours() -> None:
    client = signed_in(None)
    assert client.post("/rules/").status_code == 422
    assert client.post("/rules/", b"\x00\xff" * 9, "application/octet-stream").status_code == 422
    assert client.post("/rules/", {"secret": "1" * 10_000_000}).status_code == 413
    assert client.post("/strategy/").status_code == 405


def test_htmx_is_given_the_board_alone_and_what_to_say() -> None:
    response = tried({}, HX_Request="true")
    html = response.content.decode()
    assert "<html" not in html
    assert looks(box(response)) == ["present", "present", "exact", "present", "present"]
    (said,) = re.findall(r'<p id="tried-say" hx-swap-oob="innerHTML">(.*?)</p>', html, re.DOTALL)
    assert said.startswith("Guess 1, 4 3 2 1 1: exact 1, present 4.")
    refused = tried({"guess": "1"}, HX_Request="true")
    assert (refused.status_code, "exactly 5 digits" in refused.content.decode()) == (422, True)


def test_a_number_never_stands_in_an_address() -> None:
    html = signed_in(None).get("/rules/?secret=11234&guess=51111").content.decode()
    assert "5 1 1 1 1: exact 1, present 1" not in box(signed_in(None).get("/rules/?guess=51111"))
    assert all('method="post"' in form for form in re.findall(r"<form\b[^>]*>", html))
