"""The scaled site: any of its processes may die, and so may its servers, while fifty matches are played on it."""

import signal
import time
from collections.abc import Iterator

import pytest

from tests.faults import proof
from tests.faults.crowd import Crowd, Duel, Player, now_ms, sleep_until, wait_for
from tests.faults.proof import Outage, say
from tests.faults.scaled import Role, Scaled, end
from tests.faults.scenes import LONG, MENU, fifty_outlive, judge, open_page
from tests.faults.stalls import slack_ms
from tests.tournaments.entrants import BRISK, play

pytestmark = [pytest.mark.postgres, pytest.mark.redis, pytest.mark.timeout(240)]

ROLES: tuple[Role, ...] = ("worker", "beat", "web")


@pytest.fixture(scope="module")
def running() -> Iterator[Scaled]:
    with Scaled(**MENU, **BRISK) as scaled:
        yield scaled


@pytest.fixture
def place(running: Scaled) -> Scaled:
    """Every test begins with the whole site."""
    running.is_whole()
    return running


# Everything


def test_killed_in_the_middle_of_fifty_matches_nobody_loses_anything(place: Scaled) -> None:
    """R5.4: kill -9 of everything but the servers, and a start 20 s later."""
    crowd, outage = fifty_outlive(place.port, lambda: place.outage(20))
    proof.require(proof.cut_off(crowd, outage, None))


# One of several


def test_one_web_process_of_two_takes_nobody_along(place: Scaled) -> None:
    """Its players are at once on the other, whose players notice nothing; who stays away is not taken for there."""
    with Crowd(place.port) as crowd:
        duels = crowd.seat(50, LONG)
        crowd.plays()
        lost = duels[:12]
        for duel in lost:
            duel.players[1].returns = False
        victim = place.pids("web")[0]

        replaced = place.replaced("web", victim)
        killed = now_ms()
        end(victim)

        wait_for("its replacement", replaced, 20)
        hit = {player for player in crowd.players if player.ended}
        assert 10 < len(hit) < len(crowd.players) - 10
        gone = [duel for duel in lost if duel.players[1] in hit]
        assert gone
        returns = [player for player in hit if player.returns]
        wait_for("returns", lambda: all(len(player.opened) > 1 for player in returns), 5)
        wait_for("absences", lambda: not any(duel.players[0].present[1] for duel in gone), 12)
        say(f"the dead process's seats away after {now_ms() - killed} ms; {proof.back(crowd, killed)}")
        for duel in gone:
            away = duel.players[0].truth()["seats"][1]
            assert not away["connected"]
            assert away["forfeits_at"] > now_ms()
            duel.players[1].returns = True
        crowd.goes_on(now_ms())
        for player in set(crowd.players) - hit:
            assert player.ended == []
            assert slowest(player, killed) <= 2000 + slack_ms()
        judge(crowd, Outage(killed, killed))  # no outage: clocks went on, and exactly so
        nobody_is_left(crowd, place)


@pytest.mark.parametrize("role", ["worker", "beat"])
def test_without_worker_or_beat_flags_fall_all_the_same(role: Role, place: Scaled) -> None:
    """R5.4: no outage. A watched flag is claimed within 0.3 s; any other settled by the replacement, dated as due."""
    with Crowd(place.port) as crowd:
        others = crowd.seat(10, LONG)
        crowd.plays(2, others)
        flags = crowd.seat(16, 4, pace=60.0)
        watched, unwatched = flags[:8], flags[8:]
        for duel in watched:
            duel.set(claims=True)
        wait_for("play", lambda: all(duel.begins for duel in flags), 10)
        for duel in unwatched:
            duel.set(here=False)
        falls = {duel: duel.falls for duel in flags}
        sleep_until(min(at for _, at in falls.values()) - 300)

        victim = place.pids(role)[0]
        replaced = place.replaced(role, victim)
        end(victim)
        killed = now_ms()

        wait_for("claims", lambda: all(duel.over for duel in watched), 8)
        wait_for("the sweep", lambda: all(over(duel) for duel in unwatched), 25)
        settled = now_ms() - killed
        claimed = [slowest(player, killed) for duel in watched for player in duel]
        say(
            f"no {role}: claimed flags told after {max(claimed)} ms; all others settled {settled} ms after the kill"
        )
        assert replaced()
        assert max(claimed) <= 300 + slack_ms()
        for duel, (seat, at) in falls.items():
            result = duel.players[0].truth()["result"]
            assert result == {"outcome": "win", "winner": 1 - seat, "reason": "time", "at": at}
        assert [ended for duel in others for player in duel for ended in player.ended] == []
        crowd.duels = others
        judge(crowd, Outage(killed, killed))
        crowd.duels = others + flags


