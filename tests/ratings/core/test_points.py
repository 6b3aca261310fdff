"""R6.2, R6.3: what a match moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.core.points import WON, applied, earned

PUBLISHED = {4: +6, 3: +2, 2: -2, 1: -6, 0: -10}
CHANGES = st.lists(st.builds(earned, st.just(5), st.integers(0, 5)), max_size=60)


@pytest.mark.parametrize(("in_place", "points"), PUBLISHED.items())
def test_the_loser_of_five_digits_gets_what_the_table_says(in_place: int, points: int) -> None:
    """R6.2"""
    assert earned(5, in_place) == points


@pytest.mark.parametrize(("in_place", "points"), [(3, +6), (2, +2), (1, -2), (0, -6)])
def test_four_digits_are_worth_by_what_is_missing(in_place: int, points: int) -> None:
    """R6.2: +10 − 4 × (digits not in place)."""
    assert earned(4, in_place) == points


@given(st.integers(1, 9))
def test_who_misses_nothing_gets_the_winner_s_ten(length: int) -> None:
    """R6.2"""
    assert earned(length, length) == WON == 10


@given(st.integers(1, 9), st.data())
def test_one_digit_more_in_place_is_always_worth_four(length: int, data: st.DataObject) -> None:
    """R6.2"""
    in_place = data.draw(st.integers(1, length))
    assert earned(length, in_place) - earned(length, in_place - 1) == 4


@pytest.mark.parametrize(("length", "in_place"), [(5, 6), (4, 5), (5, -1)])
def test_more_in_place_than_there_are_is_no_figure(length: int, in_place: int) -> None:
    with pytest.raises(ValueError, match="in place"):
        earned(length, in_place)


def test_a_loss_of_ten_at_four_points_takes_four() -> None:
    """R6.3, D16: and the next six make six."""
    assert applied(4, -10) == -4
    assert applied(0, 6) == 6


@given(CHANGES)
def test_no_total_falls_below_zero_and_each_is_the_sum_of_what_was_applied(changes: list[int]) -> None:
    """R6.3, R6.5"""
    total, rows = 0, []
    for change in changes:
        rows.append(applied(total, change))
        total += rows[-1]
        assert total >= 0
        assert rows[-1] == change or (total == 0 and change < rows[-1] <= 0)
    assert total == sum(rows)
