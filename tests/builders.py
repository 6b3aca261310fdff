"""People, matches and time for tests with a database, all through the site's own verbs. Asks nothing of a folder."""

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Self

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.utils import translation

from lobby import services as lobby
from lobby.models import Invitation
from matches import choices, codec, services, store
from matches.core.machine import Ended, Refused, State, due_event, other
from matches.core.terms import Start, Terms, agree
from matches.models import Event, Match
from matches.services import Done
from matches.wire import Order
from players.models import Kind, User
from players.problems import STATUS
from players.services import issue_token

Page = Any
"""What Django's test client answers with; the stubs keep its type to themselves."""

S = 1_000
MIN = 60 * S
HOUR = 60 * MIN
ORIGIN = "http://testserver"

ALL_TERMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("duel", {"feedback": "positions"}),
    ("duel", {"feedback": "totals"}),
    ("probe", {"feedback": "positions"}),
    ("probe", {"feedback": "totals"}),
    ("classic", {}),
)
"""Every preset with every feedback it may have."""

SECRETS = ("90718", "31650")
"""By seat, those of D22: all different, one of them with a zero first once it has four digits less its own first."""
WRONG = "24680"
"""A guess that is lawful under all terms, and no part of either secret."""


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    """A request leaves its language behind in the thread: none carries over from test to test."""
    yield
    translation.deactivate()


# People


def person(name: str, kind: Kind = Kind.HUMAN, **fields: Any) -> User:
    return User.objects.create_user(username=name, kind=kind, **fields)


def people() -> list[User]:
    """Everybody but the bots, who are always there."""
    return list(User.objects.exclude(kind=Kind.BOT).order_by("pk"))


def the_one() -> User:
    """Whoever there is, if it is one."""
    (one,) = people()
    return one


def bearer(user: User) -> dict[str, str]:
    return {"Authorization": f"Bearer {issue_token(user)}"}


def signed_in(user: User | None, **settings: Any) -> Client:
    """A browser with that player's cookie, or nobody's."""
    client = Client(**settings)
    if user is not None:
        client.force_login(user)
    return client


@dataclass(frozen=True)
class Answer:
    """What the API said. `code` is that of a problem, which is looked at from all sides; None for success."""

    response: Page

    @property
    def status(self) -> int:
        return int(self.response.status_code)

    @property
    def body(self) -> Any:
        return json.loads(self.response.content) if self.response.content else None

    @property
    def code(self) -> str | None:
        if self.status < 400:
            return None
        body = self.body
        assert self.response["Content-Type"] == "application/problem+json"
        assert set(body) == {"type", "title", "status", "detail", "code"}
        assert body["status"] == self.status == STATUS[body["code"]]
        assert body["detail"]
        assert (self.response.get("WWW-Authenticate") == "Bearer") == (self.status == 401)
        return str(body["code"])


