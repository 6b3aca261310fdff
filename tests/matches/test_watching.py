"""Who watches a match: counted over all processes, shown on its page, and nobody's presence (issue 4)."""

import json
import re
import time
from itertools import pairwise
from statistics import median
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from matches import consumers, queries, services
from matches.models import Connection
from tests.builders import Duel, dump, person, signed_in
from tests.matches.conftest import Dial, Lossy, Sent
from tests.matches.lines import Line, by_cookie
from tests.matches.test_pages import read
from tests.matches.test_services import start_anew

pytestmark = pytest.mark.django_db(transaction=True)


def counted(duel: Duel) -> int:
    return queries.watchers([duel.id]).get(duel.id, 0)


def shown(line: Line, watchers: int) -> str:
    """Wait until a page is told this number; what it is told in words."""
    frame = line.until(
        lambda frame: frame["type"] == "watchers" and frame["watchers"] == watchers, patience=3
    )
    assert set(frame) == {"type", "watchers", "html"}
    return read(frame["html"]).strip()


# Rows


def test_spectators_are_counted_by_match_and_players_are_not_among_them() -> None:
    duel, other = Duel(), Duel(players=(person("cleo"), person("dora")))
    duel.arrive(0, 0, 1)
    for name in ("x", "y"):
        services.connect(duel.id, None, name)
    services.connect(other.id, None, "z")
    assert queries.watchers([duel.id, other.id]) == {duel.id: 2, other.id: 1}
    services.disconnect(duel.id, None, "x")
    services.disconnect(duel.id, None, "x")
    services.disconnect(other.id, None, "z")
    assert queries.watchers([duel.id, other.id]) == {duel.id: 1}


def test_a_spectator_changes_nothing_of_the_match() -> None:
    """R5.3: neither its row nor who counts as there; players do not wait for it."""
    duel = Duel().arrive(0).start()
    before = dump()
    services.connect(duel.id, None, "x")
    services.disconnect(duel.id, None, "x")
    assert dump() == before
    services.connect(duel.id, None, "x")
    services.disconnect(duel.id, 0, str(Connection.objects.get(match_id=duel.id, seat=0).pk))
    assert [seat.connected for seat in duel.state.seats] == [False, False]


def test_a_killed_processs_spectators_vanish(monkeypatch: pytest.MonkeyPatch) -> None:
    """R5.3: they die with it, as players' sockets do; those of a living process stay."""
    duel = Duel().arrive(0).start()
    for name in ("x", "y"):
        services.connect(duel.id, None, name)
    start_anew(monkeypatch)
    services.connect(duel.id, None, "z")
    services.sweep()
    assert set(Connection.objects.values_list("pk", flat=True)) == {"z"}
    assert counted(duel) == 1


def test_spectators_whose_goodbye_could_not_be_written_are_found_out() -> None:
    duel = Duel()
    for name in ("ghost", "here"):
        services.connect(duel.id, None, name)
    services.close_ghosts(lambda: {"here"})
    assert set(Connection.objects.values_list("pk", flat=True)) == {"here"}


def test_only_the_first_of_many_is_announced(sent: Sent) -> None:
    """A crowd that comes at once is no storm: whoever shows a number goes on counting."""
    duel = Duel()
    for number in range(20):
        services.connect(duel.id, None, str(number))
    assert [message for _, message in sent] == [{"type": "match.watched"}]


# The page


def test_a_page_says_how_many_watch_while_the_match_is_on() -> None:
    duel = Duel().start()
    for name in ("x", "y", "z"):
        services.connect(duel.id, None, name)
    for user in (*duel.players, None):
        html = signed_in(user).get(f"/m/{duel.id}/").content.decode()
        (number,) = re.findall(r'id="watchers">([^<]*)<', html)
        assert number == "3 watching"
        assert (
            "role=" not in re.findall(r'<p[^>]*id="watchers">', html)[0]
        )  # nothing is read out when it changes
    duel.end()
    assert 'id="watchers"' not in signed_in(None).get(f"/m/{duel.id}/").content.decode()


def test_a_private_match_has_no_room_for_spectators(dial: Dial) -> None:
    duel = Duel(public=False).start()
    for page in (False, True):
        assert not dial(duel, headers=by_cookie(person(f"cleo{page}")), page=page).open
    assert counted(duel) == 0
    assert 'id="watchers"' not in signed_in(duel.players[0]).get(f"/m/{duel.id}/").content.decode()


# Sockets


def test_everybodys_page_is_told_within_two_seconds_who_has_come_and_gone(dial: Dial) -> None:
    """By page and by interface alike; an account or none; a player's second tab is no spectator."""
    duel = Duel().start()
    ada, bob = (dial(duel, headers=by_cookie(player), page=True, since=4) for player in duel.players)
    dial(duel, headers=by_cookie(duel.players[0]), page=True)
    shown(ada, 0)
    changed = [time.monotonic()]
    cleo = dial(duel, headers=by_cookie(person("cleo")), page=True, since=4)
    for line in (ada, bob, cleo):
        assert shown(line, 1) == "1 watching"
    changed.append(time.monotonic())
    bot = dial(duel, person("dora"))
    nobody = dial(duel, headers=by_cookie(None), page=True)
    assert shown(ada, 3) == "3 watching"
    changed.append(time.monotonic())
    for line in (bot, nobody):
        line.close()
    for line in (ada, cleo):
        assert shown(line, 1) == "1 watching"
    changed.append(time.monotonic())
    cleo.close()
    assert shown(bob, 0) == ""
    changed.append(time.monotonic())
    assert (
        median(then - before for before, then in pairwise(changed)) < 10
    )  # a machine may be busy for a moment


