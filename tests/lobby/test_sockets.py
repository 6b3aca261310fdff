"""The lobby's sockets: what is open, whom a match waits for, and who is there. Nothing lost, nothing told twice."""

import json
import time
from collections import Counter
from datetime import timedelta
from functools import partial
from statistics import median
from typing import Any

import pytest
from django.utils import timezone
from redis.exceptions import ConnectionError as RedisAway

from lobby import consumers, pages, queries, services
from lobby.models import Seek
from matches.services import create_match
from players import looking
from players.models import Kind, User
from tests.builders import ORIGIN, Api, person, terms_of
from tests.lobby.conftest import Dial, Lossy
from tests.matches.conftest import LAYER, push
from tests.matches.lines import Json, Line, by_cookie

DUEL, PROBE = terms_of(), terms_of("probe")
LOOKED = 1.6
"""Two looks, and what they take."""


@pytest.fixture
def ada(transactional_db: None) -> User:
    return person("ada")


@pytest.fixture
def bob(transactional_db: None) -> User:
    return person("bob")


def seek(owner: User, terms: Any = DUEL, *, lasting: bool = True) -> Seek:
    return services.open_seek(owner, terms, lasting=lasting)


def kinds(frames: list[Json]) -> list[str]:
    return [frame["type"] for frame in frames]


def is_a(kind: str, frame: Json) -> bool:
    return bool(frame["type"] == kind)


def listening(line: Line) -> Line:
    """Once it has been told how things stand: what comes from now on is a change."""
    line.next("seeks")
    return line


def quiet(line: Line) -> list[Json]:
    """All that comes until two looks have passed."""
    return line.rest(LOOKED)


# The public socket


def test_it_begins_with_all_open_seeks_as_the_interface_gives_them(dial: Dial, ada: User, bob: User) -> None:
    seek(ada)
    seek(bob, PROBE, lasting=False)
    line = dial(ada)
    assert line.receive(5) == {"type": "seeks", "seeks": Api().get("/seeks").body}


def test_a_seek_is_told_when_it_opens_and_when_it_goes(dial: Dial, ada: User, bob: User) -> None:
    line = dial(bob)
    assert line.next("seeks")["seeks"] == []
    for leave in ("withdrawn", "taken", "expired"):
        one = seek(ada)
        assert line.next("seek")["seek"] == Api().get("/seeks").body[0]
        if leave == "withdrawn":
            services.withdraw_seek(one.pk, ada.pk)
        elif leave == "taken":
            services.accept_seek(one.pk, person("cleo"))
        else:
            Seek.objects.filter(pk=one.pk).update(expires_at=timezone.now())
        assert line.next("seek_gone") == {"type": "seek_gone", "id": one.pk}


def test_both_are_told_of_their_match_and_nobody_else(dial: Dial, ada: User, bob: User) -> None:
    cleo = person("cleo")
    lines = {who: listening(dial(who)) for who in (ada, bob, cleo)}
    made = services.accept_seek(seek(ada).pk, bob)
    assert [frame for frame in quiet(lines[ada]) if frame["type"] == "match"] == [
        {"type": "match", "match": made}
    ]
    assert lines[bob].next("match")["match"] == made
    assert "match" not in kinds(lines[cleo].rest())


def test_a_challenge_is_told_to_its_two_with_every_answer(dial: Dial, ada: User, bob: User) -> None:
    lines = [listening(dial(ada)), listening(dial(bob))]
    outsider = listening(dial(person("cleo")))
    asked = services.challenge(ada, bob, DUEL)
    for line in lines:
        assert line.next("challenge")["challenge"] == Api(ada).get("/challenges").body[0]
    services.decline_challenge(asked.pk, bob, "later")
    for line in lines:
        told = line.next("challenge")["challenge"]
        assert (told["id"], told["status"], told["reason"]) == (asked.pk, "declined", "later")
    assert quiet(outsider) == []


def test_who_comes_later_is_told_of_the_match_that_waits(dial: Dial, ada: User, bob: User) -> None:
    """Fetched pages, dropped lines: what began while nobody listened is told first of all."""
    made = create_match(DUEL, (ada, bob), public=True).pk
    services.challenge(bob, ada, PROBE)
    assert kinds(dial(ada).rest()) == ["seeks", "challenge", "match"]
    assert [f["match"] for f in dial(bob).rest() if f["type"] == "match"] == [made]


