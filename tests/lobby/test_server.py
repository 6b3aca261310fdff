"""The lobby's sockets on the real server: a frame may have 4 KB, and one that has more ends its own socket only."""

from pathlib import Path

from tests.faults.crowd import Api
from tests.site import Site
from tests.sockets import RawSocket


def test_4_kb_are_refused_in_words_and_more_closes_with_1009(tmp_path: Path) -> None:
    """D20: both sockets, and whoever comes again is told how things stand."""
    with Site(tmp_path / "data") as site:
        ours = {"Origin": site.url}
        seek = Api(site.port, Api(site.port).post("/guest")["token"]).post("/seeks")
        for path in ("/ws/v1/lobby/", "/ws/lobby/?seeks=1"):
            with RawSocket(site.port, path, ours) as calm, RawSocket(site.port, path, ours) as wild:
                assert calm.receive_json()["type"] == wild.receive_json()["type"] == "seeks"
                wild.send("x" * 4096)
                assert wild.receive_json()["code"] == "bad_request"
                wild.send("x" * 1_000_000)
                assert wild.close_code() == 1009
                calm.send("{")
                assert calm.receive_json()["code"] == "bad_request"
            with RawSocket(site.port, path, ours) as again:
                assert seek["id"] in again.receive().decode()
        assert "Traceback" not in site.errors()
