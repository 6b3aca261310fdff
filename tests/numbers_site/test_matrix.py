"""Every address, call and socket against every kind of caller, as `matrix.txt` says.

What is asked is read from the addresses themselves, so that a new one without a line fails, and says which line to add.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from lobby import services as lobby
from matches.wire import VERBS
from numbers_site.api import api
from numbers_site.routing import websockets
from players import moderation
from players.models import ApiToken, Kind, User
from tests.builders import ORIGIN, Duel, bearer, invitation_of, person, signed_in, terms_of
from tests.matches.conftest import fresh_process, heart, loop
from tests.matches.lines import Line, Loop
from tests.tournaments.builders import Cup

__all__ = ["fresh_process", "heart", "loop"]

CALLERS = ("nobody", "guest", "player", "opponent", "spectator", "suspended", "moderator", "superuser")
"""The player and the opponent play each other; what is offered or made is the player's. Others have no part in it."""
LINES = Path(__file__).with_name("matrix.txt")
SIGN_IN = ("/account/signin/", "/admin/login/")


@dataclass(frozen=True)
class Row:
    """One line: how, what, in which of its states; and what each caller is answered."""

    method: str
    name: str
    words: tuple[str, ...]
    answers: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.method, self.name, *self.words))


def read_rows() -> Iterator[Row]:
    for line in LINES.read_text().splitlines():
        asked, _, answers = line.partition("#")[0].partition(" : ")
        if asked.strip():
            method, name, *words = asked.split()
            said = answers.split()
            assert len(said) in (1, len(CALLERS)), line
            yield Row(method, name, tuple(words), tuple(said * (len(CALLERS) // len(said))))


ROWS = tuple(read_rows())


def is_a_call(name: str) -> bool:
    return name.startswith("/api/v1/")


# What there is to ask


def pages() -> Iterator[str]:
    """The name of every address, or itself where it has none; but for calls, which their own document lists, and for
    what the admin leaves unnamed."""
    yield from _named(get_resolver().url_patterns, "")


def _named(patterns: list[Any], space: str) -> Iterator[str]:
    for one in patterns:
        if isinstance(one, URLResolver):
            inner = f"{one.namespace}:" if one.namespace else ""
            yield from _named(one.url_patterns, space + inner)
        elif isinstance(one, URLPattern) and not _is_of_a_call(space, one.name or ""):
            if one.name:
                yield space + one.name
            elif not space:
                yield f"/{one.pattern}"


def _is_of_a_call(space: str, name: str) -> bool:
    return space.startswith("api-") and name not in ("openapi-json", "openapi-view", "api-root")


def calls() -> Iterator[tuple[str, str]]:
    for path, operations in api.get_openapi_schema()["paths"].items():
        for method in operations:
            yield method.upper(), path


def sockets() -> Iterator[str]:
    for route in websockets.routes:
        if isinstance(route, URLPattern) and str(route.pattern).startswith("ws/"):
            yield re.sub(r"<\w+:(\w+)>", r"{\1}", str(route.pattern))


# Somebody of each kind, and one of everything


class Scene:
    def __init__(self) -> None:
        self.people: dict[str, User | None] = {"nobody": None}
        for name in CALLERS[1:]:
            kind = Kind.GUEST if name == "guest" else Kind.HUMAN
            self.people[name] = person(name.capitalize(), kind, password="correct-horse-9")
        self._promote()
        player, opponent = self.one("player"), self.one("opponent")
        pair = (player, opponent)
        self.duels = {
            "open": Duel(players=pair).start(),
            "new": Duel(players=pair),
            "link": Duel(players=pair, public=False).start(),
            "over": Duel(players=pair).start().end(),
        }
        for duel in self.duels.values():
            duel.arrive(0, 1)
        self.challenge = lobby.challenge(player, opponent, terms_of("probe")).pk
        self.invitation = invitation_of(player).pk
        self.cups = {
            "public": Cup([], player, name="Public cup").id,
            "private": Cup([], player, name="Private cup", private=True).id,
        }
        self.seek = lobby.open_seek(player, terms_of("classic"), lasting=True).pk
        self.token = ApiToken.objects.create(user=player, digest="0" * 64).pk
        self.clients = {name: signed_in(user) for name, user in self.people.items()}
        self.tokens = {name: bearer(user) if user else {} for name, user in self.people.items()}
        moderation.suspend(self.one("suspended"), None, "plays for two")

    def one(self, name: str) -> User:
        user = self.people[name]
        assert user is not None
        return user

    def _promote(self) -> None:
        User.objects.filter(pk=self.one("superuser").pk).update(is_staff=True, is_superuser=True)
        User.objects.filter(pk=self.one("moderator").pk).update(is_staff=True)
        self.one("moderator").user_permissions.add(Permission.objects.get(codename="moderate"))

    def fill(self, name: str, words: tuple[str, ...]) -> dict[str, Any]:
        """What stands in an address, as far as these words say: a match `open`, by `link` or `over`; a `verb`."""
        duel = next((self.duels[word] for word in words if word in self.duels), self.duels["open"])
        cup = "private" if "private" in words else "public"
        model = (
            name.removeprefix("admin:").rsplit("_", 1)[0].partition("_")
            if name.startswith("admin:")
            else None
        )
        return {
            "match_id": duel.id,
            "seek_id": self.seek,
            "challenge_id": self.challenge,
            "token": self.invitation,
            "tournament_id": self.cups[cup],
            "token_id": self.token,
            "name": "Opponent",
            "verb": words[-1] if words else "",
            "act": "nothing",
            "version": 1,
            "day": timezone.now().date(),
            "language": "en",
            "uidb36": "1",
            "key": "set-password",
            "app_label": "players",
            "content_type_id": 1,
            "object_id": _first_of(*model[::2]) if model else 1,
            "id": _first_of("players", "user"),
        }


def _first_of(app: str, model: str) -> object:
    """The key of some row of the admin's."""
    try:
        found = apps.get_model(app, model)._default_manager.order_by("pk").first()
    except LookupError:
        return 1
    return found.pk if found else 1


def address(row: Row, scene: Scene) -> str:
    fields = scene.fill(row.name, row.words)
    if row.name.startswith(("/", "ws/")):
        filled = re.sub(r"{(?:\w+:)?(\w+)}", lambda field: str(fields[str(field[1])]), row.name)
        return filled + QUERY.get(row.name, "")
    # What an address takes is asked of itself: of all that is at hand, what it has a place for.
    places = {place for ways in _places(row.name) for place in ways}
    return reverse(row.name, kwargs={place: fields[place] for place in places})


def _places(name: str) -> list[list[str]]:
    resolver: Any = get_resolver()
    *spaces, last = name.split(":")
    for space in spaces:
        _prefix, resolver = resolver.namespace_dict[space]
    return [places for ways in resolver.reverse_dict.getlist(last) for _way, places in ways[0]]


# What is sent

TERMS = {"preset": "duel", "length": 5}
FORM = {"preset": "duel", "duel-length": "5"}
SENT: dict[str, Any] = {
    "secret": {"code": "90718"},
    "guess": {"code": "24680"},
    "guesses": {"code": "24680"},
    "play-bot": {"level": "easy"},
    "set_language": {"language": "it"},
    "account-choices": {"language": "en", "theme": "dark", "sound": "on"},
    "account-email": {"email": "new@example.org", "password": "correct-horse-9"},
    "account-tokens": {"label": "a bot"},
    "account-delete": {"password": "correct-horse-9", "sure": "on"},
    "account_signup": {"username": "Somebody", "password1": "correct-horse-9"},
    "account_login": {"login": "Spectator", "password": "correct-horse-9"},
    "account_change_password": {
        "oldpassword": "correct-horse-9",
        "password1": "other-horse-9",
        "password2": "other-horse-9",
    },
    "account_reset_password": {"email": "nobody@example.org"},
    "seek-open": FORM,
    "challenge": FORM,
    "invite": FORM,
    "tournament-new": {
        "name": "New cup",
        "day": "2030-01-01",
        "hour": "12:00",
        "zone": "UTC",
        "maximum": "8",
        **FORM,
    },
    "/api/v1/seeks": TERMS,
    "/api/v1/challenges": {"opponent": "Opponent", "terms": TERMS},
    "/api/v1/invitations": {"terms": TERMS},
    "/api/v1/tournaments": {"name": "New cup", "terms": TERMS, "starts_at": "2030-01-01T12:00:00Z"},
}


QUERY = {"/api/v1/matches": "?mine=live"}


def sent_with(row: Row) -> Any:
    return (
        SENT.get(row.name)
        or SENT.get((row.words or ("",))[-1])
        or SENT.get(row.name.rsplit("/", 1)[-1])
        or {}
    )


def ask(row: Row, caller: str, scene: Scene) -> str:
    """What this caller is answered; nothing of it stays."""
    client = scene.clients[caller]
    cookies: Any = client.cookies.copy()
    try:
        with transaction.atomic():
            answer = _send(row, caller, scene, Client() if is_a_call(row.name) else client)
            transaction.set_rollback(True)
    finally:
        client.cookies = cookies
    led_to = answer.get("Location", "").partition("?")[0]
    if answer.status_code == 302 and led_to in SIGN_IN:
        return "in"
    return str(answer.status_code)


def _send(row: Row, caller: str, scene: Scene, client: Client) -> Any:
    path, body = address(row, scene), sent_with(row) if row.method == "POST" else {}
    if is_a_call(row.name):
        raw = json.dumps(body).encode() if row.method == "POST" else b""
        return client.generic(row.method, path, raw, "application/json", headers=scene.tokens[caller])
    return client.post(path, body) if row.method == "POST" else client.generic(row.method, path)


@pytest.fixture
def scene(db: None, settings: Any) -> Scene:
    settings.LIMITS, settings.ACCOUNT_RATE_LIMITS = False, False
    return Scene()


def fits(said: str, expected: str) -> bool:
    if expected == "-":
        return True
    if expected == "*":
        return said.isdigit() and int(said) < 500
    return said in expected.split("/")


def line_for(method: str, name: str) -> Row | None:
    """The first line that fits, for addresses that have none of their own."""
    exact = [row for row in ROWS if row.method == method and row.name == name]
    alike = [row for row in ROWS if row.method == method and "*" in row.name and fnmatchcase(name, row.name)]
    return next(iter([*exact, *alike]), None)


def asked_over_http() -> list[Row]:
    """Every line, and those of `*` once for each address they stand for."""
    own = [row for row in ROWS if row.method not in ("WS", "SAY") and "*" not in row.name]
    for name in dict.fromkeys(pages()):
        for method in ("GET", "POST"):
            row = line_for(method, name)
            if row and row.name != name:
                own.append(replace(row, name=name))
    return own


def test_every_address_call_and_socket_has_a_line() -> None:
    lacking = [
        name for name in dict.fromkeys(pages()) if not line_for("GET", name) and not line_for("POST", name)
    ]
    lacking += [f"{method} {path}" for method, path in calls() if not line_for(method, path)]
    lacking += [f"WS {path}" for path in sockets() if not line_for("WS", path)]
    lacking += [f"SAY {verb}" for verb in VERBS if not line_for("SAY", verb)]
    assert not lacking, f"add a line to {LINES.name} that says who is answered what: {lacking}"


def test_every_line_is_of_something_there_is() -> None:
    there = {*pages(), *(path for _method, path in calls()), *sockets(), *VERBS}
    stale = [row for row in ROWS if not any(fnmatchcase(name, row.name) for name in there)]
    assert not stale, f"take away from {LINES.name}: {[str(row) for row in stale]}"


def section(row: Row) -> str:
    return "calls" if is_a_call(row.name) else "admin" if row.name.startswith("admin:") else "pages"


@pytest.mark.parametrize("part", ["pages", "admin", "calls"])
def test_every_caller_is_answered_as_the_table_says(scene: Scene, part: str) -> None:
    """Private matches and tournaments as if they were not there (D19); others' matches are not one's own (D23)."""
    wrong = []
    for row in (row for row in asked_over_http() if section(row) == part):
        said = [
            "-" if expected == "-" else ask(row, caller, scene)
            for caller, expected in zip(CALLERS, row.answers, strict=True)
        ]
        if not all(map(fits, said, row.answers)):
            wrong.append(f"{row} : {' '.join(said)}    # the table says: {' '.join(row.answers)}")
    assert not wrong, told(wrong)


def test_what_has_no_line_is_no_way_to_ask(scene: Scene) -> None:
    found = []
    for name in dict.fromkeys(pages()):
        for method in ("GET", "POST"):
            if line_for(method, name) is None:
                words = line_for("POST" if method == "GET" else "GET", name)
                row = Row(method, name, words.words if words else (), ())
                if ask(row, "player", scene) != "405":
                    found.append(f"{row} : {' '.join(ask(row, caller, scene) for caller in CALLERS)}")
    assert not found, f"no line, and answered; if this is right, write it down{told(found)}"


def test_no_page_is_posted_to_without_its_token(scene: Scene) -> None:
    """Whatever the address: the check comes before the view. Calls by cookie are no exception."""
    session: Any = scene.clients["superuser"].cookies
    for name in dict.fromkeys(pages()):
        strict = Client(enforce_csrf_checks=True)
        strict.cookies = session.copy()
        words = line_for("POST", name) or line_for("GET", name)
        path = address(Row("POST", name, words.words if words else (), ()), scene)
        if not name.startswith("api-"):
            assert strict.post(path).status_code == 403, path
    for method, path in calls():
        if method != "GET" and path != "/api/v1/guest":
            strict = Client(enforce_csrf_checks=True)
            strict.cookies = session.copy()
            asked = strict.generic(
                method, address(Row(method, path, (), ()), scene), b"{}", "application/json"
            )
            assert asked.status_code == 403, path


def told(lines: list[str]) -> str:
    return f"\nof {LINES.name} ({' '.join(CALLERS)}):\n" + "\n".join(lines)


# Sockets


@pytest.fixture
def town(transactional_db: None, heart: None, settings: Any) -> Scene:
    settings.LIMITS = False
    return Scene()


def by_page(client: Client) -> dict[str, str]:
    cookie = client.cookies.get("sessionid")
    return {"Origin": ORIGIN, **({"Cookie": f"sessionid={cookie.value}"} if cookie else {})}


def knock(loop: Loop, scene: Scene, path: str, caller: str) -> Line:
    """As programs come where the address is theirs, by token; as pages do elsewhere, by cookie."""
    token = scene.tokens[caller] if "/v1/" in path else {}
    return Line(loop, f"/{path}", token or by_page(scene.clients[caller]))


def test_every_socket_opens_to_whom_the_table_says(town: Scene, loop: Loop) -> None:
    wrong = []
    for row in (row for row in ROWS if row.method == "WS"):
        said = []
        for caller in CALLERS:
            with knock(loop, town, address(row, town), caller) as line:
                said.append("yes" if line.open else "no")
        if tuple(said) != row.answers:
            wrong.append(f"{row} : {' '.join(said)}    # the table says: {' '.join(row.answers)}")
    assert not wrong, told(wrong)


def test_every_command_is_answered_as_the_table_says(town: Scene, loop: Loop) -> None:
    """The opponent speaks before the player: what the one decides is not to be the other's answer."""
    wrong = []
    for row in (row for row in ROWS if row.method == "SAY"):
        said = {caller: _say(row, caller, town, loop) for caller in reversed(CALLERS)}
        answers = [said[caller] for caller in CALLERS]
        if not all(map(fits, answers, row.answers)):
            wrong.append(f"{row} : {' '.join(answers)}    # the table says: {' '.join(row.answers)}")
    assert not wrong, told(wrong)


def _say(row: Row, caller: str, scene: Scene, loop: Loop) -> str:
    """On a match of its own, as `new`, in play or over."""
    pair = (scene.one("player"), scene.one("opponent"))
    duel = Duel(players=pair)
    if row.words != ("new",):
        duel.arrive(0, 1).start()
    if row.words == ("over",):
        duel.end()
    with knock(loop, scene, f"ws/v1/matches/{duel.id}/", caller) as line:
        if not line.open:
            return "-"
        answer = line.ask(row.name, **SENT.get(row.name, {}), phrase=1)
        return str(answer["code"] if answer["type"] == "refused" else "ok")
