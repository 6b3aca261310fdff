"""What the repository itself promises: locks that name no host, jobs as JSON, a schedule of jobs that exist."""

import re

import pytest

from numbers_site.celery import app
from tests.site import ROOT


@pytest.mark.parametrize("lock", ["play.lock", "test.lock"])
def test_a_lock_pins_every_file_by_hash_and_names_no_host(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text()
    packages = re.findall(r"^\S.*==.*$", text, re.MULTILINE)
    assert packages
    assert all(line.endswith("\\") for line in packages)
    assert not re.search(r"://|^-|index-url|find-links", text, re.MULTILINE)


def test_both_locks_agree() -> None:
    def pins(lock: str) -> set[str]:
        text = (ROOT / "requirements" / lock).read_text()
        return set(re.findall(r"^(\S+==\S+)", text, re.MULTILINE))

    assert pins("play.lock") <= pins("test.lock")


def test_jobs_travel_as_json() -> None:
    assert app.conf.accept_content == ["json"]
    assert app.conf.task_serializer == "json"


def test_every_job_of_the_schedule_exists_and_is_worthless_when_late() -> None:
    app.loader.import_default_modules()
    for entry in app.conf.beat_schedule.values():
        assert entry["task"] in app.tasks
        assert entry["options"]["expires"] <= max(1, entry["schedule"])
