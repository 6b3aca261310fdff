"""A running site is sent what no program of sound mind would send (D20)."""

from pathlib import Path

from tests.fuzz import CLOSES, Fuzz, megabytes, settle
from tests.site import Site
from tests.sockets import RawSocket

FRAMES = 3000


def test_whatever_is_sent_is_refused_and_nothing_breaks_leaks_or_stays(tmp_path: Path) -> None:
    with Site(tmp_path / "data", LIMITS="off", GRACE_SECONDS="9999", BUDGET_SECONDS="1800") as site:
        match_id, paths = settle(site)
        Fuzz(site, paths, seed=1).run(500)
        before = megabytes(site)
        outcome = Fuzz(site, paths, seed=2).run(FRAMES)
        assert outcome.sent == FRAMES
        assert outcome.leaks == []
        assert set(outcome.closes) <= {*CLOSES, 0}, outcome.closes
        assert {"bad_request", "bad_code"} < set(outcome.answers)
        with RawSocket(site.port, *paths[0]) as socket:
            socket.send_json({"type": "flag", "ref": "alive"})
            while (frame := socket.receive_json())["type"] != "ok":
                assert frame["type"] != "refused"
        assert megabytes(site) - before < 40
        assert site.errors() == ""
        assert match_id
