"""What tests of bots share."""

from tests.builders import in_english
from tests.matches.conftest import fresh_process

__all__ = ["fresh_process", "in_english"]