def test_nothing_is_told_twice(dial: Dial, ada: User, bob: User) -> None:
    """Messages may come doubled, and looks come once a second: each thing is said once to each socket."""
    lines = [listening(dial(who)) for who in (bob, bob, ada)]
    one = seek(ada)
    for _ in range(10):
        push(services.GROUP, {"type": "lobby.changed"})
    asked = services.challenge(ada, bob, DUEL)
    for _ in range(10):
        push(services.GROUP, {"type": "lobby.changed"})
    time.sleep(LOOKED)
    made = services.accept_seek(one.pk, bob)
    for line in lines:
        said = Counter(json.dumps(frame) for frame in quiet(line))
        assert set(said.values()) == {1}, said
        frames = [json.loads(frame) for frame in said]
        assert sorted(kinds(frames)) == ["challenge", "match", "seek", "seek_gone"]
        assert {f.get("match") for f in frames} >= {made}
        assert asked.pk in line.told()


def test_what_the_layer_loses_the_next_look_tells(dial: Dial, ada: User, bob: User, lossy: Lossy) -> None:
    """D12: nothing of it arrives, and all is known within 2 s: mostly, since a machine may be busy for a moment."""
    line, took = dial(ada), list[float]()
    line.next("seeks")
    steps: list[tuple[Any, str]] = [
        (lambda: seek(bob), "seek"),
        (lambda: services.challenge(bob, ada, DUEL), "challenge"),
        (lambda: services.accept_seek(Seek.objects.get(fate="open").pk, ada), "match"),
    ]
    for step, kind in steps:
        step()
        done = time.monotonic()
        line.until(partial(is_a, kind))
        took.append(time.monotonic() - done)
    assert median(took) < 2
    assert lossy.kept


def test_news_comes_long_before_the_next_look(
    dial: Dial, ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "LOOK_SECONDS", 30)
    line = dial(ada)
    line.next("seeks")
    time.sleep(0.3)  # the watch listens
    seek(bob)
    line.next("seek")
    monkeypatch.setattr(looking, "LOOK_SECONDS", 0.1)
    line.close()
    push(services.GROUP, {"type": "lobby.changed"})


def test_a_message_of_no_sense_does_no_harm(dial: Dial, ada: User, bob: User) -> None:
    line = listening(dial(ada))
    for message in ({"type": "nonsense"}, {"type": "lobby.changed", "seek": "x"}, {"type": "__call__"}):
        push(services.GROUP, message)
    seek(bob)
    assert line.next("seek")


# Who may listen


@pytest.mark.parametrize("page", [False, True])
@pytest.mark.parametrize("origin", [None, "https://evil.example", "null", "", f"{ORIGIN}.evil.example"])
def test_a_cookie_or_nobody_is_let_in_from_a_page_of_ours_only(
    dial: Dial, ada: User, page: bool, origin: str | None
) -> None:
    """D25"""
    for user in (ada, None):
        assert not dial(headers=by_cookie(user, origin), page=page).open


def test_a_token_that_is_nobodys_is_turned_away(dial: Dial, ada: User) -> None:
    for header in ("Bearer nonsense", "Bearer", "", "Basic YTpi"):
        assert not dial(headers={"Authorization": header, "Origin": ORIGIN}).open


def test_nobody_in_particular_listens_from_a_page_of_ours(dial: Dial, ada: User) -> None:
    """The seeks, and nothing that is anybody's own."""
    lines = [dial(page=True, query="seeks=1"), dial(None)]
    one = seek(ada)
    services.challenge(ada, person("cleo"), DUEL)
    services.accept_seek(one.pk, person("dora"))
    seek(person("emma"))
    for line in lines:
        assert set(kinds(quiet(line))) <= {"seeks", "seek", "seek_gone"}
        assert '"challenge"' not in line.told()


# Frames that come


BAD: list[str | bytes] = [
    "{",
    "[]",
    "null",
    "7",
    '""',
    "",
    '{"type": "x"}',
    '{"type": null}',
    '{"type": "seek"}',
    "\x00",
    b"\xff\x00",
]


@pytest.mark.parametrize("page", [False, True])
def test_whatever_is_sent_is_refused_and_the_socket_stays(
    dial: Dial, ada: User, bob: User, page: bool
) -> None:
    """D20"""
    line = dial(ada, page=page, query="seeks=1")
    line.next("seeks")
    for frame in [*BAD, "[" * 4000, '{"ref": "\\ud800"}']:
        line.send(frame)
        refused = line.next("refused")
        assert (refused["code"], refused["ref"]) == ("bad_request", None)
    line.send({"type": "guess", "ref": "a1"})
    assert line.next("refused")["ref"] == "a1"
    seek(bob)
    assert line.next("seek")


