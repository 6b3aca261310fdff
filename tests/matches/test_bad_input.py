"""What is no code is refused in words, whoever brings it, and costs nothing (R1.2, R2.3, D3, D4)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.builders import Api, Duel, dump, signed_in
from tests.matches.conftest import Dial
from tests.matches.core.builders import NOT_CODES

pytestmark = pytest.mark.django_db(transaction=True)

Carrier = Callable[[Duel, int, str, Any], tuple[str | None, str]]
"""Brings a player's code to the match: the word and the sentence of its refusal, None and nothing if it was taken."""

TEXTS = [code for code in NOT_CODES if isinstance(code, str) and len(code) < 4000]
OTHER_TYPES = [1234, 12.5, True, None, ["1", "2", "3", "4"], {"1": 1}]
RULE = "A number here is exactly 4 digits from 0 to 9."
ALL_DIFFERENT = "A number here is exactly 4 digits from 0 to 9, all different."


def by_form(duel: Duel, seat: int, verb: str, code: Any) -> tuple[str | None, str]:
    response = signed_in(duel.players[seat]).post(f"/m/{duel.id}/{verb}/", {"code": code})
    if response.status_code == 302:
        return None, ""
    error = response.context["error"]
    assert error
    assert error in response.content.decode()
    return {422: "bad_code", 409: "conflict"}[response.status_code], error


def by_interface(duel: Duel, seat: int, verb: str, code: Any) -> tuple[str | None, str]:
    call = {"guess": "guesses", "secret": "secret"}[verb]
    answer = Api(duel.players[seat]).post(f"/matches/{duel.id}/{call}", {"code": code})
    return answer.code, answer.body["detail"] if answer.code else ""


@pytest.fixture(params=["form", "interface", "socket"])
def carry(request: pytest.FixtureRequest, dial: Dial) -> Carrier:
    lines: dict[tuple[str, int], Any] = {}

    def by_socket(duel: Duel, seat: int, verb: str, code: Any) -> tuple[str | None, str]:
        """Always the same socket: it stays open."""
        line = lines.get((duel.id, seat)) or dial(duel, duel.players[seat])
        lines[duel.id, seat] = line
        answer = line.ask(verb, code=code)
        return answer.get("code"), answer.get("detail", "")

    if request.param == "socket":
        return by_socket
    return by_form if request.param == "form" else by_interface


def stripped(carry: Carrier, codes: list[str]) -> list[str]:
    """A form may strip white space round a typed code, the engine never does."""
    return [code for code in codes if not (carry is by_form and code.strip() == "1234")]


@pytest.mark.parametrize("verb", ["secret", "guess"])
def test_what_is_no_code_is_told_what_one_looks_like(carry: Carrier, verb: str) -> None:
    """R1.2, D4: no 500, no row, turn and clock as before; and then a good one is taken."""
    duel = Duel(length=4)
    if verb == "guess":
        duel.start()
    before = duel.state.clocks, duel.state.turn, duel.kinds, duel.row.secrets
    codes = stripped(carry, TEXTS)
    answers = {code: carry(duel, 0, verb, code) for code in codes if code or carry is not by_form}
    assert answers == dict.fromkeys(answers, ("bad_code", RULE))
    assert len(answers) > 25
    assert (duel.state.clocks, duel.state.turn, duel.kinds, duel.row.secrets) == before
    assert carry(duel, 0, verb, "1234") == (None, "")


@pytest.mark.parametrize("verb", ["secret", "guess"])
def test_what_is_not_even_text_is_a_bad_request(dial: Dial, verb: str) -> None:
    """docs/decisions.md: wrong types; a number is no code, whatever its digits (R1.1)."""
    duel = Duel(length=4)
    if verb == "guess":
        duel.start()
    line = dial(duel, duel.players[0])
    line.next("match")
    before = dump()
    for code in OTHER_TYPES:
        assert by_interface(duel, 0, verb, code)[0] == "bad_request"
        assert line.ask(verb, code=code)["code"] == "bad_request"
    assert dump() == before


@pytest.mark.parametrize("preset", ["duel", "probe"])
def test_a_secret_with_a_repeated_digit_is_refused_where_all_are_different(
    carry: Carrier, preset: str
) -> None:
    """R2.2: free probes are free of this for guesses only."""
    duel = Duel(preset, length=4, repeats=False)
    answers = [carry(duel, 0, "secret", code) for code in ("1123", "0000", "9019")]
    assert answers == [("bad_code", ALL_DIFFERENT)] * 3
    assert duel.row.secrets == [None, None]
    assert carry(duel, 0, "secret", "0123") == (None, "")
    assert duel.row.secrets[0][0] == "0123"


