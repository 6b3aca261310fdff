"""What every test may ask for: which servers and browsers this machine has, and what went untested for want of them."""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.db import connection
from pytest_django import DjangoDbBlocker

from matches import uptime
from tests.site import Site, preparing_once

Counts = Callable[[int], AbstractContextManager[Any]]

# An example that takes long says something of the machine: no test of ours asks how quick one is.
hypothesis.settings.register_profile(
    "patient",
    parent=hypothesis.settings(),
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("patient")

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SQLITE = "sqlite3" in settings.DATABASES["default"]["ENGINE"]


def find_chromium() -> str | None:
    named = os.environ.get("CHROMIUM")
    return shutil.which(named) if named else next(filter(None, map(shutil.which, BROWSERS)), None)


NEEDS_WHAT = "needs "
"""How a test that is skipped for want of something says so."""
# Marker: is it there?, what is missing
NEEDS = {
    "browser": (find_chromium() is not None, "Chromium (apt-get install chromium, or CHROMIUM=path)"),
    "postgres": (not SQLITE, "PostgreSQL (DATABASE_URL=postgres://…)"),
    "redis": (bool(settings.REDIS_URL), "Redis (REDIS_URL=redis://…)"),
}


@pytest.fixture
def outages_known(db: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Outages are looked up once a second: what is counted is told from now on without, however slow the machine."""

    def know() -> None:
        uptime.gaps()
        monkeypatch.setattr(type(uptime._known), "fresh", lambda known: True)

    return know


@pytest.fixture
def django_assert_num_queries(django_assert_num_queries: Counts, outages_known: Callable[[], None]) -> Counts:
    def counted(number: int) -> AbstractContextManager[Any]:
        outages_known()
        return django_assert_num_queries(number)

    return counted


def pytest_configure(config: pytest.Config) -> None:
    """Quick instead of safe, and files as they lie in static/: the tests prove neither Argon2 nor hashed names."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    # A database of tests need not outlive the machine: no commit waits for the disk.
    options = settings.DATABASES["default"]["OPTIONS"]
    if SQLITE:
        options["init_command"] += "PRAGMA synchronous=OFF;"
    else:
        options["options"] = "-c synchronous_commit=off"
    settings.WHITENOISE_AUTOREFRESH = True
    settings.WHITENOISE_USE_FINDERS = True
    if not hasattr(config, "workerinput"):  # those who run side by side share what the first of them has made
        run = ExitStack()
        run.enter_context(preparing_once())
        config.add_cleanup(run.close)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker, (there, what) in NEEDS.items():
        if item.get_closest_marker(marker) and not there:
            pytest.skip(f"{NEEDS_WHAT}{what}")


def missed(config: pytest.Config) -> Counter[str]:
    """How many tests were skipped for want of what. Read from the reports, since workers may have run them."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reasons = [str(report.longrepr[2]) for report in reporter.stats.get("skipped", ())] if reporter else []
    return Counter(
        reason.partition(NEEDS_WHAT)[2] for reason in reasons if reason.startswith(f"Skipped: {NEEDS_WHAT}")
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for what, tests in missed(terminalreporter.config).items():
        terminalreporter.write_line(f"NOT TESTED for want of {what}: {tests} test(s)", yellow=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """CI has everything: there, what went untested has failed. A run on SQLite is followed by one on the servers."""
    untested = [what for what in missed(session.config) if not (SQLITE and what != NEEDS["browser"][1])]
    if untested and os.environ.get("CI") == "true" and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A file, since live servers read from other threads; a folder of its own, so that two runs do not meet."""
    if SQLITE:
        settings.DATABASES["default"]["TEST"]["NAME"] = str(
            tmp_path_factory.mktemp("database") / "test.sqlite3"
        )


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """A thread that ended without closing its connection would keep PostgreSQL from dropping the tests' database."""
    yield
    if not SQLITE:
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.fixture(scope="session")
def chromium_path() -> str:
    path = find_chromium()
    assert path is not None, "mark the test with @pytest.mark.browser"
    return path


@pytest.fixture(autouse=True)
def rows_beside_a_browser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Playwright's synchronous API keeps a loop running in the test's thread, where Django would refuse all queries."""
    if request.node.get_closest_marker("browser"):
        monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """The site as players meet it. For other settings: `with Site(tmp_path / "data", GRACE_SECONDS="2") as site`."""
    with Site(tmp_path / "data") as running:
        yield running


@pytest.fixture(scope="session")
def artifacts() -> Path:
    """Where screenshots and recordings are left for people to look at."""
    folder = Path(__file__).parent.parent / "artifacts"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    """Rate limits count in the cache: none carries over from test to test."""
    from django.core.cache import cache  # the settings above must be in force first

    yield
    cache.clear()
