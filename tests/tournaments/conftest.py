"""What tests of tournaments share."""

import pytest
from django.conf import settings as site_settings

from tests.builders import in_english
from tests.matches.conftest import dial, fresh_process, heart, loop

__all__ = ["dial", "fresh_process", "heart", "in_english", "loop"]


@pytest.fixture(autouse=True)
def no_pause(settings: type(site_settings)) -> None:  # type: ignore[valid-type]
    """The next round is due as soon as one has ended: tests wait for no clock."""
    settings.ROUND_PAUSE_SECONDS = 0
