"""What a guess earns (R3), against two oracles that read the rule in other ways, and marks made by hand."""

import json
from collections import Counter
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from matches.core.codes import DIGITS
from matches.core.marking import best_marks, mark, totals

GOLDEN = json.loads(Path(__file__).with_name("marks.json").read_text(encoding="utf-8"))["cases"]
BY_HAND = [pytest.param(*case.values(), id=f"{case['secret']}-{case['guess']}") for case in GOLDEN]


def by_crossing_off(secret: str, guess: str) -> str:
    """R3.2 with paper and pencil: each credited copy is crossed off."""
    paper, marks = list(secret), ["A"] * len(guess)
    for place, digit in enumerate(guess):
        if paper[place] == digit:
            paper[place], marks[place] = "x", "E"
    for place, digit in enumerate(guess):
        if marks[place] != "E" and digit in paper:
            paper[paper.index(digit)], marks[place] = "x", "P"
    return "".join(marks)


def by_best_claim(secret: str, guess: str) -> str:
    """R3.2 as a choice: of all ways in which guessed digits can claim the secret's places, one each, the one
    with the most exact, then with the most credited, then with the credited ones furthest left."""

    def marks_of(claims: tuple[int, ...]) -> str:
        return "".join(
            "A" if secret[claimed] != guess[place] else "E" if claimed == place else "P"
            for place, claimed in enumerate(claims)
        )

    def worth(marks: str) -> tuple[int, int, list[bool]]:
        return marks.count("E"), len(marks) - marks.count("A"), [each != "A" for each in marks]

    return max(map(marks_of, permutations(range(len(secret)))), key=worth)


def all_patterns(length: int, digits: str = "", used: int = 0):
    """Every string of digits up to their names: a new digit is always the next one not yet used."""
    if len(digits) == length:
        yield digits
        return
    for digit in DIGITS[: used + 1]:
        yield from all_patterns(length, digits + digit, max(used, int(digit) + 1))


def pairs_up_to_names(length: int):
    """Every pair of codes there is, up to the names of the digits (two codes of five hold ten at most)."""
    return ((both[:length], both[length:]) for both in all_patterns(2 * length))


def codes(length: int):
    return st.text(alphabet=DIGITS, min_size=length, max_size=length)


PAIRS = st.integers(4, 5).flatmap(lambda length: st.tuples(codes(length), codes(length)))
NEAR_PAIRS = st.integers(4, 5).flatmap(
    lambda length: st.tuples(*[st.text(alphabet="012", min_size=length, max_size=length)] * 2)
)


@pytest.mark.parametrize(("secret", "guess", "marks", "exact", "present"), BY_HAND)
def test_marks_are_those_worked_by_hand(secret, guess, marks, exact, present):
    """R3, D1"""
    assert mark(secret, guess) == marks
    assert totals(marks) == (exact, present)


def test_the_marks_made_by_hand_are_all_there_and_the_oracles_agree_with_them():
    assert len(GOLDEN) == 33
    for case in GOLDEN:
        assert by_crossing_off(case["secret"], case["guess"]) == case["marks"]
        assert by_best_claim(case["secret"], case["guess"]) == case["marks"]


@pytest.mark.parametrize(
    ("secret", "guess", "marks"),
    [
        ("11234", "43211", "PPEPP"),
        ("11234", "51111", "AEPAA"),
        ("40725", "40044", "EEAAA"),
        ("5001", "1111", "AAAE"),
        ("10345", "02060", "PAAAA"),
    ],
)
def test_a_digit_is_never_credited_more_often_than_the_secret_holds_it(secret, guess, marks):
    """R3.2, D1"""
    assert mark(secret, guess) == marks


@pytest.mark.parametrize(
    ("guess", "found", "in_place"),
    [("01234", 2, 0), ("72034", 2, 2), ("18257", 5, 0), ("71825", 5, 3), ("72815", 5, 5)],
)
def test_classic_shows_found_and_in_place(guess, found, in_place):
    """R3.3: found is exact + present, in place is exact."""
    exact, present = totals(mark("72815", guess))
    assert (exact + present, exact) == (found, in_place)


