"""The analysis of a match, on its page and on the interface: all of it once over, nothing before (api.md, issue 5)."""

import json
import re
from itertools import product
from math import log2
from random import Random
from time import thread_time
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bots import analyses, listeners, words
from bots.core.analysis import analyse
from bots.core.puzzle import PUZZLES, Puzzle
from bots.models import Analysis
from bots.services import bot_named
from matches import queries
from matches.core.sight import SPECTATOR, see
from players.models import User
from tests.builders import Api, Duel, in_english, person, signed_in

__all__ = ["in_english"]

pytestmark = pytest.mark.django_db(transaction=True)  # an end is noted after the commit

GUESSES = (("15087", "48751", "61578", "37815", "90718"), ("12345", "06789", "41702", "40712"))
"""By seat; ada's last is bob's number."""


@pytest.fixture
def duel() -> Duel:
    return played(Duel(repeats=False), GUESSES)


def played(duel: Duel, guesses: tuple[tuple[str, ...], tuple[str, ...]]) -> Duel:
    """Bob's number is 90718; both guess in turn until one has no more to say."""
    duel.start("31650", "90718")
    for n, seat in product(range(len(guesses[0])), (0, 1)):
        if n < len(guesses[seat]):
            duel.guess(seat, guesses[seat][n])
    return duel


def asked(duel: Duel, user: User | None = None) -> Any:
    answer = Api(user).get(f"/matches/{duel.id}/analysis")
    assert answer.status == 200, answer.body
    return answer.body


