"""Against Easy over the wire: the whole site in a process of its own, its worker and its beat."""

import signal
import time
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.matches.test_live import Player
from tests.site import Site


def challenge(site: Site, level: str) -> tuple[str, Player]:
    """A guest against a bot, the guest's socket open and the guest's number chosen."""
    player = Player(site)
    status, made = player.ask("POST", "/challenges", {"opponent": f"bot:{level}"})
    assert status == 201, made
    match = str(made["match"])
    player.open(match)
    player.next(type="match")
    assert player.do("secret", code="7305")["type"] == "ok"
    return match, player


def heard(player: Player, **wanted: Any) -> int:
    """How many such frames have come."""
    return sum(wanted.items() <= frame.items() for frame in player.heard)


def match_says(frame: dict[str, Any], seat: int) -> bool:
    return frame.get("event") == "guess" and frame["seat"] == seat


def wait(player: Player, times: int = 1, **wanted: Any) -> bool:
    """Read on until so many such frames have come. False if the match is over first."""
    while heard(player, **wanted) < times:
        if heard(player, event="over"):
            return False
        player.next()
    return True


@pytest.mark.parametrize("level", ["easy", "hard"])
def test_a_whole_duel_against_a_bot(tmp_path: Path, level: str) -> None:
    """R7: it answers within its delay and the moment a sweep takes, and takes the rematch."""
    with Site(tmp_path / "data", BOT_DELAY="0.3-0.5") as site:
        match, player = challenge(site, level)
        wait(player, event="started")
        (started,) = (frame for frame in player.heard if frame.get("event") == "started")
        moves = started["turn"]
        waits: list[int] = []
        wait(player, moves, event="guess", seat=1)
        while player.ask("GET", f"/matches/{match}")[1]["status"] == "playing":
            assert player.do("guess", code="9999")["type"] == "ok"
            moves += 1
            wait(player, moves, event="guess", seat=1)
            asked, answered = (
                [frame["guess"]["at"] for frame in player.heard if match_says(frame, seat)][-1]
                for seat in (0, 1)
            )
            waits.append(answered - asked)
        result = player.ask("GET", f"/matches/{match}")[1]["result"]
        assert (result["winner"], result["reason"]) == (1, "broken")
        assert min(waits) >= 300
        assert median(waits) < 8000  # a machine may be busy for a moment
        assert player.do("rematch")["type"] == "ok"
        while (
            not heard(player, event="rematch")
            or not player.ask("GET", f"/matches/{match}")[1]["rematch"]["match"]
        ):
            player.next()
        assert "Traceback" not in site.errors()


def test_a_site_that_is_killed_while_a_bot_thinks_plays_its_move_once_it_is_back(tmp_path: Path) -> None:
    """R7, D9"""
    with Site(tmp_path / "data", BOT_DELAY="2-2") as site:
        match, player = challenge(site, "medium")

        def theirs() -> list[Any]:
            seats: list[Any] = player.ask("GET", f"/matches/{match}")[1]["seats"]
            return list(seats[1]["guesses"])

        wait(player, event="started")
        if player.ask("GET", f"/matches/{match}")[1]["turn"] == 1:
            wait(player, event="guess", seat=1)
        before = len(theirs())
        assert player.do("guess", code="9999")["type"] == "ok"
        site.stop(signal.SIGKILL)
        site.start()
        deadline = time.monotonic() + 60
        while len(theirs()) == before and time.monotonic() < deadline:
            time.sleep(0.2)
        time.sleep(1)
        assert len(theirs()) == before + 1
