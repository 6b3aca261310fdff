"""Calls go to a push service of the test's own, after a commit that is one."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.builders import in_english
from tests.lobby.calls.endpoint import Service, service

__all__ = ["in_english"]


@pytest.fixture
def push_service(transactional_db: None, settings: Settings) -> Iterator[Service]:
    with service() as found:
        settings.PUSH_SERVICES = (found.url,)
        yield found
