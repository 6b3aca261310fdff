"""The embedded site, ended in every way while it is played on: R5.4, and what a lost line may cost (nothing)."""

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import SQLITE
from tests.faults import proof
from tests.faults.crowd import Crowd, Duel, Player, now_ms, seat_two, sleep_until, wait_for
from tests.faults.places import Place
from tests.faults.proof import say
from tests.faults.scenes import LONG, MENU, come_back, deaf_line, fifty_outlive, judge, open_line, walk_out
from tests.faults.stalls import slack_ms

pytestmark = [
    pytest.mark.timeout(180),
    pytest.mark.skipif(not SQLITE, reason="the embedded site is the same with and without servers"),
]

Scenario = Callable[[Path], None]
Begun = dict[Scenario, "Future[None]"]
quiet: list[Scenario] = []


def meanwhile(scenario: Scenario) -> Callable[[Begun], None]:
    """A test that mostly waits: begun with the first of this file, on a site of its own; its turn is its outcome."""

    def test(begun: Begun) -> None:
        begun[scenario].result(120)

    test.__name__, test.__doc__ = scenario.__name__, scenario.__doc__
    quiet.append(scenario)
    return test


@pytest.fixture(scope="module", autouse=True)
def begun(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Begun]:
    wanted = {item.name for item in request.session.items if item.path == request.path}
    with ThreadPoolExecutor(3) as pool:  # more would only wait for a processor
        yield {
            scenario: pool.submit(scenario, tmp_path_factory.mktemp("quiet") / "data")
            for scenario in quiet
            if scenario.__name__ in wanted
        }


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with Place(tmp_path / "data", **MENU) as running:
        yield running


# The site ends


def test_killed_in_the_middle_of_fifty_matches_nobody_loses_anything(place: Place) -> None:
    """R5.4: kill -9, and a start 20 s later."""
    crowd, outage = fifty_outlive(place.port, lambda: place.outage(signal.SIGKILL, 20))
    proof.require(proof.cut_off(crowd, outage, None))
    assert "Traceback" not in place.errors()


def test_a_deploy_costs_nobody_a_second(place: Place) -> None:
    """R5.4: TERM, and a start 5 s later. Every line is told to come back (1012)."""
    with Crowd(place.port) as crowd:
        duels = crowd.seat(30, LONG)
        left = crowd.seat(5, LONG)
        crowd.plays()
        walk_out(left)

        outage = place.outage(signal.SIGTERM, 5)

        crowd.goes_on(outage.ended, duels)
        say(proof.back(crowd, outage.ended))
        come_back(left, outage)
        crowd.goes_on(outage.ended)
        judge(crowd, outage)
        proof.require(proof.cut_off(crowd, outage, 1012))
        assert "Traceback" not in place.errors()


@meanwhile
def test_a_frozen_process_is_an_outage_too(data: Path) -> None:
    """R5.4: STOP, and CONT 8 s later: nobody could commit in between."""
    with Place(data, **MENU) as place, Crowd(place.port) as crowd:
        duels = crowd.seat(9, LONG)
        left = crowd.seat(3, LONG)
        crowd.plays()
        walk_out(left)

        outage = place.freeze(8)

        crowd.goes_on(outage.ended, duels)
        come_back(left, outage)
        crowd.goes_on(outage.ended)
        judge(crowd, outage)


@meanwhile
def test_a_deploy_waits_for_no_dead_phone_at_the_players_cost(data: Path) -> None:
    """R5.4: a client that never answers the goodbye delays the stop, and is charged to no clock."""
    with Place(data, **MENU) as place, Crowd(place.port) as crowd:
        crowd.seat(3, LONG)
        crowd.plays()
        with deaf_line(crowd.duels[0].players[0]):
            outage = place.outage(signal.SIGTERM, 7)
        crowd.goes_on(outage.ended)
        judge(crowd, outage)