def test_the_public_socket_hears_nothing_of_spectators(dial: Dial) -> None:
    """docs/protocol.md: clients are promised its frames and no others."""
    duel = Duel().start()
    line, watcher = dial(duel, duel.players[0]), dial(duel, person("cleo"))
    dial(duel, headers=by_cookie(None), page=True, since=4).next("watchers")
    for each in (line, watcher):
        for _ in range(3):
            each.next("tick")
        assert {json.loads(heard)["type"] for heard in each.heard} <= {"match", "tick", "presence"}


def test_a_whole_stage_carries_the_number_too(dial: Dial) -> None:
    """A page that comes back and has missed something is not told that nobody watches."""
    duel = Duel().start()
    dial(duel, person("cleo")).next("match")
    line = dial(duel, headers=by_cookie(duel.players[0]), page=True, since=3)
    assert "1 watching" in read(line.next("stage")["html"])
    duel.guess(0)
    duel.end()
    assert 'id="watchers"' not in line.until(lambda frame: "Both boards" in frame.get("html", ""))["html"]


def test_a_number_that_the_layer_lost_is_made_good_by_the_next_to_come(dial: Dial, lossy: Lossy) -> None:
    """At most once: it is no move of the match. A page that opens counts for itself."""
    duel = Duel().start()
    services.connect(duel.id, None, "x")
    line = dial(duel, headers=by_cookie(duel.players[0]), page=True, since=4)
    assert shown(line, 1)
    services.connect(duel.id, None, "y")
    assert shown(line, 2)


def test_a_process_asks_once_a_second_for_all_and_not_at_all_where_nobody_watches(
    dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[set[str]] = []
    count = queries.watchers

    def watchers(match_ids: Any) -> dict[str, int]:
        asked.append(set(match_ids))
        return count(asked[-1])

    monkeypatch.setattr(queries, "watchers", watchers)
    monkeypatch.setattr(consumers, "TICK_SECONDS", 0.3)
    monkeypatch.setattr(consumers, "watch", consumers.Watch())
    players = person("ada"), person("bob")
    one, two = (Duel(players=players).start() for _ in range(2))
    lines = [dial(duel, headers=by_cookie(players[0]), page=True, since=4) for duel in (one, two)]
    for line in lines:
        shown(line, 0)
    asked.clear()
    time.sleep(1)
    assert asked == []
    for duel in (one, two):
        services.connect(duel.id, None, duel.id)
    for line in lines:
        shown(line, 1)
    asked.clear()
    time.sleep(1)
    assert asked
    assert all(each == {one.id, two.id} for each in asked)
    assert len(asked) <= 4


# The home page's list


def watchable(duel: Duel) -> queries.Watchable | None:
    return next((found for found in queries.watchable(50) if found.id == duel.id), None)


def test_what_can_be_watched_is_public_and_in_play() -> None:
    duel = Duel(first=0)
    assert watchable(duel) is None
    duel.start()
    duel.guess(0)
    services.connect(duel.id, None, "x")
    found = watchable(duel)
    assert found is not None
    assert (found.names, found.guesses, found.watchers) == (("ada", "bob"), 1, 1)
    assert found.line.replace("\N{NO-BREAK SPACE}", " ") == "5 digits, repeats allowed · per position · 5 min"
    duel.end()
    assert watchable(duel) is None
    assert watchable(Duel(public=False, players=duel.players).start()) is None


def test_ones_own_matches_are_not_among_those_to_watch_and_the_latest_come_first() -> None:
    ada, bob, cleo, dora = (person(name) for name in ("ada", "bob", "cleo", "dora"))
    own = Duel(players=(ada, bob)).start()
    others = [Duel(players=(cleo, dora)).start() for _ in range(3)]
    Duel(players=(cleo, dora)).wait(1000)  # still choosing
    newest_first = [duel.id for duel in reversed(others)]
    assert [found.id for found in queries.watchable(9, ada.pk)] == newest_first
    assert [found.id for found in queries.watchable(2, ada.pk)] == newest_first[:2]
    assert {found.id for found in queries.watchable(9)} == {own.id, *newest_first}
    own.row.seats.filter(index=1).update(player=None)  # bob has deleted the account
    assert own.id in {found.id for found in queries.watchable(9, cleo.pk)}


@pytest.mark.parametrize("many", [1, 20])
def test_what_can_be_watched_takes_four_questions(many: int, django_assert_num_queries: Any) -> None:
    """House habit 6: matches, seats, players, spectators."""
    players, viewer = (person("ada"), person("bob")), person("cleo")
    for _ in range(many):
        Duel(players=players).start()
    with django_assert_num_queries(4):
        assert len(queries.watchable(20, viewer.pk)) == many


@pytest.mark.postgres
def test_what_can_be_watched_is_found_by_the_index_of_live_matches() -> None:
    with CaptureQueriesContext(connection) as captured:
        queries.watchable(5, person("cleo").pk)
    asked = next(
        query["sql"] for query in captured if "matches_match" in query["sql"] and "LIMIT" in query["sql"]
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")  # as among millions
        cursor.execute(f"EXPLAIN {asked}")
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "match_live" in plan