def page(duel: Duel, user: User | None = None, **headers: str) -> str:
    response = signed_in(user).get(f"/m/{duel.id}/analysis/", headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def read(html: str) -> str:
    """What is read: without tags, spaces as one."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html[html.index("<main") :]))


# What it says


def test_the_interface_tells_what_each_guess_left_and_gained_and_could_have(duel: Duel):
    told = asked(duel)
    assert told["match"] == duel.id
    for board, guesses in zip(told["boards"], GUESSES, strict=True):
        assert [guess["code"] for guess in board["guesses"]] == list(guesses)
        assert [guess["n"] for guess in board["guesses"]] == list(range(1, len(guesses) + 1))
        assert board["guesses"][0]["before"] == 30_240
        for guess, following in zip(board["guesses"], board["guesses"][1:], strict=False):
            assert guess["after"] == following["before"]
        for guess in board["guesses"]:
            assert guess["gained"] == pytest.approx(log2(guess["before"] / guess["after"]), abs=1e-6)
            assert guess["luck"] == pytest.approx(guess["gained"] - guess["expected"], abs=2e-6)
            assert guess["expected"] <= guess["best"]["expected"] + 1e-6
            assert len(set(guess["best"]["code"])) == 5
        assert 0 < board["skill"] <= 1
        assert board["luck"] == pytest.approx(sum(guess["luck"] for guess in board["guesses"]), abs=1e-5)
    assert told["boards"][0]["guesses"][-1]["after"] == 1


def test_each_board_is_told_from_what_its_guesser_could_know(duel: Duel):
    sight = see(duel.state, SPECTATOR, duel.state.at)
    for seat, board in enumerate(analyses.boards(loaded(duel))):
        assert board == analyse(Puzzle.of(sight.terms), sight.seats[seat].guesses)


def test_the_page_says_skill_and_luck_in_words_and_draws_both(duel: Duel):
    html = page(duel, duel.players[0])
    text = read(html)
    for board, name in zip(analyses.boards(loaded(duel)), (None, "bob"), strict=True):
        assert f"{words.skill(board, name)} {words.score(board)}" in " ".join(text.split())
    assert re.search(r"(You|Your) [^.]*\. +Skill \d+ of 100\.", text)
    assert re.search(r"bob[^.]*\. +Skill \d+ of 100\.", text)
    assert html.count('class="bar"') == len(GUESSES[0]) + len(GUESSES[1])
    first = asked(duel)["boards"][0]["guesses"][0]
    assert f"Numbers still possible: 30,240 before, {first['after']:,} after." in text
    assert "You from 30,240 to 1 in 5 guesses; bob from 30,240 to" in html
    assert " style=" not in html


def test_who_watched_reads_of_both_by_name(duel: Duel):
    html = page(duel)
    assert "ada’s guesses" in html
    assert "bob’s guesses" in html
    assert not re.search(r"\b[Yy]our?\b", read(html))


def test_our_bots_are_called_in_the_readers_language() -> None:
    """As everywhere else on the site: in Italian it is Facile who guesses."""
    ada = person("ada")
    duel = played(Duel(players=(ada, bot_named("easy")), repeats=False), GUESSES)
    told = read(page(duel, ada, **{"Accept-Language": "it"}))
    assert "Le prove di Facile" in told
    assert "Easy" not in told


def test_a_page_that_asks_by_htmx_gets_the_piece_alone(duel: Duel):
    piece = page(duel, duel.players[1], HX_Request="true")
    assert piece.startswith("<section")
    assert "<html" not in piece
    assert piece.strip() in page(duel, duel.players[1])


def test_a_match_without_a_guess_is_analysed_as_that():
    duel = Duel().start().end()
    assert [board["guesses"] for board in asked(duel)["boards"]] == [[], []]
    assert [board["skill"] for board in asked(duel)["boards"]] == [None, None]
    assert "You made no guess." in page(duel, duel.players[0])


def test_a_board_without_a_guess_stands_beside_one_that_has_some():
    duel = Duel(length=4).start()
    duel.guess(0, "1234")
    duel.end()
    html = page(duel, duel.players[0])
    assert "bob made no guess." in html
    assert "No guess was made." in html


@pytest.mark.parametrize("name", ["Bartholomäus-1234567", "Al"])
def test_names_of_lines_that_end_in_one_place_do_not_lie_on_each_other(name: str):
    duel = Duel(players=(person("ada"), person(name)), length=4).start()
    duel.guess(0, "1234")
    duel.guess(1, "1234")
    duel.end()
    ends = re.findall(r'class="end" x="(\d+)" y="(\d+)"', page(duel))
    assert len(ends) == 2
    assert abs(int(ends[0][1]) - int(ends[1][1])) >= 14


# Who may read it, and when


@pytest.mark.parametrize("seat", [0, 1, None])
def test_nothing_is_told_or_worked_out_before_the_end(seat: int | None):
    duel = Duel().start()
    duel.guess(0)
    user = None if seat is None else duel.players[seat]
    assert Api(user).get(f"/matches/{duel.id}/analysis").code == "not_over"
    response = signed_in(user).get(f"/m/{duel.id}/analysis/")
    assert response.status_code == 302
    assert response["Location"] == f"/m/{duel.id}/"
    analyses.work()
    assert not Analysis.objects.exists()


def test_a_private_match_is_for_its_two(duel: Duel):
    private = played(Duel(players=duel.players, public=False, repeats=False), GUESSES)
    for user in private.players:
        assert asked(private, user)["boards"][0]["guesses"]
        assert page(private, user)
    for stranger in (None, person("eve")):
        assert Api(stranger).get(f"/matches/{private.id}/analysis").code == "not_found"
        assert signed_in(stranger).get(f"/m/{private.id}/analysis/").status_code == 404


@pytest.mark.parametrize("match_id", ["aaaaaaaa", "nothing", "AAAAAAAA"])
def test_what_is_no_match_is_not_found(match_id: str):
    assert Api().get(f"/matches/{match_id}/analysis").code == "not_found"
    assert signed_in(None).get(f"/m/{match_id}/analysis/").status_code == 404


def test_the_page_takes_no_orders(duel: Duel):
    assert signed_in(duel.players[0]).post(f"/m/{duel.id}/analysis/").status_code == 405


# How it is kept


def test_an_end_is_noted_and_worked_out_by_the_next_tick(duel: Duel):
    assert list(Analysis.objects.values_list("seat", "steps")) == [(0, None), (1, None)]
    work_out()
    steps = Analysis.objects.order_by("seat").values_list("steps", flat=True)
    assert [len(told or ()) for told in steps] == [5, 4]
    assert analyses.work() == 0


def test_an_end_nobody_heard_of_is_worked_out_for_who_asks_and_kept(duel: Duel):
    Analysis.objects.all().delete()
    told = asked(duel)
    assert Analysis.objects.filter(steps__isnull=False).count() == 2
    assert asked(duel) == told


def test_heard_twice_it_is_noted_once_and_what_is_kept_stays(duel: Duel):
    work_out()
    kept = list(Analysis.objects.order_by("seat").values_list("steps", flat=True))
    for _ in range(2):
        listeners.match_has_moved(duel.id, duel.state)
    assert list(Analysis.objects.order_by("seat").values_list("steps", flat=True)) == kept


def test_what_is_kept_is_what_was_worked_out(duel: Duel):
    for board in analyses.boards(loaded(duel)):
        assert analyses.from_json(json.loads(json.dumps(analyses.to_json(board)))) == board


def test_a_tick_stops_after_its_moment(duel: Duel, monkeypatch: pytest.MonkeyPatch):
    """The worker has other things to do: moves of bots fall due five times a second."""
    monkeypatch.setattr(analyses, "MOMENT_SECONDS", 1e-9)
    assert analyses.work() <= 1


def test_a_move_that_is_due_waits_for_one_guess_at_most(duel: Duel):
    """R7: the embedded site has one worker, and a whole board may take it a third of a second."""
    turns: list[int] = []
    while analyses.work(between=lambda: turns.append(1)):
        pass
    assert len(turns) == sum(map(len, GUESSES))


def test_what_goes_wrong_in_between_costs_no_board(duel: Duel):
    def fail() -> None:
        raise RuntimeError("a sweep that fails")

    while analyses.work(between=fail):
        pass
    assert Analysis.objects.filter(match_id=duel.id, steps__isnull=False).count() == len(GUESSES)


def test_however_long_the_match_it_is_read_in_as_many_queries(duel: Duel):
    same = (GUESSES[0][:1] * 20, GUESSES[1][:1] * 20)
    long = played(Duel(players=duel.players, repeats=False), same).end()
    work_out()
    counts = set()
    for match in (duel, long):
        with CaptureQueriesContext(connection) as statements:
            asked(match)
        counts.add(len([query for query in statements if "outage" not in query["sql"]]))  # now and then
    assert len(counts) == 1


# How long it takes


def twenty(chance: Random, puzzle: Puzzle, kind: str) -> list[str]:
    """Guesses of one board, none of them right. 11111, 22222 where that is lawful, else 12345, 23456."""
    secrets = [code[: puzzle.length] for code in ("31650", "90718")]
    every = [code for code in puzzle.guesses if code not in secrets]
    match kind:
        case "random":
            return chance.sample(every, 20)
        case "the same":
            return [chance.choice(every)] * 20
        case _:
            step = 0 if puzzle.repeats or puzzle.free else 1
            return [
                "".join(str((n + step * place) % 10) for place in range(puzzle.length)) for n in range(20)
            ]


@pytest.mark.parametrize("kind", ["random", "the same", "11111, 22222"])
def test_any_finished_match_of_forty_guesses_is_answered_within_200_ms(kind: str):
    players, chance, took = (person("ada"), person("bob")), Random(kind), []
    for puzzle in PUZZLES if kind == "random" else PUZZLES[::3]:
        duel = Duel(
            "probe" if puzzle.free else "duel",
            players=players,
            length=puzzle.length,
            repeats=puzzle.repeats,
            feedback="positions" if puzzle.positions else "totals",
        )
        length = puzzle.length
        duel.start("31650"[:length], "90718"[:length])
        for own, theirs in zip(*(twenty(chance, puzzle, kind) for _ in (0, 1)), strict=True):
            duel.guess(0, own)
            duel.guess(1, theirs)
        duel.end()
        work_out()
        for path in (f"/api/v1/matches/{duel.id}/analysis", f"/m/{duel.id}/analysis/"):
            client = signed_in(players[0])
            for _ in range(3):
                began = thread_time()
                assert client.get(path).status_code == 200
                took.append(thread_time() - began)
    assert sorted(took)[len(took) * 95 // 100] < 0.2


def work_out() -> None:
    while analyses.work():
        pass


def loaded(duel: Duel) -> queries.Loaded:
    return queries.load(duel.id)