class Api:
    """The public interface as one caller sees it: by token, or as nobody."""

    def __init__(self, user: User | None = None, *, client: Client | None = None, **headers: str) -> None:
        self.client = client or Client()
        self.headers = headers if user is None else {**bearer(user), **headers}

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """`body` goes as JSON, bytes as they are. A header's name may have `_` for `-`."""
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        sent = {name.replace("_", "-"): value for name, value in {**self.headers, **headers}.items()}
        return Answer(self.client.generic(method, f"/api/v1{path}", raw, "application/json", headers=sent))

    def get(self, path: str, **headers: str) -> Answer:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        return self.call("POST", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Answer:
        return self.call("DELETE", path, **headers)


# Matches


def terms_of(preset: str = "duel", **asked: Any) -> Terms:
    return agree({"preset": preset, **asked}, choices.menus())


def invitation_of(owner: User, preset: str = "duel", **asked: Any) -> Invitation:
    return lobby.invite(owner, terms_of(preset, **asked))


class Duel:
    """A match of ada (seat 0) against bob, who act through the site's verbs. Ada moves first unless told otherwise."""

    def __init__(
        self,
        preset: str = "duel",
        *,
        players: tuple[User, User] | None = None,
        public: bool = True,
        first: int | None = 0,
        length: int = 5,
        **asked: Any,
    ) -> None:
        self.players = players or (person("ada"), person("bob"))
        terms = terms_of(preset, length=length, **asked)
        self.id = services.create_match(terms, self.players, public=public, first=first).pk

    @property
    def row(self) -> Match:
        return Match.objects.get(pk=self.id)

    @property
    def state(self) -> State:
        return store.state_of(self.row)

    @property
    def kinds(self) -> list[str]:
        """Its events, in the order of their versions."""
        return list(Event.objects.filter(match_id=self.id).values_list("kind", flat=True))

    @property
    def ending(self) -> tuple[str, int | None, str] | None:
        result = self.state.result
        return (result.outcome, result.winner, result.reason.value) if result else None

    def secret(self, seat: int) -> str:
        return SECRETS[seat][: self.state.terms.length]

    def wrong(self) -> str:
        return WRONG[: self.state.terms.length]

    def do(self, seat: int, verb: str, **fields: Any) -> Done:
        return services.obey(self.id, seat, Order(verb, **fields))

    def refused(self, seat: int, verb: str, **fields: Any) -> str | None:
        """The word of the refusal; None if there was none."""
        try:
            self.do(seat, verb, **fields)
        except Refused as refused:
            return refused.refusal.value
        return None

    def commit(self, seat: int, code: str | None = None, **fields: Any) -> Done:
        return self.do(seat, "secret", code=code or self.secret(seat), **fields)

    def guess(self, seat: int, code: str | None = None, **fields: Any) -> Done:
        return self.do(seat, "guess", code=code or self.wrong(), **fields)

    def arrive(self, *seats: int) -> Self:
        """A socket opens for each: without one, a seat is away and its grace runs (R5.3)."""
        for seat in seats:
            services.connect(self.id, seat, secrets.token_hex(16))
        return self

    def start(self, *codes: str) -> Self:
        """Both commit (and confirm): play begins."""
        for seat in (0, 1):
            self.commit(seat, codes[seat] if codes else None)
        if self.state.terms.start is Start.CONFIRM:
            for seat in (0, 1):
                self.do(seat, "confirm")
        assert self.state.status == "playing"
        return self

    def end(self) -> Self:
        """Ada resigns."""
        self.do(0, "resign")
        return self

    def follow(self) -> "Duel":
        """The rematch, once it has been made."""
        made = Match.objects.get(rematch_of=self.id)
        duel = object.__new__(Duel)
        first, second = (seat.player for seat in made.seats.select_related("player"))
        assert first is not None
        assert second is not None
        duel.id, duel.players = made.pk, (first, second)
        return duel

    @property
    def due(self) -> Ended:
        """What ends it if nobody does anything more."""
        due = due_event(self.state)
        assert due is not None
        return due

    def wait_for_due(self, ms: int) -> Self:
        """Let pass what is left until something falls due, and `ms` more."""
        return self.wait(self.due.at - store.now_ms() + ms)

    def wait(self, ms: int) -> Self:
        """Let `ms` pass for this match alone, by moving all of it into the past: no database lets its clock be set."""
        row = self.row
        state = _earlier(store.state_of(row), ms)
        row.state = codec.state_to_json(state)
        due = due_event(state)
        row.deadline_at = due.at if due else None
        row.created_at -= timedelta(milliseconds=ms)
        row.save()
        Event.objects.filter(match=row).update(at=F("at") - ms)
        return self


def _earlier(state: State, ms: int) -> State:
    first, second = (
        replace(
            seat,
            seen_at=seat.seen_at - ms,
            guesses=tuple(replace(guess, at=guess.at - ms) for guess in seat.guesses),
        )
        for seat in state.seats
    )
    return replace(
        state,
        clocks=replace(state.clocks, at=state.clocks.at - ms),
        seats=(first, second),
        until=None if state.until is None else state.until - ms,
        result=None if state.result is None else replace(state.result, at=state.result.at - ms),
        at=state.at - ms,
    )


def movers(duel: Duel) -> Iterator[int]:
    """Who is to move, again and again."""
    seat = duel.state.first
    while True:
        yield seat
        seat = other(seat)


# Rows

GAME = ("matches_match", "matches_event", "matches_seat", "lobby_invitation")


def dump(tables: tuple[str, ...] = GAME) -> dict[str, list[dict[str, str]]]:
    """Every row of these tables, every column as text."""
    found = {}
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f'SELECT * FROM "{table}" ORDER BY 1')
            names = [column[0] for column in cursor.description]
            found[table] = [dict(zip(names, map(str, row), strict=True)) for row in cursor.fetchall()]
    return found


def tables() -> tuple[str, ...]:
    with connection.cursor() as cursor:
        return tuple(connection.introspection.table_names(cursor))
