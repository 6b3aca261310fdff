"""Tournaments that run by themselves: the site as `make play` starts it, its own beat, and programs that play (R8)."""

import signal
from pathlib import Path

import pytest

from tests.conftest import SQLITE
from tests.faults.places import Place
from tests.faults.scenes import MENU
from tests.tournaments.entrants import BRISK, play

pytestmark = [
    pytest.mark.timeout(360),
    pytest.mark.skipif(not SQLITE, reason="the embedded site is the same with and without servers"),
]


def test_one_of_eight_and_one_of_fifty_run_by_themselves_to_their_champions(tmp_path: Path) -> None:
    """R8.2 to R8.7: nobody but the clock starts them, draws their rounds or crowns anybody; fifty outlive kill -9."""
    with Place(tmp_path / "data", **MENU, **BRISK) as site:
        eight = play(site.port, site.settings, 8, prefix="eight")
        assert [len(drawn) for drawn in eight[0].told[-1]["rounds"]] == [4, 2, 1]
        fifty = play(
            site.port,
            site.settings,
            50,
            prefix="fifty",
            absent=2,
            quitting=2,
            meanwhile=lambda: site.outage(signal.SIGKILL, 0),
        )
        assert len(fifty[0].told[-1]["rounds"][0]) == 25
        assert "Traceback" not in site.errors()