@pytest.mark.parametrize(("alphabet", "length"), [("01", 5), ("012", 4), ("0123", 3)])
def test_marks_are_the_best_claim_for_every_pair_over_few_digits(alphabet, length):
    """R3.2"""
    every = ["".join(code) for code in product(alphabet, repeat=length)]
    assert all(mark(secret, guess) == by_best_claim(secret, guess) for secret in every for guess in every)


@pytest.mark.parametrize(("length", "pairs"), [(4, 4_140), (5, 115_975)])
def test_marks_are_what_is_crossed_off_for_every_pair_up_to_the_names_of_the_digits(length, pairs):
    """R3.2, R3.3: and none is all found with all but one in place."""
    seen = 0
    for secret, guess in pairs_up_to_names(length):
        marks = mark(secret, guess)
        assert marks == by_crossing_off(secret, guess), (secret, guess)
        assert totals(marks) != (length - 1, 1), (secret, guess)
        seen += 1
    assert seen == pairs  # Bell numbers: none was left out


@given(PAIRS | NEAR_PAIRS)
@example(("00417", "74100"))
def test_marks_are_the_best_claim_for_any_codes(pair):
    """R3.2"""
    assert mark(*pair) == by_best_claim(*pair)


@given(PAIRS | NEAR_PAIRS)
def test_totals_count_what_the_two_codes_share(pair):
    """R3.3: whichever of the two is the secret."""
    secret, guess = pair
    exact, present = totals(mark(secret, guess))
    assert exact == sum(s == g for s, g in zip(secret, guess, strict=True))
    assert exact + present == (Counter(secret) & Counter(guess)).total()
    assert totals(mark(guess, secret)) == (exact, present)


@given(PAIRS | NEAR_PAIRS, st.permutations(DIGITS))
def test_the_names_of_the_digits_do_not_matter(pair, names):
    """R3.2: so that the pairs above stand for all."""
    renamed = str.maketrans(DIGITS, "".join(names))
    assert mark(*(code.translate(renamed) for code in pair)) == mark(*pair)


@given(PAIRS)
def test_only_the_secret_itself_is_all_exact(pair):
    """R3.1, R5 broken"""
    secret, guess = pair
    assert (mark(secret, guess) == "E" * len(secret)) is (secret == guess)
    assert mark(secret, secret) == "E" * len(secret)


@pytest.mark.parametrize(("secret", "guess"), [("1234", "12345"), ("12345", "1234"), ("1234", "")])
def test_codes_of_two_lengths_are_not_marked(secret, guess):
    with pytest.raises(ValueError, match="zip"):
        mark(secret, guess)


def test_a_key_once_exact_stays_exact():
    """R3.5, D2: neither a second copy in the same guess nor a later guess takes it back."""
    rows = [(guess, mark("11234", guess)) for guess in ("51111", "43215")]
    assert best_marks(rows[:1]) == {"5": "A", "1": "E"}
    assert best_marks(rows) == {"5": "A", "1": "E", "2": "E", "3": "P", "4": "P"}


def test_no_guess_leaves_every_key_plain():
    """R3.5"""
    assert best_marks([]) == {}


ROWS = st.lists(st.tuples(codes(4), st.text(alphabet="EPA", min_size=4, max_size=4)), max_size=5)


@given(ROWS, st.randoms())
def test_a_key_shows_the_best_it_ever_earned_in_whatever_order(rows, random):
    """R3.5"""
    earned = {(digit, each) for code, marks in rows for digit, each in zip(code, marks, strict=True)}
    best = {digit: next(each for each in "EPA" if (digit, each) in earned) for digit, _ in earned}
    assert best_marks(rows) == best
    random.shuffle(rows)
    assert best_marks(rows) == best
