"""Two countdowns (R4.2, R4.5, R4.6, D8): what is left is a difference of instants."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matches.core.clock import Clocks

FIRST, SECOND, BOTH, NEITHER = (True, False), (False, True), (True, True), (False, False)

MS = st.integers(0, 2_000)
CLOCKS = st.builds(
    Clocks, left=st.tuples(MS, MS), running=st.sampled_from([FIRST, SECOND, BOTH, NEITHER]), at=MS
)


@pytest.mark.parametrize(
    ("running", "left"),
    [(FIRST, (700, 500)), (SECOND, (1000, 200)), (BOTH, (700, 200)), (NEITHER, (1000, 500))],
)
def test_only_what_runs_is_charged(running, left):
    """R4.5, D8"""
    assert Clocks((1000, 500), running, at=50).left_at(350) == left


def test_a_clock_stops_at_zero():
    """D8: never under 0:00."""
    clocks = Clocks((1000, 1000), FIRST, at=0)
    assert [clocks.left_at(now)[0] for now in (999, 1000, 1001, 10**12)] == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("running", "falls"),
    [(FIRST, [1050, None]), (SECOND, [None, 550]), (BOTH, [1050, 550]), (NEITHER, [None, None])],
)
def test_a_flag_falls_when_what_was_left_has_passed(running, falls):
    """R4.6"""
    clocks = Clocks((1000, 500), running, at=50)
    assert [clocks.falls_at(seat) for seat in (0, 1)] == falls


def test_passing_the_turn_charges_the_one_who_moved_and_starts_the_other():
    """R4.5: what is left carries over."""
    clocks = Clocks((1000, 1000), FIRST, at=0).run(SECOND, 300).run(FIRST, 500)
    assert clocks == Clocks((700, 800), FIRST, at=500)
    assert clocks.falls_at(0) == 1200


def test_refilling_gives_one_seat_a_full_move():
    """R4.5, per move"""
    assert Clocks((10, 20), FIRST, at=7).refill(1, 1000) == Clocks((10, 1000), FIRST, at=7)
    assert Clocks((10, 20), FIRST, at=7).refill(0, 1000) == Clocks((1000, 20), FIRST, at=7)


def test_time_spared_is_not_charged():
    """R5.4"""
    assert Clocks((1000, 1000), FIRST, at=100).spare(200).left_at(600) == (700, 1000)


@given(CLOCKS, MS)
def test_a_clock_set_back_gives_no_time_back(clocks, now):
    """R4.6: an instant before the last one counts as the last one."""
    charged = clocks.run(clocks.running, now)
    assert charged.at == max(now, clocks.at)
    assert charged.left_at(0) == charged.left == clocks.left_at(now)


@given(CLOCKS, MS, MS)
def test_charging_twice_is_charging_once(clocks, sooner, later):
    """D8: subtracted from a deadline, so that it does not matter how often anybody looked."""
    sooner, later = sorted((sooner, later))
    assert clocks.run(clocks.running, sooner).left_at(later) == clocks.left_at(later)


@given(CLOCKS, MS, MS)
def test_what_is_left_never_grows_with_time_nor_goes_below_zero(clocks, sooner, later):
    sooner, later = sorted((sooner, later))
    for before, after in zip(clocks.left_at(sooner), clocks.left_at(later), strict=True):
        assert before >= after >= 0


@given(CLOCKS, MS, st.integers(0, 1))
def test_a_flag_has_fallen_from_its_instant_on(clocks, now, seat):
    """R4.6"""
    falls = clocks.falls_at(seat)
    if falls is None:
        assert clocks.left_at(now)[seat] == clocks.left[seat]
    else:
        assert (clocks.left_at(now)[seat] == 0) is (now >= falls or clocks.left[seat] == 0)


@given(CLOCKS, MS, MS)
def test_after_an_outage_each_clock_shows_what_it_did_when_the_outage_began(clocks, one, another):
    """R5.4"""
    ms, passed = sorted((one, another))
    now = clocks.at + passed
    assert clocks.spare(ms).left_at(now) == clocks.left_at(now - ms)
