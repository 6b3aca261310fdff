"""Which open seek fits best: pure, so that no lobby is needed to see it."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobby.core.fit import Offer, best_first, differences
from matches.core.terms import ClockKind, Terms, agree

MENUS = {ClockKind.BUDGET: (60, 300, 900), ClockKind.MOVE: (60, 120)}
WANTED = agree({}, MENUS)


def terms(preset: str = "duel", **asked: object) -> Terms:
    return agree({"preset": preset, **asked}, MENUS)


def offer(name: str, offered: Terms = WANTED, points: int = 0, at: int = 0) -> Offer[str]:
    return Offer(name, offered, points, at)


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ({}, 0),
        ({"length": 5}, 1),
        ({"repeats": False}, 1),
        ({"feedback": "totals"}, 1),
        ({"clock": {"seconds": 60}}, 1),
        ({"rated": False}, 1),
        ({"length": 5, "repeats": False, "feedback": "totals", "clock": {"seconds": 900}, "rated": False}, 5),
    ],
)
def test_every_term_that_two_agree_on_counts_once(asked: dict[str, Any], count: int) -> None:
    assert differences(WANTED, terms(**asked)) == differences(terms(**asked), WANTED) == count


def test_nobody_who_wants_one_preset_is_given_another() -> None:
    offers = [offer("probe", terms("probe")), offer("classic", terms("classic"))]
    assert best_first(WANTED, 0, offers) == []
    assert best_first(terms("classic"), 0, offers) == ["classic"]


def test_the_nearest_terms_come_before_the_nearest_points_and_those_before_the_longest_wait() -> None:
    offers = [
        offer("other terms, equal, first", terms(length=5), points=50, at=0),
        offer("far in points, first", points=500, at=1),
        offer("equal, late", points=50, at=9),
        offer("equal, early", points=50, at=3),
        offer("near in points", points=60, at=2),
    ]
    assert best_first(WANTED, 50, offers) == [
        "equal, early",
        "equal, late",
        "near in points",
        "far in points, first",
        "other terms, equal, first",
    ]


def test_as_many_points_above_are_as_near_as_below() -> None:
    assert best_first(WANTED, 50, [offer("above", points=60, at=2), offer("below", points=40, at=1)]) == [
        "below",
        "above",
    ]


def test_nothing_offered_is_nothing_found() -> None:
    assert best_first(WANTED, 0, []) == []


ANY_TERMS = st.builds(
    terms,
    st.just("duel"),
    length=st.sampled_from((4, 5)),
    repeats=st.booleans(),
    feedback=st.sampled_from(("positions", "totals")),
    rated=st.booleans(),
)
OFFERS = st.lists(
    st.tuples(ANY_TERMS | st.just(terms("probe")), st.integers(0, 200), st.integers(0, 50)), max_size=12
)


@given(ANY_TERMS, st.integers(0, 200), OFFERS)
def test_every_fitting_offer_is_found_once_and_none_is_before_a_better_one(
    wanted: Terms, points: int, drawn: list[tuple[Terms, int, int]]
) -> None:
    offers = {number: Offer(number, *each) for number, each in enumerate(drawn)}
    found = best_first(wanted, points, offers.values())
    assert sorted(found) == [n for n, each in offers.items() if each.terms.preset == wanted.preset]
    worth = [
        (differences(wanted, offers[n].terms), abs(offers[n].points - points), offers[n].at) for n in found
    ]
    assert worth == sorted(worth)


@given(ANY_TERMS, ANY_TERMS)
def test_equal_terms_alone_do_not_differ(one: Terms, other: Terms) -> None:
    assert (differences(one, other) == 0) == (one == other)
    assert differences(one, replace(one)) == 0