# The pages' own socket


def test_a_page_is_told_in_html_that_goes_where_its_id_says(dial: Dial, ada: User, bob: User) -> None:
    standing = seek(ada)
    line = dial(bob, page=True, query="seeks=1&lang=en")
    first = line.next("seeks")
    assert 'id="seeks" hx-swap-oob="innerHTML"' in first["html"]
    assert f'id="seek-{standing.pk}"' in first["html"]
    one = seek(ada, PROBE)
    pushed = line.next("seek")["html"]
    assert f'id="seek-{one.pk}"' in pushed
    assert "2 open challenges" in pushed
    assert 'hx-swap-oob="beforeend:#seeks"' in pushed
    services.withdraw_seek(one.pk, ada.pk)
    gone = line.next("seek_gone")["html"]
    assert f'id="seek-{one.pk}" hx-swap-oob="delete"' in gone
    assert "1 open challenge" in gone


def test_a_pushed_row_is_the_row_of_the_page(dial: Dial, ada: User, bob: User) -> None:
    """One renderer: own rows can be withdrawn, others' taken."""
    lines = {who: dial(who, page=True, query="seeks=1&lang=en") for who in (ada, bob)}
    for line in lines.values():
        line.next("seeks")
    one = seek(ada)
    assert f"/seeks/{one.pk}/withdraw/" in lines[ada].next("seek")["html"]
    theirs = lines[bob].next("seek")["html"]
    assert f"/seeks/{one.pk}/accept/" in theirs
    assert "marks per position" in theirs


def test_a_page_without_the_list_is_told_its_players_own_news_only(dial: Dial, ada: User, bob: User) -> None:
    line = dial(ada, page=True, query="lang=en")
    assert line.receive(5) == {"type": "open"}
    one = seek(ada)
    asked = services.challenge(bob, ada, DUEL)
    told = line.next("challenge")
    assert told["title"] == "bob challenges you"
    assert f"/challenges/{asked.pk}/accept/" in told["html"]
    made = services.accept_seek(one.pk, bob)
    call = line.next("match")
    assert (call["match"], call["url"]) == (made, f"/m/{made}/")
    assert call["title"] == "Your match against bob has begun."
    assert f'href="/m/{made}/"' in call["html"]
    assert quiet(line) == []


def test_the_challenger_hears_the_answer_and_the_challenged_does_not_hear_their_own(
    dial: Dial, ada: User, bob: User
) -> None:
    lines = [dial(who, page=True, query="lang=en") for who in (ada, bob)]
    for line in lines:
        line.next("open")
    asked = services.challenge(ada, bob, DUEL)
    waiting, called = (line.next("challenge") for line in lines)
    assert (waiting["title"], called["title"]) == ("", "ada challenges you")
    services.decline_challenge(asked.pk, bob, "terms")
    answer, put_away = (line.next("challenge") for line in lines)
    assert answer["title"] == "bob would play on other terms."
    assert put_away["title"] == ""
    assert "<h2>" not in put_away["html"]
    assert 'hx-swap-oob="delete"' in put_away["html"]


