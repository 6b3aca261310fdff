"""What a caller can read about the interface: the presets, the OpenAPI document, its page (api.md, the table)."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import URLResolver, get_resolver

from tests.builders import Api

# The table of the rules, read by a machine
BUDGETS, MOVES = [60, 180, 300, 600, 900, 1800], [60, 120, 300, 3600]
TABLE: dict[str, dict[str, Any]] = {
    "duel": {
        "length": [4, 5],
        "repeats": [True, False],
        "guesses": ["strict"],
        "feedback": ["positions", "totals"],
        "clock": {"kind": "budget", "seconds": BUDGETS},
        "rated": [True, False],
    },
    "probe": {
        "length": [4, 5],
        "repeats": [True, False],
        "guesses": ["free"],
        "feedback": ["positions", "totals"],
        "clock": {"kind": "budget", "seconds": BUDGETS},
        "rated": [True, False],
    },
    "classic": {
        "length": [5],
        "repeats": [False],
        "guesses": ["strict"],
        "feedback": ["totals"],
        "clock": {"kind": "move", "seconds": MOVES},
        "rated": [True, False],
    },
}
DEFAULTS = {
    "duel": (4, True, "positions", {"kind": "budget", "seconds": 300}),
    "probe": (4, True, "positions", {"kind": "budget", "seconds": 300}),
    "classic": (5, False, "totals", {"kind": "move", "seconds": 120}),
}


def presets() -> dict[str, dict[str, Any]]:
    body = Api().get("/presets").body
    assert body["default"] == "duel"
    return {preset["preset"]: preset for preset in body["presets"]}


@pytest.mark.parametrize("term", ["length", "repeats", "guesses", "feedback", "clock", "rated"])
@pytest.mark.parametrize("preset", [*TABLE])
def test_the_presets_are_those_of_the_table(preset: str, term: str) -> None:
    """Each row a test: what may be agreed, and what the preset fixes."""
    assert [*presets()] == [*TABLE]
    assert presets()[preset][term] == TABLE[preset][term]


@pytest.mark.parametrize("preset", [*TABLE])
def test_what_is_left_out_is_as_api_md_says(preset: str) -> None:
    terms = presets()[preset]["defaults"]
    assert (terms["length"], terms["repeats"], terms["feedback"], terms["clock"]) == DEFAULTS[preset]
    assert terms["rated"] is True


def test_the_clocks_are_those_the_site_offers(settings: Any) -> None:
    """By BUDGET_SECONDS and MOVE_SECONDS; the default is the offered one nearest to the preset's own."""
    settings.BUDGET_SECONDS, settings.MOVE_SECONDS = (5, 700), (9,)
    known = presets()
    assert known["duel"]["clock"]["seconds"] == [5, 700]
    assert known["probe"]["defaults"]["clock"]["seconds"] == 5
    assert known["classic"]["defaults"]["clock"] == {"kind": "move", "seconds": 9}


def test_everybody_may_read_the_presets(db: None) -> None:
    assert Api(Authorization="Bearer nonsense").get("/presets").status == 200


# OpenAPI


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    body: dict[str, Any] = Api().get("/openapi.json").body
    return body


CALLS = {
    ("post", "/guest"),
    ("get", "/presets"),
    ("get", "/matches"),
    ("get", "/matches/{match_id}"),
    *(
        ("post", f"/matches/{{match_id}}/{verb}")
        for verb in ("secret", "confirm", "guesses", "resign", "flag", "rematch")
    ),
    ("post", "/invitations"),
    ("post", "/invitations/{token}/accept"),
    ("delete", "/invitations/{token}"),
}


def plain(path: str) -> str:
    """A path with its places as `{name}`, whatever converter they have and whoever writes it."""
    return re.sub(r"[<{](?:\w+:)?(\w+)[>}]", r"{\1}", path)


def test_the_document_lists_every_call_of_api_md_there_is(document: dict[str, Any]) -> None:
    calls = {(method, plain(path)) for path, methods in document["paths"].items() for method in methods}
    assert document["openapi"].startswith("3.")
    assert calls >= {(method, f"/api/v1{path}") for method, path in CALLS}


def routes(resolver: URLResolver, before: str = "/") -> set[str]:
    found = set()
    for pattern in resolver.url_patterns:
        path = before + str(pattern.pattern)
        found |= routes(pattern, path) if isinstance(pattern, URLResolver) else {plain(path)}
    return found


def test_the_document_lists_every_route_there_is(document: dict[str, Any]) -> None:
    """Generated from the code, so that no call can be forgotten."""
    served = {path for path in routes(get_resolver()) if path.startswith("/api/v1/")}
    about_itself = {"/api/v1/", "/api/v1/docs", "/api/v1/openapi.json"}
    assert about_itself < served
    assert served - about_itself == set(map(plain, document["paths"]))


def test_every_call_says_what_it_does_and_what_it_answers(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            assert call["summary"], (method, path)
            assert any(status.startswith("2") for status in call["responses"]), (method, path)


def test_every_shape_that_is_named_is_there(document: dict[str, Any]) -> None:
    named = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert named <= set(document["components"]["schemas"])
    assert document["components"]["securitySchemes"]


def test_operations_have_names_of_their_own(document: dict[str, Any]) -> None:
    """Client generators make functions of them."""
    names = [call["operationId"] for methods in document["paths"].values() for call in methods.values()]
    assert len(names) == len(set(names))


def test_the_page_of_the_document_asks_nobody_else() -> None:
    """No third party, no favicon of theirs."""
    page = Client().get("/api/v1/docs")
    assert page.status_code == 200
    text = page.content.decode()
    addresses = re.findall(r"""(?:src|href|url)\s*[=:(]\s*["']?([^"'\s>)]+)""", text)
    assert addresses
    assert [address for address in addresses if re.match(r"(?:https?:)?//", address)] == []
    assert "openapi.json" in text
