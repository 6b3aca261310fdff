"""Nobody learns a secret before the end, nor a place under totals (R3.4, R4.8, D22).

Whole duels are played with every byte kept that left the site, and then searched. The codes guessed come near the
numbers searched for, and are never the numbers themselves until the last.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import pytest

from matches.core.sight import commitment
from players.models import User
from tests.builders import ALL_TERMS, SECRETS, Api, Duel, Page, dump, person, signed_in, tables
from tests.matches.conftest import Dial, Sent
from tests.matches.lines import PASSING as PASSING_FRAMES
from tests.matches.lines import Line, by_cookie, by_token

VIEWERS = ("ada", "bob", "watcher", "nobody")
NEAR_MISSES = ("31605", "90781", "13650", "97018")
"""Ada's and bob's guesses in turn: lawful everywhere, all digits right, never the number itself."""

INSTANT = re.compile(r"(?<![0-9])1[0-9]{12}(?![0-9])")
MARK_CLASS = re.compile(r'class=\\?"[^"]*\b(?:exact|present|absent)\b')

Heard = dict[str, list[str]]


def at_home(viewer: str) -> str:
    """Kept apart: the home page shows an example with marks, whatever is played."""
    return f"{viewer} at home"


def whole(response: Page) -> str:
    """Status, headers, cookies and body."""
    headers = "".join(f"{name}: {value}\n" for name, value in response.items())
    return f"{response.status_code}\n{headers}{response.cookies.output()}\n{response.content.decode()}"


class Stage:
    """All who see one public match, each with a browser, the interface and both sockets; all they are sent is kept."""

    def __init__(self, dial: Dial, duel: Duel, watcher: User) -> None:
        self.dial, self.duel = dial, duel
        self.users: dict[str, User | None] = dict(zip(VIEWERS, [*duel.players, watcher, None], strict=True))
        self.browsers = {name: signed_in(user) for name, user in self.users.items()}
        self.apis = {name: Api(user) for name, user in self.users.items()}
        self.heard: Heard = defaultdict(list)
        self.lines = {name: [self.open(name, page=page) for page in (False, True)] for name in VIEWERS}
        self.sinces = cycle((None, 1, 1))
        self.ways = cycle((self.by_socket, self.by_interface, self.by_form, self.by_page))

    def open(self, name: str, *, page: bool, since: int | None = None) -> Line:
        user = self.users[name]
        headers = by_cookie(user) if user is None or page else by_token(user)
        return self.dial(self.duel, headers=headers, page=page, since=since)

    def keep(self, name: str, *responses: Page) -> None:
        self.heard[name] += map(whole, responses)

    def look(self) -> None:
        """Everybody reloads, asks for all there is, and opens every kind of socket anew beside the old one."""
        for name in VIEWERS:
            browser, api = self.browsers[name], self.apis[name]
            shown, seen = browser.get(f"/m/{self.duel.id}/"), api.get(f"/matches/{self.duel.id}")
            assert (shown.status_code, seen.status) == (200, 200)
            self.keep(name, shown, seen.response, api.get("/matches?mine=live").response)
            self.keep(at_home(name), browser.get("/"))
            for page in (False, True):
                with self.open(name, page=page, since=next(self.sinces)) as again:
                    again.rest(0.02)
                    self.heard[name] += again.heard

    def hear(self) -> Heard:
        """All that has been sent to each since the last time."""
        for name, lines in self.lines.items():
            for line in lines:
                line.rest(0.05)
                self.heard[name] += line.heard
                line.heard = []
        heard, self.heard = self.heard, defaultdict(list)
        return heard

    def by_socket(self, name: str, verb: str, fields: dict[str, Any]) -> None:
        assert self.lines[name][0].ask(verb, **fields)["type"] == "ok"

    def by_page(self, name: str, verb: str, fields: dict[str, Any]) -> None:
        assert self.lines[name][1].ask(verb, **fields)["type"] == "ok"

    def by_interface(self, name: str, verb: str, fields: dict[str, Any]) -> None:
        call = {"guess": "guesses"}.get(verb, verb)
        answer = self.apis[name].post(f"/matches/{self.duel.id}/{call}", fields)
        assert answer.code is None
        self.keep(name, answer.response)

    def by_form(self, name: str, verb: str, fields: dict[str, Any]) -> None:
        response = self.browsers[name].post(f"/m/{self.duel.id}/{verb}/", fields)
        assert response.status_code == 302
        self.keep(name, response)

    def act(self, seat: int, verb: str, **fields: Any) -> None:
        """Every time by another way."""
        next(self.ways)(VIEWERS[seat], verb, fields)

    def be_refused(self) -> None:
        """What is not possible, by everybody, by every way."""
        for name in VIEWERS:
            for verb, body in (
                ("guesses", {"code": "0246"}),
                ("secret", {"code": "02468"}),
                ("rematch", None),
            ):
                self.keep(name, self.apis[name].post(f"/matches/{self.duel.id}/{verb}", body).response)
            self.keep(name, self.browsers[name].post(f"/m/{self.duel.id}/guess/", {"code": "1"}))
            assert {line.ask("guess", code="²2468")["type"] for line in self.lines[name]} == {"refused"}


@dataclass(frozen=True)
class Tale:
    """A duel that has been played: what each was sent before the last move and after, and what stayed inside."""

    totals: bool
    salts: tuple[str, str]
    commitments: tuple[str, str]
    before: Heard
    after: Heard
    logs: list[str]
    messages: list[str]
    rows: dict[str, list[dict[str, str]]]

    def searched(self, texts: Iterable[str]) -> str:
        """One text, in which only instants and commitments are blotted out: five of their digits are no secret."""
        text = INSTANT.sub("<instant>", "\n".join(texts))
        for promise in self.commitments:
            text = text.replace(promise, "<commitment>")
        return text

    def found(self, texts: Iterable[str], *, own: int | None = None) -> list[str]:
        """Numbers and salts that stand in `texts`, less the number of `own`."""
        text = self.searched(texts)
        words = [secret for seat, secret in enumerate(SECRETS) if seat != own]
        # Within a longer run of letters and digits (an address in memory, a key) it is chance and tells nothing.
        return [
            word
            for word in (*words, *self.salts)
            if re.search(rf"(?<![0-9a-zA-Z]){word}(?![0-9a-zA-Z])", text)
        ]


def play(dial: Dial, sent: Sent, logged: list[str], preset: str, asked: dict[str, Any]) -> Tale:
    duel = Duel(preset, **asked)
    stage = Stage(dial, duel, person("cleo"))
    stage.act(0, "secret", code=SECRETS[0])
    stage.look()
    stage.act(1, "secret", code=SECRETS[1])
    if preset == "classic":
        for seat in (0, 1):
            stage.act(seat, "confirm")
    for number, code in enumerate(NEAR_MISSES):
        stage.act(number % 2, "guess", code=code)
        if number == 1:
            stage.be_refused()
    stage.look()
    before, rows = stage.hear(), dump(tables())
    stage.act(0, "guess", code=SECRETS[1])
    stage.look()
    state = duel.state
    return Tale(
        totals=state.terms.feedback == "totals",
        salts=tuple(salt for _, salt in duel.row.secrets),
        commitments=tuple(map(commitment, state.seats)),  # type: ignore[arg-type]
        before=before,
        after=stage.hear(),
        logs=logged,
        messages=[json.dumps(message) for _, message in sent],
        rows=rows,
    )


TALES: dict[str, Tale] = {}
"""Each is played once and searched by many tests."""


@pytest.fixture(params=ALL_TERMS, ids=lambda term: "-".join([term[0], *map(str, term[1].values())]))
def tale(request: pytest.FixtureRequest, dial: Dial, sent: Sent, logged: list[str]) -> Tale:
    key = str(request.param)
    if key not in TALES:
        TALES[key] = play(dial, sent, logged, *request.param)
    return TALES[key]


def test_no_byte_holds_anothers_number_or_a_salt_before_the_end(tale: Tale) -> None:
    """R4.8, D22: reloads, reconnections and refusals included. One's own number one may see."""
    own = {"ada": 0, "bob": 1}
    for viewer in VIEWERS:
        heard = tale.before[viewer] + tale.before[at_home(viewer)]
        assert len(heard) > 20
        assert (viewer, tale.found(heard, own=own.get(viewer))) == (viewer, [])