def test_two_beats_and_two_workers_make_one_ending_each(place: Scaled) -> None:
    """D9, R5: both players claim, and two sweeps a second run beside each other."""
    celery = ("-m", "celery", "--app", "numbers_site", "--quiet")
    place.run_beside(*celery, "beat", "--loglevel", "WARNING", "--pidfile=")
    place.run_beside(*celery, "worker", "--pool", "threads", "--concurrency", "4", "--hostname", "second@%h")
    time.sleep(4)
    with Crowd(place.port) as crowd:
        flags = crowd.seat(24, 4, pace=60.0)
        for duel in flags[:12]:
            duel.set(claims=True)
        wait_for("play", lambda: all(duel.begins for duel in flags), 10)
        for duel in flags[12:]:
            duel.set(here=False)
        falls = {duel: duel.falls for duel in flags}
        wait_for("ends", lambda: all(over(duel) for duel in flags), 15)
        time.sleep(2)  # for whoever would end one again
        for duel, (seat, at) in falls.items():
            truth = duel.players[0].truth()
            assert truth["result"] == {"outcome": "win", "winner": 1 - seat, "reason": "time", "at": at}
            assert ends(place, duel) == [(truth["version"],)]
        proof.require(proof.nothing_lost(crowd))


# Tournaments


@pytest.mark.timeout(360)
def test_one_of_eight_and_one_of_fifty_run_by_themselves_to_their_champions(place: Scaled) -> None:
    """R8.2 to R8.7: over two web processes; worker, beat and one of the two are killed while fifty play."""

    def kill() -> None:
        for role in ROLES:
            end(place.pids(role)[0])

    eight = play(place.port, place.settings, 8, prefix="eight")
    assert [len(drawn) for drawn in eight[0].told[-1]["rounds"]] == [4, 2, 1]
    fifty = play(place.port, place.settings, 50, prefix="fifty", absent=2, quitting=2, meanwhile=kill)
    assert len(fifty[0].told[-1]["rounds"][0]) == 25


# The servers


def test_redis_may_be_restarted(place: Scaled) -> None:
    """Without it matches go on, each event told within 2 s; with it again as before. No outage: clocks run."""
    with Crowd(place.port) as crowd:
        crowd.seat(50, LONG)
        crowd.plays()

        stopped = now_ms()
        place.redis.stop(signal.SIGKILL)
        crowd.goes_on(stopped)
        went_on = now_ms() - stopped
        sleep_until(stopped + 5000)
        place.redis.start()
        back = now_ms()

        place.is_whole()
        say(
            f"without Redis two guesses everywhere after {went_on} ms; ready {now_ms() - back} ms after its return"
        )
        without = [slowest(player, stopped, back) for player in crowd.players]
        say(f"told without Redis within {max(without)} ms")
        time.sleep(3)
        again = now_ms()
        crowd.goes_on(again)
        after = [slowest(player, again) for player in crowd.players]
        say(f"told with Redis within {max(after)} ms")
        assert max(without) <= 2000 + slack_ms()
        assert sorted(after)[len(after) // 2] <= 500 + slack_ms()
        assert [player.ended for player in crowd.players if player.ended] == []
        judge(crowd, Outage(stopped, stopped))
        nobody_is_left(crowd, place)


@pytest.mark.parametrize("seconds", [0, 7])
def test_postgresql_may_be_restarted(seconds: int, place: Scaled) -> None:
    """D21: no line hangs, and the second guess after its return is taken. More than 3 s are credited (R5.4)."""
    with Crowd(place.port) as crowd:
        crowd.seat(50, LONG)
        crowd.plays()
        pages = [open_page(duel.players[1]) for duel in crowd.duels[:25]]

        stopped = now_ms()
        place.postgres.stop()
        sleep_until(stopped + seconds * 1000)
        place.postgres.start()
        outage = Outage(stopped, now_ms())

        crowd.goes_on(outage.ended)
        took = [
            asked.answered - max(asked.first_sent, outage.ended)
            for player in crowd.players
            for asked in list(player.asked)
            if asked.answered and asked.answered > stopped
        ]
        say(f"down {outage.ms} ms; {proof.back(crowd, outage.ended)}; answers after {max(took)} ms at most")
        assert max(took) <= 10_000 + slack_ms()
        for player in crowd.players:  # both web processes are alive: neither is taken for dead
            assert 1012 not in [ended.why for ended in player.ended]
        if seconds:
            judge(crowd, outage)
        else:
            crowd.settle()
            proof.require(proof.nothing_lost(crowd), proof.hung(crowd))
            proof.require(proof.ended_otherwise(crowd))
        for page in pages:
            page.tcp.close()
        nobody_is_left(crowd, place)


# What they ask


def over(duel: Duel) -> bool:
    return bool(duel.players[0].truth()["status"] == "over")


def ends(place: Scaled, duel: Duel) -> list[tuple[int]]:
    """The versions of the events that ended a match."""
    statement = f"SELECT version FROM matches_event WHERE match_id = '{duel.id}' AND kind = 'over'"
    return place.postgres.run(statement, "numbers")


def slowest(player: Player, since: int, until: int | None = None) -> int:
    """How long (ms) the latest-told event of that time took to reach a player who was there."""
    return max(
        (
            heard.at - heard.frame["server_time"]
            for heard in player.events
            if since <= heard.frame["server_time"] <= (until or now_ms())
            and heard.frame["server_time"] > player.opened[-1]
        ),
        default=0,
    )


def nobody_is_left(crowd: Crowd, place: Scaled) -> None:
    """Once all have gone, no seat is taken for connected: no socket was forgotten on the way."""
    crowd.set(here=False)
    matches = ", ".join(f"'{duel.id}'" for duel in crowd.duels)
    statement = f"SELECT count(*) FROM matches_connection WHERE match_id IN ({matches})"
    wait_for("goodbyes", lambda: place.postgres.run(statement, "numbers") == [(0,)], 15)
