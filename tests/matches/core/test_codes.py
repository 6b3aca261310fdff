"""A code is text of ASCII digits (R1)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matches.core.codes import DIGITS, all_different, is_code
from tests.matches.core.builders import NOT_CODES, named

LOOKALIKES = "²①٣１०\U0001d7cf \n\x00+-.eO"


def test_the_digits_are_the_ten_of_ascii():
    """R1.1"""
    assert [ord(digit) for digit in DIGITS] == list(range(0x30, 0x3A))


def test_every_string_of_four_digits_is_a_code():
    """R1.1, R1.3: 0000 and 1234 like any other."""
    assert all(is_code(f"{n:04d}", 4) for n in range(10_000))


@pytest.mark.parametrize("length", [4, 5])
@pytest.mark.parametrize("easy", ["0000", "1111", "1234", "4321", "0123", "9999", "00417", "00000", "12345"])
def test_a_code_is_lawful_at_its_own_length_alone_however_easy(easy, length):
    """R1.1, R1.3: 00417 is a code of five, and 0417 is another, of four."""
    assert is_code(easy, length) is (len(easy) == length)


@pytest.mark.parametrize("other", NOT_CODES, ids=named)
def test_whatever_else_arrives_is_no_code(other):
    """R1.2, D4"""
    assert is_code(other, 4) is False


def test_nothing_is_trimmed_or_padded_to_fit():
    """R1.2: white space that brings a text to the right length, and a number that lacks its zeros."""
    texts = ("1234 ", " 1234", "1234\n", "\x001234", "+1234", "417", "0417")
    assert not any(is_code(text, 5) for text in texts)


@given(st.text(alphabet=DIGITS + LOOKALIKES, max_size=7) | st.text(max_size=7), st.integers(4, 5))
def test_a_code_is_what_this_pattern_says(text, length):
    """R1.1: said another way."""
    assert is_code(text, length) is (re.fullmatch(f"[0-9]{{{length}}}", text) is not None)


@pytest.mark.parametrize(
    ("code", "different"), [("0123", True), ("0120", False), ("11", False), ("98765", True)]
)
def test_all_different_means_no_digit_twice(code, different):
    """R2.2"""
    assert all_different(code) is different
