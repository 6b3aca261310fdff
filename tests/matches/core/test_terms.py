"""Three presets and what each admits: the table of the rules, row by row."""

from dataclasses import FrozenInstanceError, replace
from itertools import product

import pytest

from matches.core.codes import DIGITS
from matches.core.terms import PRESETS, BadTerms, Clock, ClockKind, Terms, agree
from tests.matches.core.builders import MENUS, NOT_CODES, PRESET_NAMES, named, terms_of

BUDGETS, MOVES = (60, 180, 300, 600, 900, 1800), (60, 120, 300, 3600)

TABLE = {  # each term: what duel, probe and classic admit, the default first
    "length": ((4, 5), (4, 5), (5,)),
    "repeats": ((True, False), (True, False), (False,)),
    "guesses": (("strict",), ("free",), ("strict",)),
    "feedback": (("positions", "totals"), ("positions", "totals"), ("totals",)),
    "rated": ((True, False), (True, False), (True, False)),
}
SETTLED = {  # not asked for: the preset says it
    "totals": ("exact_misplaced", "exact_misplaced", "found_in_place"),
    "start": ("ready", "ready", "confirm"),
    "never_started": ("void", "draw", "void"),
    "grace": (True, True, False),
}
CLOCKS = {  # kind, offered seconds, default
    "duel": ("budget", BUDGETS, 300),
    "probe": ("budget", BUDGETS, 300),
    "classic": ("move", MOVES, 120),
}


def rows(table):
    return [
        pytest.param(preset, term, values[column], id=f"{term}-{preset}")
        for term, values in table.items()
        for column, preset in enumerate(("duel", "probe", "classic"))
    ]


def refused_field(asked, menus=MENUS) -> str:
    with pytest.raises(BadTerms) as refused:
        agree(asked, menus)
    assert str(refused.value) == refused.value.field
    return refused.value.field


def test_there_are_three_presets_and_duel_is_the_default():
    assert set(PRESETS) == {"duel", "probe", "classic"}
    assert agree({}, MENUS) == agree({"preset": "duel"}, MENUS)


@pytest.mark.parametrize(("preset", "term", "admitted"), rows(TABLE))
def test_a_term_takes_exactly_the_values_of_its_row(preset, term, admitted):
    """Fixed: one value, which may be repeated. Agreed: one of several. Anything else is bad terms."""
    for value in {value for column in TABLE[term] for value in column}:
        if value in admitted:
            assert getattr(terms_of(preset, **{term: value}), term) == value
        else:
            assert refused_field({"preset": preset, term: value}) == term


@pytest.mark.parametrize(("preset", "term", "admitted"), rows(TABLE))
def test_a_term_left_out_takes_its_default(preset, term, admitted):
    """4, true, positions, rated; classic 5, all different, totals."""
    assert getattr(terms_of(preset), term) == admitted[0]


@pytest.mark.parametrize(("preset", "term", "value"), rows(SETTLED))
def test_what_is_not_asked_for_is_as_its_row_says(preset, term, value):
    assert getattr(terms_of(preset), term) == value


@pytest.mark.parametrize("preset", PRESET_NAMES)
def test_a_clock_is_of_the_presets_kind_with_seconds_from_its_menu(preset):
    kind, offered, default = CLOCKS[preset]
    assert MENUS[ClockKind(kind)] == offered
    for seconds in {*BUDGETS, *MOVES}:
        clocks: list[dict[str, object]] = [{"seconds": seconds}, {"seconds": seconds, "kind": kind}]
        for clock in clocks:
            if seconds in offered:
                assert terms_of(preset, clock=clock).clock == Clock(ClockKind(kind), seconds)
            else:
                assert refused_field({"preset": preset, "clock": clock}) == "clock"
    left_out: list[dict[str, object]] = [{}, {"clock": {}}, {"clock": {"kind": kind}}]
    for asked in left_out:
        assert agree({"preset": preset, **asked}, MENUS).clock == Clock(ClockKind(kind), default)
    other_kind = "move" if kind == "budget" else "budget"
    assert refused_field({"preset": preset, "clock": {"kind": other_kind}}) == "clock"


def test_every_combination_that_is_offered_is_agreed_to_the_letter():
    for column, preset in enumerate(PRESET_NAMES):
        kind, offered, _ = CLOCKS[preset]
        menus: dict[str, tuple[object, ...]] = {term: values[column] for term, values in TABLE.items()}
        menus["clock"] = tuple({"kind": kind, "seconds": seconds} for seconds in offered)
        for chosen in product(*menus.values()):
            asked = dict(zip(menus, chosen, strict=True))
            agreed = agree({"preset": preset, **asked}, MENUS)
            given = {term: getattr(agreed, term) for term in menus if term != "clock"}
            clock = {"kind": agreed.clock.kind, "seconds": agreed.clock.seconds}
            assert {**given, "clock": clock, "preset": agreed.preset} == {**asked, "preset": preset}