def test_a_strict_guess_with_a_repeated_digit_costs_nothing(carry: Carrier) -> None:
    """R2.3"""
    duel = Duel("duel", length=4, repeats=False).start()
    carry(duel, 0, "guess", "12")
    clocks, turn = duel.state.clocks, duel.state.turn
    answers = [carry(duel, 0, "guess", code) for code in ("1111", "0012")]
    assert answers == [("bad_code", ALL_DIFFERENT)] * 2
    assert (duel.state.clocks, duel.state.turn, duel.state.moves) == (clocks, turn, 0)
    assert carry(duel, 0, "guess", "0123") == (None, "")


def test_a_free_guess_with_a_repeated_digit_is_a_lawful_probe(carry: Carrier) -> None:
    """R2.3; of the wrong length it is none, and is told the rule of guesses, not of secrets."""
    duel = Duel("probe", length=4, repeats=False).start()
    assert carry(duel, 0, "guess", "111") == ("bad_code", RULE)
    assert carry(duel, 0, "guess", "1111") == (None, "")


def test_classic_is_strict(carry: Carrier) -> None:
    duel = Duel("classic").start()
    code, detail = carry(duel, 0, "guess", "11234")
    assert (code, "all different" in detail) == ("bad_code", True)


def test_where_repeats_are_allowed_every_code_is_lawful(carry: Carrier) -> None:
    """R2.1, R1.3, D3"""
    duel = Duel(length=4)
    assert carry(duel, 0, "secret", "0000") == carry(duel, 1, "secret", "1234") == (None, "")
    assert carry(duel, 0, "guess", "0000") == (None, "")


def test_a_zero_in_front_is_kept_and_wins(carry: Carrier) -> None:
    """D3: its row reads 00417 for both."""
    duel = Duel().start("13579", "00417")
    assert carry(duel, 0, "guess", "417")[0] == "bad_code"
    assert carry(duel, 0, "guess", "00417") == (None, "")
    for player in duel.players:
        seats = Api(player).get(f"/matches/{duel.id}").body["seats"]
        assert (seats[0]["guesses"][0]["code"], seats[1]["secret"]) == ("00417", "00417")


@pytest.mark.parametrize("padded", [" 1234", "1234 ", "\t1234\n", "\u30001234\u2003"])
def test_a_form_strips_white_space_round_a_code_and_the_engine_does_not(padded: str) -> None:
    """R1.2"""
    duel = Duel(length=4)
    assert by_interface(duel, 0, "secret", padded)[0] == "bad_code"
    assert by_form(duel, 0, "secret", padded) == (None, "")
    assert duel.row.secrets[0][0] == "1234"


@pytest.mark.parametrize("size", [5_000, 10_000_000])
@pytest.mark.parametrize("verb", ["secret", "guess"])
def test_a_form_of_10_mb_is_refused_by_its_size(verb: str, size: int) -> None:
    """R1.2: as a page with a word, and the match is as it was."""
    duel = Duel().start()
    before = dump()
    response = signed_in(duel.players[0]).post(f"/m/{duel.id}/{verb}/", {"code": "1" * size})
    assert response.status_code == 413
    assert response["Content-Type"].startswith("text/html")
    assert dump() == before


def test_a_guess_from_a_page_left_open_is_refused() -> None:
    """D5: the form says which of its guesses it is; turn 3's is not taken in turn 5."""
    duel = Duel().start()
    client = signed_in(duel.players[0])
    stale = client.get(f"/m/{duel.id}/").context["view"].n
    for _ in range(2):
        duel.guess(0)
        duel.guess(1)
    before = dump()
    response = client.post(f"/m/{duel.id}/guess/", {"code": "13579", "n": stale})
    assert (response.status_code, response.context["error"]) == (409, "It is not your turn.")
    assert dump() == before


def test_a_form_sent_twice_is_one_guess() -> None:
    """D5: a double tap without a script."""
    duel = Duel().start()
    client = signed_in(duel.players[0])
    ref = client.get(f"/m/{duel.id}/").context["ref"]
    for _ in range(2):
        assert client.post(f"/m/{duel.id}/guess/", {"code": "13579", "n": 1, "ref": ref}).status_code == 302
    assert duel.state.moves == 1


@pytest.mark.parametrize(
    "fields", [{"n": "x"}, {"n": "²"}, {"n": "-1"}, {"n": "9" * 50}, {"ref": "é"}, {"ref": "x" * 99}]
)
def test_a_form_with_odd_fields_never_breaks(fields: dict[str, str]) -> None:
    duel = Duel().start()
    response = signed_in(duel.players[0]).post(f"/m/{duel.id}/guess/", {"code": "13579", **fields})
    assert response.status_code in (302, 400, 409)