@meanwhile
def test_what_the_layer_loses_reaches_everybody_in_time(data: Path) -> None:
    """Of what goes through the channel layer 30 % is lost, more comes twice or late: each event is told once, in order,
    within 2 s.
    """
    with (
        Place(data, **MENU, DJANGO_SETTINGS_MODULE="tests.faults.lossy") as place,
        Crowd(place.port) as crowd,
    ):
        duels = crowd.seat(12, LONG)
        crowd.plays(4)
        walk_out(duels[:6])  # who is there is told as surely
        for duel in duels[:6]:
            duel.set(here=True)
        crowd.plays(8)
        crowd.settle()
        proof.require(proof.nothing_lost(crowd), proof.presence_untold(crowd))
        crowd.finish()
        lines = {player: player.opened[-1] for player in crowd.players}
        late = sorted(
            heard.at - heard.frame["server_time"]
            for player, opened in lines.items()
            for heard in player.events
            if heard.frame["server_time"] > opened
        )
        lost = (data / "lost").stat().st_size
        say(
            f"{lost} messages lost of {len(late)}; half told within {late[len(late) // 2]} ms, all {late[-1]}"
        )
        assert lost > 0.2 * len(late)
        assert late[-1] <= 2000 + slack_ms()
        proof.require(proof.ended_otherwise(crowd, "broken", "resigned"))


# Somebody goes


@meanwhile
def test_a_flag_that_falls_with_nobody_there_is_settled_in_time(data: Path) -> None:
    """D7, R4.6: within 2 s, and dated at the instant it fell."""
    with Place(data, **{**MENU, "GRACE_SECONDS": "600"}) as place, Crowd(place.port) as crowd:
        duels = crowd.seat(10, 4, pace=60.0)
        wait_for("play", lambda: all(duel.begins for duel in duels), 10)
        crowd.set(here=False)
        falls = {duel: duel.falls for duel in duels}
        took: dict[Duel, int] = {}
        end = now_ms() + 10_000
        while len(took) < len(duels) and now_ms() < end:
            ended = place.over()
            for duel in duels:
                if duel.id in ended and duel not in took:
                    took[duel] = now_ms() - falls[duel][1]
            time.sleep(0.02)
        say(f"flags settled after {sorted(took.values())} ms")
        for duel, (seat, at) in falls.items():
            result = duel.players[0].truth()["result"]
            assert result == {"outcome": "win", "winner": 1 - seat, "reason": "time", "at": at}
            assert took[duel] <= 2000 + slack_ms()
        assert (place.process.poll(), place.errors()) == (None, "")


@meanwhile
def test_graces_end_when_and_for_whom_they_should(data: Path) -> None:
    """D10, D11, R5.3, each with a match of its own and a grace of 3 s."""
    with Place(data, **{**MENU, "GRACE_SECONDS": "3"}) as place:
        with ThreadPoolExecutor(len(ABSENCES)) as pool:
            running = [pool.submit(absence, place.port) for absence in ABSENCES]
        for absence in running:
            absence.result()
        assert place.errors() == ""


@meanwhile
def test_who_vanishes_without_a_goodbye_is_noticed(data: Path) -> None:
    """Within 25 s: the line stays open and nobody reads at its other end."""
    with Place(data, **{**MENU, "GRACE_SECONDS": "60"}) as place, Crowd(place.port) as crowd:
        duel = crowd.seat(1, LONG)[0]
        there, gone = duel
        crowd.plays(1)
        gone.here = False
        wait_for("the absence", lambda: not there.present[1], 5)
        with deaf_line(gone):
            vanished = time.monotonic()
            wait_for("the return", lambda: there.present[1], 5)
            wait_for("the absence", lambda: not there.present[1], 25)
            say(f"noticed after {time.monotonic() - vanished:.1f} s")
        noticed = there.presence(1)[-1]
        assert abs(noticed.frame["forfeits_at"] - (noticed.at + 60_000)) < 1000 + slack_ms()


def reload(port: int) -> None:
    """D10: reloads and a second tab. The old line's end after the new one's beginning begins no grace."""
    duel, there = watched(port)
    gone = duel.players[0]
    line = open_line(gone)
    for _ in range(5):
        line.tcp.close()
        time.sleep(0.4)
        line = open_line(gone)
    with open_line(gone):
        before = len(there.presence(0))
        line.tcp.close()
        time.sleep(5)
        assert there.present[0]
        assert all(heard.frame["connected"] for heard in there.presence(0)[before:])
        assert duel.players[1].truth()["status"] == "playing"
    there.stop()