BAD_KINDS: list[object] = [None, "", "Budget", "fischer", True, 1, []]
BAD_SECONDS: list[object] = [0, -300, 301, 61, 300.0, 60.0, "300", True, None, [], 10**30]
BAD: dict[str, list[object]] = {
    "preset": ["blitz", "Duel", "duel ", "", None, 1, True, [], {}, ["duel"]],
    "length": [3, 6, 0, -4, 4.0, 5.0, "4", "5", "", True, None, [4], {}, 10**30],
    "repeats": [1, 0, 1.0, 0.0, "true", "", None, [], "allowed"],
    "guesses": ["loose", "Strict", "", None, True, 1, ["strict"], {}],
    "feedback": ["Positions", "position", "both", "", None, True, 1, ["totals"], {}],
    "rated": [1, 0, 1.0, "true", "", None, []],
    "clock": [
        *(None, 300, "300", "budget", [], [300], True, {"seconds": 300, "increment": 2}, {"minutes": 5}),
        *({"kind": kind} for kind in BAD_KINDS),
        *({"seconds": seconds} for seconds in BAD_SECONDS),
    ],
}


@pytest.mark.parametrize("preset", PRESET_NAMES)
@pytest.mark.parametrize(
    ("term", "value"),
    [
        pytest.param(term, value, id=f"{term}-{named(value)}")
        for term, values in BAD.items()
        for value in values
    ],
)
def test_a_bad_value_is_refused_by_the_name_of_its_term(preset, term, value):
    """true is no length, 4.0 and "4" are not 4, and nothing is guessed at."""
    assert refused_field({"preset": preset, term: value}) == term


@pytest.mark.parametrize("unknown", ["colour", "lenght", "Length", "seconds", ""])
@pytest.mark.parametrize("preset", PRESET_NAMES)
def test_a_term_nobody_knows_is_refused_by_its_name(preset, unknown):
    assert refused_field({"preset": preset, unknown: 4}) == unknown


def test_true_is_not_a_clock_of_one_second():
    menus = {ClockKind.BUDGET: (1, 2), ClockKind.MOVE: (1,)}
    assert refused_field({"clock": {"seconds": True}}, menus) == "clock"
    assert agree({"clock": {"seconds": 1}}, menus).clock.ms == 1_000


def test_where_the_usual_clock_is_not_offered_the_nearest_is_the_default():
    """The menus are the site's own setting."""
    menus = {ClockKind.BUDGET: (2, 5, 900), ClockKind.MOVE: (7, 3600)}
    assert agree({}, menus).clock.seconds == 5
    assert agree({"preset": "classic"}, menus).clock.seconds == 7


def test_terms_cannot_be_changed():
    """Terms never change once a match exists."""
    terms = terms_of("duel")
    for frozen, field, value in ((terms, "length", 5), (terms.clock, "seconds", 60)):
        with pytest.raises(FrozenInstanceError):
            setattr(frozen, field, value)


def admitted(admits, length: int) -> int:
    return sum(admits("".join(code)) for code in product(DIGITS, repeat=length))


@pytest.mark.parametrize(
    ("asked", "secrets", "guesses"),
    [
        ({"preset": "duel", "length": 4}, 10_000, 10_000),
        ({"preset": "duel", "length": 5}, 100_000, 100_000),
        ({"preset": "duel", "length": 4, "repeats": False}, 5_040, 5_040),
        ({"preset": "duel", "length": 5, "repeats": False}, 30_240, 30_240),
        ({"preset": "probe", "length": 4}, 10_000, 10_000),
        ({"preset": "probe", "length": 4, "repeats": False}, 5_040, 10_000),
        ({"preset": "probe", "length": 5, "repeats": False}, 30_240, 100_000),
        ({"preset": "classic"}, 30_240, 30_240),
    ],
    ids=str,
)
def test_as_many_secrets_and_guesses_are_lawful_as_the_rules_count(asked, secrets, guesses):
    """R2"""
    terms = agree(asked, MENUS)
    assert admitted(terms.admits_secret, terms.length) == secrets
    assert admitted(terms.admits_guess, terms.length) == guesses


def test_a_probe_may_repeat_a_digit_where_the_secret_may_not():
    """R2.3: free. And only what is a code at all."""
    terms = terms_of("probe", repeats=False)
    assert terms.admits_guess("1111")
    assert not terms.admits_secret("1111")
    assert not terms.admits_guess("11111")


@pytest.mark.parametrize("other", NOT_CODES, ids=named)
def test_what_is_no_code_is_neither_secret_nor_guess(other):
    """R1.2, D4: whatever the terms."""
    for preset, repeats in product(("duel", "probe"), (True, False)):
        terms = terms_of(preset, repeats=repeats)
        assert terms.admits_secret(other) is False
        assert terms.admits_guess(other) is False


@pytest.mark.parametrize("preset", PRESET_NAMES)
def test_the_easy_secrets_are_lawful(preset):
    """R1.3"""
    terms: Terms = terms_of(preset)
    assert terms.admits_secret("12345"[: terms.length])
    assert terms.admits_secret("00000"[: terms.length]) is terms.repeats


def test_the_name_of_a_preset_decides_nothing():
    """The engine knows terms only."""
    terms = replace(terms_of("probe", repeats=False), preset="house rules")
    assert (terms.admits_secret("1111"), terms.admits_guess("1111")) == (False, True)
