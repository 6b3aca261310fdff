"""What the scaled site needs of the machine itself: tests of it start servers of their own."""

import pytest

from tests.conftest import NEEDS_WHAT
from tests.faults import stalls
from tests.faults.scaled import MISSING


@pytest.hookimpl(trylast=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """As for every other lack: skipped and said so, and failed in CI."""
    if MISSING and item.get_closest_marker("postgres"):
        pytest.skip(f"{NEEDS_WHAT}{', '.join(MISSING)}")


@pytest.fixture(scope="session", autouse=True)
def metronome() -> None:
    stalls.begin()