def the_other_thinks(port: int) -> None:
    """D11: who is away forfeits, also while the other is to move; told within a second, and dated as told."""
    duel, there = watched(port, watcher=0)
    gone = duel.players[1]
    line = open_line(gone)
    wait_for("the return", lambda: there.present[1], 5)
    line.tcp.close()
    left = now_ms()
    wait_for("the absence", lambda: not there.present[1], 5)
    told = there.presence(1)[-1]
    assert told.at - left <= 1000 + slack_ms()
    assert 0 <= told.frame["forfeits_at"] - (left + 3000) <= 1000 + slack_ms()
    ended(there, winner=0, reason="forfeit", at=told.frame["forfeits_at"])


def an_old_grace(port: int) -> None:
    """D11: an absence that ended never ends the match in a later one."""
    duel, there = watched(port)
    gone = duel.players[0]
    leave(gone, there)
    time.sleep(2)
    line = open_line(gone)
    wait_for("the return", lambda: there.present[0], 5)
    assert there.presence(0)[-1].frame["forfeits_at"] is None
    time.sleep(2)
    line.tcp.close()
    left = now_ms()
    wait_for("the absence", lambda: not there.present[0], 5)
    told = there.presence(0)[-1]
    assert told.frame["forfeits_at"] >= left + 3000 - 1
    ended(there, winner=1, reason="forfeit", at=told.frame["forfeits_at"])


def one_after_the_other(port: int) -> None:
    """D11: the first grace to end decides, and nothing later changes it."""
    duel, there = watched(port)
    gone = duel.players[0]
    leave(gone, there)
    due = there.presence(0)[-1].frame["forfeits_at"]
    time.sleep(1.5)
    there.here = False
    sleep_until(due + 2000)
    result = there.truth()["result"]
    assert result == {"outcome": "win", "winner": 1, "reason": "forfeit", "at": due}
    there.here = True
    with open_line(gone):
        assert gone.api.ask("POST", f"/api/v1/matches/{gone.match}/resign")[0] == 409
        time.sleep(2)
    assert there.truth()["result"] == result
    there.stop()


def nobody_ever_came(port: int) -> None:
    """R5.3: both away and neither ever committed."""
    before = now_ms()
    player = seat_two(port, LONG).players[0]
    made = now_ms()
    wait_for("the end", lambda: player.truth()["status"] == "over", 6)
    result = player.truth()["result"]
    assert (result["outcome"], result["winner"], result["reason"]) == ("void", None, "unplayed")
    assert before + 3000 <= result["at"] <= made + 3000


ABSENCES = (reload, the_other_thinks, an_old_grace, one_after_the_other, nobody_ever_came)


def watched(port: int, watcher: int = 1) -> tuple[Duel, Player]:
    """A match that is played, with one player there who makes no move; the first mover has seat 0."""
    while (duel := seat_two(port, LONG)).players[0].truth()["first"] != 0:
        pass
    for player in duel:
        player.api.post(f"/matches/{duel.id}/secret", {"code": player.secret})
    there = duel.players[watcher]
    there.mood = "pause"
    there.start()
    wait_for("the watcher", lambda: there.version > 0, 5)
    return duel, there


def leave(player: Player, watcher: Player) -> None:
    """Come, so as to be seen, and go."""
    line = open_line(player)
    wait_for("the return", lambda: watcher.present[player.seat], 5)
    line.tcp.close()
    wait_for("the absence", lambda: not watcher.present[player.seat], 5)


def ended(player: Player, **as_told: object) -> None:
    """It ends so, and within 2 s of then the player is told."""
    wait_for("the end", lambda: player.over, 10)
    over = player.event("over")
    assert over is not None
    assert {name: over.frame["result"][name] for name in as_told} == as_told
    assert over.at - over.frame["result"]["at"] <= 2000 + slack_ms()
    player.stop()