def test_after_the_end_both_numbers_and_salts_are_shown_to_everybody(tale: Tale) -> None:
    """R5.5, R4.8"""
    for viewer in VIEWERS:
        assert (viewer, tale.found(tale.after[viewer])) == (viewer, [*SECRETS, *tale.salts])


def test_marks_are_told_where_the_terms_give_them_and_nowhere_else(tale: Tale) -> None:
    """R3.4, R3.5: under totals no mark in any event, no class of a tile or a key."""
    for viewer in VIEWERS:
        heard = tale.searched(tale.before[viewer])
        marked = bool(re.search(r'"marks": ?"', heard)), bool(MARK_CLASS.search(heard))
        assert (viewer, marked) == (viewer, (not tale.totals, not tale.totals))
        assert '"exact"' in heard


def test_no_log_line_holds_a_number_or_a_salt(tale: Tale) -> None:
    """D22: at the most talkative level."""
    assert any("/m/" in line for line in tale.logs)
    assert tale.found(tale.logs) == []


def test_no_message_between_processes_holds_a_number_or_a_salt(tale: Tale) -> None:
    """design.md: not even the one that tells of the last guess and the end."""
    assert len(tale.messages) > 8
    assert tale.found(tale.messages) == []


def test_a_dump_of_the_database_shows_them_in_their_column_and_their_commits_only(tale: Tale) -> None:
    """D22, while the match is live: all tables, all columns."""
    places = set()
    for table, rows in tale.rows.items():
        for row in rows:
            places |= {(table, column, row.get("kind")) for column, text in row.items() if tale.found([text])}
    assert places == {("matches_match", "secrets", None), ("matches_event", "data", "ready")}


