"""The number of the day, the same for all. Whoever lacks the key cannot know tomorrow's; key and day are handed in."""

import hmac
from collections.abc import Container, Iterable, Iterator
from datetime import date, timedelta
from itertools import count, islice

from matches.core.codes import DIGITS

DAY = timedelta(days=1)
LENGTH = 5
GUESSES = 10
"""A try is one board of so many guesses: those a board shows without scrolling."""

_FAIR = 256 - 256 % len(DIGITS)
"""Bytes from here on would favour the first digits."""

_SHAPES = {"E": "■", "P": "○", "A": "–"}


def number(day: date, key: bytes) -> str:
    """`LENGTH` digits that may repeat, each as likely as any other."""
    fair = (byte for byte in _stream(day, key) if byte < _FAIR)
    return "".join(DIGITS[byte % len(DIGITS)] for byte in islice(fair, LENGTH))


def _stream(day: date, key: bytes) -> Iterator[int]:
    for block in count():
        yield from hmac.digest(key, f"{day.isoformat()} {block}".encode(), "sha256")


def streak(found: Iterable[date], today: date, pending: Container[date]) -> int:
    """Days in a row, up to today, on which the number was found; `found` from the latest back.

    A day that is pending, still to be begun or finished, neither counts nor ends the row.
    """
    length, due = 0, today
    for day in found:
        while due != day and due in pending:
            due -= DAY
        if day != due:
            break
        length, due = length + 1, due - DAY
    return length


def shapes(marks: str) -> str:
    """A row told by its marks alone: square sits in its place, ring rolls elsewhere, a dash is not there."""
    return " ".join(_SHAPES[mark] for mark in marks)
