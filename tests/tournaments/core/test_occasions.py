"""Every Friday at nine in Rome, whatever the clocks of Rome do."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise

import pytest

from tournaments.core.occasions import Weekly, next_occasion, wall_clock

FRIDAYS = Weekly(4, time(21), "Europe/Rome")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "starts"),
    [
        ("2027-03-22T00:00", "2027-03-26T20:00"),  # the last Friday of winter
        ("2027-03-26T20:00", "2027-04-02T19:00"),  # clocks go forward on the 28th
        ("2027-10-29T18:59", "2027-10-29T19:00"),  # the last of summer
        ("2027-10-29T19:00", "2027-11-05T20:00"),  # clocks go back on the 31st
    ],
)
def test_it_is_nine_in_rome_before_and_after_a_change_of_the_clocks(now: str, starts: str) -> None:
    assert FRIDAYS.on(next_occasion(FRIDAYS, utc(now))) == utc(starts)


def test_every_week_of_years_has_one_and_each_shows_nine() -> None:
    now = utc("2026-01-01T00:00")
    days = []
    for _ in range(300):
        day = next_occasion(FRIDAYS, now)
        days.append(day)
        now = FRIDAYS.on(day)
    assert {later - sooner for sooner, later in pairwise(days)} == {timedelta(days=7)}
    assert {day.weekday() for day in days} == {4}


def test_a_day_is_the_zones_own_day() -> None:
    """Midnight in Auckland is still the day before in Greenwich."""
    weekly = Weekly(0, time(0, 30), "Pacific/Auckland")
    assert next_occasion(weekly, utc("2027-01-02T00:00")) == date(2027, 1, 4)
    assert weekly.on(date(2027, 1, 4)) == utc("2027-01-03T11:30")


def test_an_hour_that_is_left_out_is_no_hour() -> None:
    assert wall_clock(date(2027, 3, 28), time(2, 30), "Europe/Rome") is None
    assert wall_clock(date(2027, 3, 28), time(3, 30), "Europe/Rome") == utc("2027-03-28T01:30")


def test_of_an_hour_that_comes_twice_the_first_counts() -> None:
    assert wall_clock(date(2027, 10, 31), time(2, 30), "Europe/Rome") == utc("2027-10-31T00:30")


def test_a_weekly_hour_that_is_left_out_once_is_held_an_hour_by_the_clock_later() -> None:
    weekly = Weekly(6, time(2, 30), "Europe/Rome")
    assert weekly.on(date(2027, 3, 28)) == utc("2027-03-28T01:30")
