"""`make play`: one process that starts whole, refuses in one line, and ends in order."""

import signal
import socket
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest

from tests.site import ROOT, Site, free_port, run


def get(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as answer:
        return answer.code


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_told_to_stop(how: signal.Signals, tmp_path: Path) -> None:
    with Site(tmp_path / "data", first=True) as site:
        assert get(f"{site.url}/admin/login/") == 200
        assert site.stop(how) == 0  # fails by itself where nothing ends
        assert "Traceback" not in site.errors()
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.1", site.port), 1)


def test_a_second_start_keeps_the_key_and_takes_seconds(tmp_path: Path) -> None:
    with Site(tmp_path / "data") as site:
        key = (tmp_path / "data" / "secret_key").read_text()
        site.stop()
        site.start()
        used = psutil.Process(site.process.pid).cpu_times()
        assert used.user + used.system < 10  # what a machine has to do, however busy it is
        assert (tmp_path / "data" / "secret_key").read_text() == key


def test_nothing_is_left_in_the_repository(site: Site) -> None:
    time.sleep(1.5)  # beat has asked at least once
    site.stop()
    assert not list(ROOT.glob("celerybeat*"))


def test_a_folder_is_served_once(site: Site) -> None:
    second = run("play", DATA=site.settings["DATA"], PORT=str(free_port()))
    assert second.returncode != 0
    assert second.stderr.startswith("DATA: the site in ")
    assert second.stderr.count("\n") == 1


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = run("play", DATA=str(tmp_path / "data"), PORT=port)
    assert ended.returncode != 0
    assert ended.stderr.startswith(f"PORT: cannot listen on port {port}")
    assert ended.stderr.count("\n") == 1


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "numbers.sqlite3").write_text("no database, but long enough to be mistaken for one " * 20)
    ended = run("play", DATA=str(tmp_path), PORT=str(free_port()), DATABASE_URL="", REDIS_URL="")
    assert ended.returncode != 0
    assert ended.stderr == "DATA: the database cannot be used: file is not a database.\n"


@pytest.mark.parametrize(
    ("name", "value"),
    [("DATABASE_URL", "postgres://nobody@127.0.0.1:1/none"), ("REDIS_URL", "redis://127.0.0.1:1/0")],
)
def test_a_server_that_does_not_answer_is_named(name: str, value: str, tmp_path: Path) -> None:
    servers = {"DATABASE_URL": "", "REDIS_URL": "", name: value}
    ended = run("play", DATA=str(tmp_path), PORT=str(free_port()), **servers)
    assert ended.returncode != 0
    assert ended.stderr.startswith(f"{name}: no ")
    assert ended.stderr.count("\n") == 1


def test_a_host_that_is_not_ours_gets_no_page(site: Site) -> None:
    strange = urllib.request.Request(f"{site.url}/admin/login/", headers={"Host": "elsewhere.example"})
    with pytest.raises(urllib.error.HTTPError, match="400"):
        urllib.request.urlopen(strange, timeout=10)
    assert site.errors() == ""
