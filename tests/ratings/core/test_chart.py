"""A line of totals as a drawing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.core.chart import BOTTOM, LEFT, MOST, RIGHT, TOP, draw, sample

TOTALS = st.lists(st.integers(0, 30_000), min_size=1, max_size=MOST)


@given(st.integers(0, 1_000_000))
def test_a_sample_is_bounded_rises_and_ends_with_the_newest(count: int) -> None:
    numbers = sample(count)
    assert len(numbers) == min(count, MOST)
    assert numbers == sorted(set(numbers))
    assert not numbers or (numbers[0] >= 1 and numbers[-1] == count)


@pytest.mark.parametrize("count", [0, 1, MOST - 1, MOST])
def test_few_are_shown_as_they_are(count: int) -> None:
    assert sample(count) == list(range(1, count + 1))


@given(TOTALS)
def test_every_point_lies_within_the_drawing_and_the_line_goes_to_the_right(totals: list[int]) -> None:
    chart = draw(list(enumerate(totals, start=1)))
    places = [(int(x), int(y)) for x, y in re.findall(r"(\d+) (\d+)", chart.path)]
    assert places[0] == (LEFT, BOTTOM)
    assert places[-1] == (chart.x, chart.y)
    assert chart.x == RIGHT
    assert all(TOP <= y <= BOTTOM for _, y in places)
    assert [x for x, _ in places] == sorted(x for x, _ in places)


@given(TOTALS)
def test_the_grid_is_round_few_lines_and_holds_the_highest(totals: list[int]) -> None:
    grid = draw(list(enumerate(totals, start=1))).grid
    assert 2 <= len(grid) <= 6
    assert grid[0].value == 0
    assert grid[0].y == BOTTOM
    assert grid[-1].value >= max(totals)
    assert grid[-1].y == TOP
    assert all(line.value % 10 == 0 for line in grid)
