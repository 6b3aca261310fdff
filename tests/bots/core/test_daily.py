"""The number of a day, and days in a row. Key and days are handed in."""

from collections import Counter
from datetime import date, timedelta

from bots.core.daily import number, shapes, streak
from matches.core.codes import is_code

KEY = b"k" * 32
TODAY = date(2026, 3, 1)


def days(count: int) -> list[date]:
    return [TODAY + timedelta(days=n) for n in range(count)]


def ago(*numbers: int) -> list[date]:
    return [TODAY - timedelta(days=n) for n in numbers]


def test_it_is_a_code_and_the_same_whenever_it_is_asked_for() -> None:
    """R1.1"""
    for day in days(400):
        assert is_code(number(day, KEY), 5)
        assert number(day, KEY) == number(day, KEY)


def test_without_the_key_it_cannot_be_known() -> None:
    """Another key leads to other numbers on nearly every day."""
    same = [day for day in days(1000) if number(day, KEY) == number(day, b"j" * 32)]
    assert len(same) <= 1


def test_each_digit_is_as_likely_as_any_other_in_each_place() -> None:
    """Chi-square with 9 degrees of freedom, at one in a million; the key is fixed, so it holds always or never."""
    numbers = [number(day, KEY) for day in days(20_000)]
    for place in range(5):
        seen = Counter(code[place] for code in numbers)
        assert sum((seen[digit] - 2000) ** 2 / 2000 for digit in "0123456789") < 45


def test_bytes_that_would_favour_some_digits_are_passed_over() -> None:
    """Over many keys, each with a day of its own: 250 and more would make 0 to 5 likelier by a part in 25."""
    seen = Counter("".join(number(day, KEY) for day in days(20_000)))
    low = sum(seen[digit] for digit in "012345")
    assert abs(low / 100_000 - 0.6) < 0.006


def test_days_in_a_row_end_with_the_first_that_is_missing() -> None:
    assert streak(ago(0, 1, 2, 4, 5), TODAY, set()) == 3
    assert streak(ago(1, 2), TODAY, set()) == 0
    assert streak([], TODAY, set()) == 0


def test_a_day_still_to_come_does_not_end_the_row() -> None:
    assert streak(ago(1, 2), TODAY, {TODAY}) == 2
    assert streak(ago(2, 3), TODAY, set(ago(0, 1))) == 2
    assert streak(ago(0, 2, 3), TODAY, set(ago(1))) == 3
    assert streak(ago(2, 3), TODAY, {TODAY}) == 0


def test_a_shared_row_has_shapes_and_no_digit() -> None:
    assert shapes("EPAAE") == "■ ○ – – ■"