def test_readers_who_see_the_same_are_told_by_one_piece(
    dial: Dial, ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many listen: made once for each language and kind of reader, and once for its owner."""
    made: list[tuple[str, str]] = []
    render = pages.seek

    def counting(viewer: User, one: Seek, count: int) -> Json:
        made.append((viewer.username, one.pk))
        return render(viewer, one, count)

    monkeypatch.setattr(pages, "seek", counting)
    readers = [bob, person("cleo"), person("dan"), person("Vega-1234", Kind.GUEST)]
    lines = [listening(dial(user, page=True, query="seeks=1")) for user in (ada, *readers)]
    opened = seek(ada)
    told = [line.next("seek")["html"] for line in lines]
    assert len(made) == 3
    assert told[1] == told[2] == told[3]
    assert "/withdraw/" in told[0]
    assert all(f"/seeks/{opened.pk}/accept/" in html for html in told[1:])


@pytest.mark.parametrize("language", ["en", "it"])
def test_what_is_pushed_is_in_the_pages_own_language(dial: Dial, ada: User, bob: User, language: str) -> None:
    """Whatever the header says: a page shown in one language stays in it."""
    headers = {**by_cookie(ada), "Accept-Language": "it" if language == "en" else "en"}
    line = dial(headers=headers, page=True, query=f"seeks=1&lang={language}")
    other = dial(bob, page=True, query=f"seeks=1&lang={'it' if language == 'en' else 'en'}")
    line.next("seeks")
    other.next("seeks")
    seek(bob, terms_of(length=5))
    shown = {lang: one.next("seek")["html"] for lang, one in ((language, line), ("", other))}[language]
    assert ("5 digits" if language == "en" else "5 cifre") in shown
    assert ("5 cifre" if language == "en" else "5 digits") not in shown


# Presence: a page's seek lives while its owner has a page open


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in less time: gone after 4 s, renewed every 0.6 s."""
    monkeypatch.setattr(services, "GONE_AFTER", timedelta(seconds=4))
    monkeypatch.setattr(consumers, "RENEW_SECONDS", 0.6)


def test_a_seek_of_a_page_and_its_looks_fit_into_fifteen_seconds() -> None:
    """Last renewed when the page closed, at the latest; then two looks, or a sweep and a look."""
    assert services.GONE_AFTER.total_seconds() + 2 * looking.LOOK_SECONDS <= 15
    assert services.GONE_AFTER.total_seconds() > 3 * consumers.RENEW_SECONDS


def test_any_open_page_keeps_a_seek_and_after_the_last_it_vanishes(
    dial: Dial, ada: User, bob: User, short: None
) -> None:
    """D14: on whatever page of the site they are, in however many tabs; gone from every page, and gone for good."""
    watcher = listening(dial(bob))
    one, two = dial(ada, page=True), dial(ada, page=True, query="seeks=1")
    opened = seek(ada, lasting=False)
    watcher.next("seek")
    for tab in (one, two):
        assert watcher.rest(4.5) == []
        tab.close()
    assert watcher.next("seek_gone")["id"] == opened.pk
    dial(ada, page=True)
    assert watcher.rest(1.2) == []
    assert not queries.open_seeks()


def test_reloads_neither_lose_nor_double_a_seek(dial: Dial, ada: User, bob: User, short: None) -> None:
    """D14: five of them leave one row, of which nobody else has seen a flicker."""
    watcher = listening(dial(bob))
    seek(ada, lasting=False)
    watcher.next("seek")
    for _ in range(5):
        tab = dial(ada, page=True, query="seeks=1")
        assert tab.next("seeks")["html"].count("<li id=") == 1
        time.sleep(1)
        tab.close()
    assert watcher.rest(0.2) == []
    assert queries.open_seeks().count() == 1


def test_a_public_socket_keeps_no_page_s_seek(dial: Dial, ada: User, bob: User, short: None) -> None:
    """A program's seek lasts by itself; that of a page is for a page to keep."""
    watcher = listening(dial(bob))
    dial(ada)
    seek(ada, lasting=False)
    watcher.next("seek")
    watcher.next("seek_gone")


# One that breaks is not the others' concern


def test_one_socket_that_fails_takes_no_other_with_it(
    dial: Dial, ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [dial(ada), dial(bob)]
    for line in lines:
        line.next("seeks")
    tell = consumers.LobbyConsumer.tell_seek

    async def tell_seek(self: Any, *what: Any) -> None:
        if self.user_id == ada.pk:
            raise RuntimeError
        await tell(self, *what)

    monkeypatch.setattr(consumers.LobbyConsumer, "tell_seek", tell_seek)
    seek(person("cleo"))
    assert lines[1].next("seek")
    assert lines[0].rest() == []


def test_a_look_that_fails_is_made_good_by_the_next(
    dial: Dial, ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D21: of whatever kind the failure was."""
    line = dial(ada)
    line.next("seeks")
    look, failures = queries.snapshot, iter([RuntimeError, ValueError])

    def snapshot() -> Any:
        for failure in failures:
            raise failure
        return look()

    monkeypatch.setattr(queries, "snapshot", snapshot)
    seek(bob)
    line.next("seek")


def test_a_layer_that_was_away_is_listened_to_again(
    dial: Dial, ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis raises errors of its own kind, which are no `OSError`."""
    add, failures = LAYER.group_add, iter([RedisAway])

    async def group_add(layer: Any, group: str, channel: str) -> None:
        for failure in failures:
            raise failure
        await add(layer, group, channel)

    monkeypatch.setattr(LAYER, "group_add", group_add)
    line = listening(dial(ada))
    time.sleep(1.4)
    monkeypatch.setattr(looking, "LOOK_SECONDS", 30)
    time.sleep(1.1)
    seek(bob)
    line.next("seek")
    monkeypatch.setattr(looking, "LOOK_SECONDS", 0.1)
    line.close()
    push(services.GROUP, {"type": "lobby.changed"})