# Two matches that differ in nothing but places

ALIKE = [term for term in ALL_TERMS if "positions" not in term[1].values()]
TWINS = ("12670", "67845")
PROBES = ("12345", "54321")
"""Each probe earns the same two numbers against both twins, and marks in other places."""

PASSING = re.compile(
    r"1[0-9]{12}|[0-9a-f]{64}|[0-9]+:[0-9]{2}"  # instants, commitments, clocks
    r'|(?<=ms":)[0-9]+|(?<=ms": )[0-9]+|(?<=clocks":\[)[0-9]+,[0-9]+|(?<=clock=\\")[0-9]+|(?<=clock=")[0-9]+'
    r'|(?<=ref" value=")[^"]*|(?<=ref\\" value=\\")[^"]*|(?<=middlewaretoken" value=")[^"]*'
    r"|(?:csrftoken|sessionid)=[^;]*"
    r'|(?<=X-CSRFToken":")[^"]*'
    r"|(?:Expires|Content-Length): [^\n]*|expires=[^;]*|line-[0-9]+"
)


def told_of(
    dial: Dial, players: tuple[User, User], secret: str, preset: str, asked: dict[str, Any]
) -> list[str]:
    """Everything ada is sent of a match in which she probes for `secret`, less what passes."""
    duel = Duel(preset, players=players, **asked).start(SECRETS[0], secret)
    ada = players[0]
    lines = [dial(duel, headers=by_cookie(ada), page=page) for page in (False, True)]
    for line in lines:
        line.rest()
    for number, probe in enumerate(PROBES):
        assert lines[0].ask("guess", code=probe)["type"] == "ok"
        for line in lines:
            line.event("guess")
        duel.guess(1, NEAR_MISSES[number])
        for line in lines:
            line.event("guess")
    for line in lines:
        line.close()
    responses = signed_in(ada).get(f"/m/{duel.id}/"), Api(ada).get(f"/matches/{duel.id}").response
    frames = [text for line in lines for text in line.heard if json.loads(text)["type"] not in PASSING_FRAMES]
    texts = [*frames, *map(whole, responses)]
    assert len(texts) > 10
    return [PASSING.sub("·", text.replace(duel.id, "<id>")) for text in texts]


