"""What tests of ratings share."""

from tests.builders import in_english

__all__ = ["in_english"]
