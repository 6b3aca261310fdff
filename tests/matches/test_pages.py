"""The match page and its own socket: the same facts as the interface gives, as HTML, for each who looks."""

import re
from collections.abc import Callable
from functools import partial
from threading import Timer
from typing import Any

import pytest

from matches import consumers, queries, services
from matches.core.machine import Adjudicate
from players.models import User
from tests.builders import ALL_TERMS, Duel, Page, S, person, signed_in
from tests.matches.conftest import Dial, Lossy
from tests.matches.lines import Json, Line, by_cookie

pytestmark = pytest.mark.django_db


def page(duel: Duel, user: User | None) -> Page:
    response = signed_in(user).get(f"/m/{duel.id}/")
    assert response.status_code == 200
    return response


def read(html: str) -> str:
    """What is read: without tags, spaces as one."""
    bare = re.sub(r"<(script|style|svg|noscript)\b.*?</\1>|<[^>]+>", " ", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", bare)


def text(duel: Duel, user: User | None) -> str:
    return read(page(duel, user).content.decode())


# Every stage, for everybody


def confirming() -> Duel:
    duel = Duel("classic")
    for seat in (0, 1):
        duel.commit(seat)
    return duel


def half(preset: str) -> Duel:
    duel = Duel(preset)
    duel.commit(0)
    return duel


def guessed(preset: str, **asked: Any) -> Duel:
    duel = Duel(preset, **asked).start()
    duel.guess(0)
    duel.guess(1)
    return duel


def offered() -> Duel:
    duel = Duel().start().end()
    duel.do(1, "rematch")
    return duel


def followed() -> Duel:
    duel = offered()
    duel.do(0, "rematch")
    return duel


STAGES: dict[str, Callable[[], Duel]] = {
    **{f"choosing {preset}": partial(Duel, preset) for preset in ("duel", "probe", "classic")},
    **{f"one has chosen {preset}": partial(half, preset) for preset in ("duel", "classic")},
    "confirming": confirming,
    **{
        f"playing {preset} {asked.get('feedback', '')}": partial(guessed, preset, **asked)
        for preset, asked in ALL_TERMS
    },
    "over": lambda: guessed("duel").end(),
    "over before it began": lambda: Duel().end(),
    "a rematch is offered": offered,
    "a rematch is made": followed,
}


@pytest.mark.parametrize("made", STAGES.values(), ids=[*STAGES])
def test_each_stage_is_a_page_for_each_who_may_look(made: Callable[[], Duel]) -> None:
    """No place is left empty: no sentence without its names, no number without its unit."""
    duel = made()
    for user in (*duel.players, person("cleo"), None):
        html = page(duel, user).content.decode()
        assert "%(" not in html
        assert "None" not in read(html)
        assert html.count("<main") == html.count("</main>") == 1
        assert html.count("<form") == html.count("</form>")


@pytest.mark.parametrize("made", STAGES.values(), ids=[*STAGES])
def test_no_id_stands_twice_on_a_page(made: Callable[[], Duel]) -> None:
    duel = made()
    for user in (*duel.players, None):
        ids = re.findall(r'\sid="([^"]+)"', page(duel, user).content.decode())
        assert sorted(ids) == sorted(set(ids))


@pytest.mark.parametrize("made", STAGES.values(), ids=[*STAGES])
def test_a_watcher_is_offered_nothing_to_do(made: Callable[[], Duel]) -> None:
    """R4.8"""
    duel = made()
    for user in (person("cleo"), None):
        assert f'action="/m/{duel.id}/' not in page(duel, user).content.decode()


def test_a_number_is_never_part_of_an_address() -> None:
    """D3: every form that takes a code posts it."""
    for duel in (Duel(), Duel(players=(person("cleo"), person("dora"))).start()):
        html = page(duel, duel.players[0]).content.decode()
        forms = re.findall(r"<form\b[^>]*>", html)
        assert forms
        assert all('method="post"' in form for form in forms)


def test_a_code_is_typed_as_text_of_digits() -> None:
    """D3: no number field, no memory of old codes; pasting keeps the zero."""
    for duel in (Duel(length=4), Duel(players=(person("cleo"), person("dora")), length=4).start()):
        (field,) = re.findall(r'<input[^>]*name="code"[^>]*>', page(duel, duel.players[0]).content.decode())
        for wanted in ('type="text"', 'inputmode="numeric"', 'autocomplete="off"', 'maxlength="4"'):
            assert wanted in field
        assert "value=" not in field


def test_ones_own_number_is_shown_whole_to_oneself_only() -> None:
    """D3, R4.8"""
    duel = Duel().start("00417", "90718")
    assert "0 0 4 1 7" in text(duel, duel.players[0])
    for user in (duel.players[1], None):
        assert "0 0 4 1 7" not in text(duel, user)
    duel.end()
    for user in (*duel.players, None):
        assert "0 0 4 1 7" in text(duel, user)


def test_all_terms_are_on_the_page_in_words() -> None:
    """Rules: the match page too, agreed and fixed."""
    players = person("ada"), person("bob")
    wanted = {
        "duel": (
            "5 digits",
            "all different, guesses too",
            "misplaced and exact",
            "5 min each",
            "the match is void",
            "60 s",
        ),
        "probe": ("all different, guesses free", "5 min each", "the match is a draw", "60 s to come back"),
        "classic": (
            "found and in place",
            "2 min a move",
            "30 s to confirm",
            "loses nothing but their own time",
        ),
    }
    for preset, sentences in wanted.items():
        asked: dict[str, Any] = {} if preset == "classic" else {"repeats": False, "feedback": "totals"}
        shown = text(Duel(preset, players=players, **asked), players[0])
        assert [sentence for sentence in sentences if sentence not in shown] == []


def test_a_page_is_kept_by_no_cache_and_no_search_engine() -> None:
    """Reload and the back button show the true state."""
    response = page(Duel(), None)
    assert "no-store" in response["Cache-Control"]
    assert 'name="robots" content="noindex"' in response.content.decode()


@pytest.mark.parametrize("path", ["/m/00000000/", "/m/ABCDEFGH/", "/m/x/", "/m/", "/m/00000000/guess/"])
def test_a_match_that_is_not_there_is_a_page_that_is_not(path: str) -> None:
    response = signed_in(None).get(path)
    assert response.status_code in (404, 405)
    assert response["Content-Type"].startswith("text/html")


# Plain forms


def test_a_classic_match_is_played_by_plain_forms_to_its_rematch() -> None:
    """Without a script: each order leads back to the page, the one that completes a rematch to the new match."""
    duel = Duel("classic")
    browsers = [signed_in(player) for player in duel.players]

    def post(seat: int, verb: str, **fields: Any) -> str:
        response = browsers[seat].post(f"/m/{duel.id}/{verb}/", fields)
        assert response.status_code == 302
        return str(response["Location"])

    for seat in (0, 1):
        assert post(seat, "secret", code=duel.secret(seat)) == f"/m/{duel.id}/"
    for seat in (0, 1):
        post(seat, "confirm")
    post(0, "guess", code="13579", n=1)
    post(1, "resign")
    assert duel.ending == ("win", 0, "resigned")
    assert post(0, "rematch") == f"/m/{duel.id}/"
    assert post(1, "rematch") == f"/m/{duel.follow().id}/"


def test_a_refused_order_shows_the_page_with_the_reason() -> None:
    duel = guessed("duel")
    response = signed_in(duel.players[1]).post(f"/m/{duel.id}/guess/", {"code": "13579"})
    assert response.status_code == 409
    assert "It is not your turn." in read(response.content.decode())


# The keypad and the rows


def looks(duel: Duel, seat: int) -> dict[str, str]:
    """The marks of the keys on the page of `seat`, as the HTML has them."""
    html = page(duel, duel.players[seat]).content.decode()
    keys = re.findall(r'class="key ([a-z]*)" id="key-(\d)"', html)
    assert len(keys) == 10
    return {digit: look for look, digit in keys if look}


def test_a_key_shows_the_best_mark_it_has_earned() -> None:
    """D2, R3.5: secret 11234, after 51111 and after 43215; and again after a reload."""
    duel = Duel().start("90718", "11234")
    duel.guess(0, "51111")
    assert looks(duel, 0) == {"1": "exact", "5": "absent"}
    duel.guess(1)
    duel.guess(0, "43215")
    for _ in range(2):
        best = {"1": "exact", "2": "exact", "3": "present", "4": "present", "5": "absent"}
        assert looks(duel, 0) == best
    assert set(looks(duel, 1)) == set("24680")


def test_under_totals_the_keypad_stays_plain() -> None:
    """D2, R3.5"""
    duel = Duel(feedback="totals").start("90718", "11234")
    duel.guess(0, "51111")
    assert looks(duel, 0) == {}


COUNTED = "Guess 1, 4 3 2 1 1: exact 1, misplaced 4."
MARKED = "Guess 1, 4 3 2 1 1: exact 1, present 4. 4 present, 3 present, 2 exact, 1 present, 1 present."


@pytest.mark.parametrize(
    ("preset", "feedback", "row"),
    [("duel", "positions", MARKED), ("duel", "totals", COUNTED), ("probe", "totals", COUNTED)],
)
def test_a_row_is_read_out_as_the_terms_mark_it(preset: str, feedback: str, row: str) -> None:
    """R3.3, D28; both boards are for both."""
    duel = Duel(preset, feedback=feedback).start("90718", "11234")
    duel.guess(0, "43211")
    for user in (*duel.players, None):
        assert row in text(duel, user)


def test_a_classic_row_says_found_and_in_place() -> None:
    """R3.3: found includes the exact."""
    duel = Duel("classic").start("90718", "72815")
    duel.guess(0, "71825")
    assert "Guess 1, 7 1 8 2 5: found 5, in place 3." in text(duel, duel.players[1])


# The end in words


def broken() -> Duel:
    duel = Duel().start()
    duel.guess(0, duel.secret(1))
    return duel


def adjudicated(winner: int | None) -> Duel:
    duel = Duel().start()
    services.act(duel.id, Adjudicate(winner))
    return duel


def fallen(duel: Duel) -> Duel:
    duel.wait_for_due(1).do(0, "flag")
    return duel


ENDS: dict[str, tuple[Callable[[], Duel], tuple[str, str, str]]] = {
    "broken": (
        broken,
        (
            "You won. .*You found bob’s number on guess 1, with 5:00 left on your clock.",
            "You lost. .*ada found your number on guess 1.",
            "ada won. .*ada found bob’s number on guess 1.",
        ),
    ),
    "time": (
        lambda: fallen(Duel("classic", first=1).start()),
        (
            "You won. .*bob ran out of time.",
            "You lost. .*You ran out of time.",
            "ada won. .*bob ran out of time.",
        ),
    ),
    "resigned": (
        lambda: Duel().start().end(),
        ("You lost. .*You resigned.", "You won. .*ada resigned.", "bob won. .*ada resigned."),
    ),
    "forfeit": (
        lambda: fallen(Duel().arrive(0).start()),
        (
            "You won. .*bob was away for too long.",
            "You lost. .*You were away for too long.",
            "ada won. .*bob was away for too long.",
        ),
    ),
    "unplayed, void": (lambda: fallen(Duel()), ("Void. .*void and counts for nobody.",) * 3),
    "unplayed, a draw": (lambda: fallen(Duel("probe")), ("A draw. .*the match is a draw.",) * 3),
    "unconfirmed": (lambda: fallen(confirming()), ("Void. .*not confirmed in time.*counts for nobody.",) * 3),
    "adjudicated": (
        lambda: adjudicated(0),
        (
            "You won. .*A moderator decided the match for you.",
            "You lost. .*A moderator decided the match for ada.",
            "ada won. .*A moderator decided the match for ada.",
        ),
    ),
    "adjudicated, void": (lambda: adjudicated(None), ("Void. .*A moderator declared the match void",) * 3),
}


@pytest.mark.parametrize(("ended", "told"), ENDS.values(), ids=[*ENDS])
def test_an_end_is_told_to_each_from_their_side(
    ended: Callable[[], Duel], told: tuple[str, str, str]
) -> None:
    """R5: every reason; R5.2: void says so on the page."""
    duel = ended()
    for user, words in zip((*duel.players, None), told, strict=True):
        assert re.search(words, text(duel, user))


# What the page is told by its socket


def playing(dial: Dial, **asked: Any) -> tuple[Duel, Line, Line]:
    duel = Duel(**asked).start()
    lines = [dial(duel, headers=by_cookie(player), page=True) for player in duel.players]
    for line in lines:
        line.next("stage")
        line.rest()
    return duel, lines[0], lines[1]


FACTS = {"version", "clocks", "running", "turn", "server_time"}


def test_a_page_that_is_up_to_date_is_told_only_the_time(dial: Dial) -> None:
    """D12: and one that is not, the whole stage."""
    duel = Duel().start()
    current = dial(duel, headers=by_cookie(duel.players[0]), page=True, since=4)
    assert current.rest() == []
    tick = dial(duel, headers=by_cookie(duel.players[0]), page=True, since=4).next("tick")
    assert tick["running"] == [True, False]
    stale = dial(duel, headers=by_cookie(duel.players[0]), page=True, since=3)
    stage = stale.next("stage")
    assert {"type", "html", "closing", "title", "calls", "say"} | FACTS == set(stage)
    assert (stage["version"], stage["turn"]) == (4, 0)
    assert 'id="stage"' in stage["html"]


def test_a_guess_changes_its_row_the_seats_and_the_keys_and_nothing_else(
    by_messages_alone: None, dial: Dial
) -> None:
    """design.md: one renderer; each piece replaces what has its id."""
    duel, ada, bob = playing(dial)
    duel.guess(0, "13579")
    for line, player in zip((ada, bob), duel.players, strict=True):
        event = line.event("guess")
        assert {"type", "event", "seat", "html", "title", "calls", "say"} | FACTS == set(event)
        ids = set(re.findall(r'\sid="([^"]+)"', event["html"]))
        assert {"seat-0", "seat-1", "row-0-1", "row-0-2", "row-1-1", "send", "n"} <= ids
        assert ("pad" in ids) == (line is ada)  # a key shows what its owner's guesses have earned
        assert not ids & {"stage", "board-0", "board-1", "code", "try"}
        assert "Guess 1" in event["say"]
        (row,) = re.findall(r'<li[^>]*id="row-0-1".*?</li>', event["html"], re.DOTALL)
        assert row.replace("row turn", "row") in page(duel, player).content.decode()


def test_a_message_under_way_while_the_watch_looks_is_waited_for(
    dial: Dial, lossy: Lossy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D28: a guess is shown as one, turned over and read out, also where the look has seen it a moment sooner."""
    read = queries.revisions

    def look(match_ids: Any) -> dict[str, int]:
        known = read(match_ids)
        if lossy.kept:
            Timer(0.05, lossy.release, (0,)).start()
        return known

    lossy.holds = False
    duel, ada, _ = playing(dial)
    lossy.holds = True
    monkeypatch.setattr(queries, "revisions", look)
    duel.guess(0, "13579")
    said = ada.until(lambda frame: frame["type"] in ("event", "stage"))
    assert (said["type"], said.get("event")) == ("event", "guess")
    assert "Guess 1" in said["say"]


def test_one_step_that_the_layer_lost_is_shown_and_said_as_it_would_have_been(
    dial: Dial, lossy: Lossy
) -> None:
    """D12, D28: a number one has chosen, and a guess; who is there besides."""
    duel = Duel()
    ada = dial(duel, headers=by_cookie(duel.players[0]), page=True)
    ada.next("stage")
    ada.rest()
    assert ada.ask("secret", code=duel.secret(0))["type"] == "ok"
    assert ada.next("stage")["say"] == "You chose your number."
    assert ada.next("presence")["seat"] == 0
    duel.commit(1)
    begun = ada.until(lambda frame: frame.get("turn") is not None)
    duel.guess(begun["turn"], "13579")
    assert "Guess 1" in ada.event("guess")["say"]


def test_a_page_hears_of_every_step_of_a_match(by_messages_alone: None, dial: Dial) -> None:
    """Choosing, confirming, playing, over, rematch: each comes to its next stage without a reload."""
    duel = Duel("classic")
    ada = dial(duel, headers=by_cookie(duel.players[0]), page=True)
    assert 'data-phase="choosing"' in ada.next("stage")["html"]

    def stage(phase: str) -> Json:
        return ada.until(lambda frame: f'data-phase="{phase}"' in frame.get("html", ""))

    assert ada.ask("secret", code=duel.secret(0))["type"] == "ok"
    stage("choosing")
    duel.commit(1)
    stage("confirming")
    assert ada.ask("confirm")["type"] == "ok"
    duel.do(1, "confirm")
    assert stage("playing")["turn"] == 0
    assert ada.ask("guess", code="13579", n=1)["type"] == "ok"
    ada.event("guess")
    duel.guess(1, duel.secret(0))
    assert "bob found your number" in read(stage("over")["html"])
    duel.do(1, "rematch")
    assert "offers a rematch" in read(stage("over")["html"])
    duel.do(0, "rematch")
    assert duel.follow().id in stage("over")["html"]


@pytest.mark.parametrize("mover", [0, 1])
def test_with_the_end_comes_the_guess_that_made_it(by_messages_alone: None, dial: Dial, mover: int) -> None:
    """R5.1: for both, on the board of whoever named the number."""
    duel, *lines = playing(dial)
    duel.guess(0)
    if mover == 0:
        duel.guess(1)
    duel.guess(mover, duel.secret(1 - mover))
    for line in lines:  # guesses one right after the other may come as one step, a whole stage too
        closing = line.until(lambda frame: 'data-phase="over"' in frame.get("html", ""))["closing"]
        assert f'id="row-{mover}-{2 - mover}"' in closing
        assert "row turn" in closing
        assert closing.count("tile exact") == 5


def test_an_end_that_no_guess_made_comes_with_none(by_messages_alone: None, dial: Dial) -> None:
    duel, *lines = playing(dial)
    duel.guess(0)
    duel.end()
    assert [line.next("stage")["closing"] for line in lines] == ["", ""]


def test_a_page_shows_who_is_away_and_how_long(dial: Dial) -> None:
    """R5.3"""
    duel, ada, bob = playing(dial)
    bob.close()
    frame = ada.next("presence")
    assert (frame["seat"], frame["connected"]) == (1, False)
    assert 'id="seat-1"' in frame["html"]
    assert re.search(r"Away (1:00|0:59)", read(frame["html"]))
    dial(duel, headers=by_cookie(duel.players[1]), page=True)
    back = ada.next("presence")
    assert (back["connected"], "Away" in read(back["html"])) == (True, False)


def test_a_refusal_on_the_page_is_in_words(dial: Dial) -> None:
    _, _, bob = playing(dial, length=4)
    assert bob.ask("guess", code="1234")["detail"] == "It is not your turn."
    assert bob.ask("secret", code="1")["code"] == "already_ready"


def test_a_page_is_told_the_time_each_second_and_which_clocks_run(dial: Dial) -> None:
    line = dial(Duel("duel"), headers=by_cookie(None), page=True)
    line.next("stage")
    tick = line.until(lambda frame: frame["type"] == "tick", patience=2.5)
    assert tick["running"] == [True, True]


def test_a_page_is_shown_anew_after_an_outage(dial: Dial) -> None:
    """R5.4: the whole of it, since every clock stands otherwise than it was last told."""
    line = dial(Duel(), headers=by_cookie(None), page=True)
    line.next("stage")
    consumers.watch.renew()
    assert line.until(lambda frame: frame["type"] == "stage", patience=2)


def by_twin(html: str, secret: str) -> str:
    """A page less what differs from match to match: instants, clocks, tokens of forms; and its owner's own digits."""
    html = re.sub(
        r'(?<=CSRFToken":")[^"]+|(?<=value=")[^"]{8,}(?=")|1[0-9]{12}|[0-9]+:[0-9]{2}|(?<=data-clock=")\d+',
        "·",
        html,
    )
    if secret:
        html = html.replace(f": {' '.join(secret)}<", ": ·<")
        html = re.sub(r'(<span class="tile[^"]*">)\d(?=</span>)', r"\1·", html)
    return html


@pytest.mark.parametrize("secrets", [("0000", "1234"), ("1234", "7391"), ("0417", "9999")])
def test_the_page_is_the_same_for_every_lawful_number(secrets: tuple[str, str]) -> None:
    """R1.3: no hint that it is easy, no other word, no other class; the opponent's page to the letter."""
    players = person("ada"), person("bob")
    for seat in (0, 1):
        pages = []
        for secret in secrets:
            duel = Duel(players=players, length=4)
            duel.commit(0, secret)
            html = page(duel, players[seat]).content.decode().replace(duel.id, "<id>")
            html = re.sub(
                r"<code>[0-9a-f]{64}</code>", "", html
            )  # salted: of one number, too, never the same
            pages.append(by_twin(html, secret if seat == 0 else ""))
        assert pages[0] == pages[1]


def test_a_clock_on_the_page_is_the_servers() -> None:
    """D8: what is left, never less than nothing."""
    duel = Duel().arrive(0, 1).start().wait(100 * S)
    assert "3:2" in text(duel, None) or "3:19" in text(duel, None)
    late = Duel("classic", players=duel.players).start().wait(9999 * S)
    assert "0:00" in text(late, None)


@pytest.mark.parametrize("language", ["en", "it"])
def test_a_page_and_its_socket_speak_the_same_language(dial: Dial, language: str) -> None:
    """The page hands its own language to its socket."""
    duel = Duel().start()
    client = signed_in(duel.players[1])
    html = client.get(f"/m/{duel.id}/", headers={"Accept-Language": language}).content.decode()
    assert f'<html lang="{language}"' in html
    assert f'data-lang="{language}"' in html
    line = dial(duel, headers=by_cookie(duel.players[1]), page=True, query=f"lang={language}")
    stage = read(line.next("stage")["html"])
    assert stage.split("Hide")[0].strip()[:40] in read(html) or language == "it"


def test_pages_that_follow_one_match_read_each_step_of_it_once(
    dial: Dial, by_messages_alone: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 9: what a guess costs does not grow by a reading with everybody who looks on."""
    duel, read, follow = Duel().start(), [], queries.follow

    def reading(before: queries.Loaded) -> queries.Loaded:
        read.append(before.revision)
        return follow(before)

    monkeypatch.setattr(queries, "follow", reading)
    viewers = [*duel.players, None, None]
    lines = [dial(duel, headers=by_cookie(viewer), page=True) for viewer in viewers]
    for line in lines:
        line.next("stage")
    lines[0].next("presence")  # the other player's, whose line opened later
    read.clear()
    duel.guess(0, "24680")
    htmls = [line.next("event")["html"] for line in lines]
    assert len(read) == 1
    assert htmls[2] == htmls[3]