@pytest.mark.parametrize(("preset", "asked"), ALIKE)
def test_under_totals_two_numbers_with_the_same_totals_look_the_same_in_every_byte(
    by_messages_alone: None, dial: Dial, preset: str, asked: dict[str, Any]
) -> None:
    """R3.4: no mark, no colour, no order, no class name, nothing that this search has not thought of."""
    players = person("ada"), person("bob")
    one, two = (told_of(dial, players, secret, preset, asked) for secret in TWINS)
    assert one == two


def test_per_position_the_same_two_numbers_do_differ(by_messages_alone: None, dial: Dial) -> None:
    """So that the test before proves something."""
    players = person("ada"), person("bob")
    one, two = (told_of(dial, players, secret, "duel", {"feedback": "positions"}) for secret in TWINS)
    assert one != two
    assert len(one) == len(two)


# Those who may see nothing at all


def test_an_outsider_hears_nothing_of_a_private_match(dial: Dial) -> None:
    """D22, D23: page, interface, both sockets: not even that it is there."""
    duel = Duel(public=False).start()
    for user in (person("cleo"), None):
        headers = by_cookie(user)
        assert not any(dial(duel, headers=headers, page=page).open for page in (False, True))
        texts = [
            whole(signed_in(user).get(f"/m/{duel.id}/")),
            whole(signed_in(user).post(f"/m/{duel.id}/guess/", {"code": "24680"})),
            whole(Api(user).get(f"/matches/{duel.id}").response),
            whole(Api(user).post(f"/matches/{duel.id}/guesses", {"code": "24680"}).response),
        ]
        assert [text.split("\n")[0] for text in texts] == ["404", "404", "404", "404" if user else "401"]
        assert not any(name in text for text in texts for name in (">ada", ">bob", '"ada', '"bob', *SECRETS))


# Staff

OF_A_MATCH = ("change/", "history/", "delete/")


@pytest.fixture
def staff(db: None) -> Any:
    return signed_in(person("root", is_staff=True, is_superuser=True))


def test_the_admin_of_a_live_match_shows_neither_number_nor_salt(staff: Any) -> None:
    """D22: list, match, history, search, and the players' own pages."""
    duel = Duel("duel", feedback="totals").start()
    duel.guess(0, "31605")
    base = "/admin/matches/match/"
    paths = [f"{base}{duel.id}/{page}" for page in OF_A_MATCH] + [base, f"{base}?q=ada", "/admin/"]
    paths += [f"/admin/players/user/{player.pk}/{page}" for player in duel.players for page in OF_A_MATCH]
    texts = {path: staff.get(path).content.decode() for path in paths}
    assert duel.id in texts[base]
    salts = [salt for _, salt in duel.row.secrets]
    words = (*SECRETS, *salts, "31605", "EEEPP")
    assert {path: word for path, text in texts.items() for word in words if word in text} == {}
    assert not any(f"/{duel.id}/" in staff.get(f"{base}?q={code}").content.decode() for code in SECRETS)


LOOKUPS = (
    "secrets__icontains={}",
    "secrets__0__0={}",
    "secrets__0__0__startswith={}",
    "state__icontains={}",
    "events__data__code={}",
    "events__data__icontains={}",
)


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_the_admins_filters_answer_no_question_about_a_number(staff: Any, lookup: str) -> None:
    """D22: a list that is filtered by what may not be shown tells it, one question at a time."""
    duel = Duel().start()
    answers = [
        staff.get(f"/admin/matches/match/?{lookup.format(guess)}") for guess in (f"{SECRETS[0]}", "11111")
    ]
    shown = [
        response.status_code == 200 and f"/{duel.id}/" in response.content.decode() for response in answers
    ]
    assert shown[0] == shown[1]


def test_nobody_edits_a_match_in_the_admin(staff: Any) -> None:
    """D26: to look at, never to edit."""
    duel = Duel().start()
    before = dump()
    for page in ("change/", "delete/"):
        staff.post(f"/admin/matches/match/{duel.id}/{page}", {"status": "over", "public": "", "post": "yes"})
    staff.post("/admin/matches/match/add/", {"id": "aaaaaaaa"})
    staff.post(
        "/admin/matches/match/", {"action": "delete_selected", "_selected_action": duel.id, "post": "yes"}
    )
    assert dump() == before
