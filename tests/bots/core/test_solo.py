"""A board played alone: what may be played on it, and what its player may see."""

from dataclasses import asdict
from typing import Any

import pytest

from bots.core.solo import Board, give_up, play, see
from matches.core.machine import Refusal, Refused
from tests.builders import ALL_TERMS, SECRETS, WRONG, terms_of

SECRET = SECRETS[0]


def board(preset: str = "duel", *, room: int = 10, **asked: Any) -> Board:
    return Board(terms_of(preset, **{"length": 5, **asked}), SECRET, room)


def refusal(board: Board, code: str, n: int | None = None) -> Refusal | None:
    try:
        play(board, code, n)
    except Refused as refused:
        return refused.refusal
    return None


@pytest.mark.parametrize(("preset", "asked"), ALL_TERMS)
def test_the_number_is_not_in_sight_before_the_end(preset: str, asked: dict[str, Any]) -> None:
    """R4.8, as for a match."""
    begun = play(board(preset, **asked), WRONG)
    assert see(begun).number is None
    assert SECRET not in str(asdict(see(begun)))
    assert see(give_up(begun)).number == see(play(begun, SECRET)).number == SECRET


def test_the_number_is_not_in_what_a_log_would_print_of_a_board() -> None:
    assert SECRET not in repr(board())


def test_rows_are_marked_by_the_real_rule() -> None:
    """R3.1, R3.2"""
    (row,) = see(play(board(), "98700")).rows
    assert (row.n, row.code, row.marks, row.exact, row.present) == (1, "98700", "EPEPA", 2, 2)


def test_under_totals_no_row_tells_places() -> None:
    """R3.4"""
    (row,) = see(play(board(feedback="totals"), "98700")).rows
    assert (row.marks, row.exact, row.present) == (None, 2, 2)


def test_it_ends_with_the_number_found_given_up_or_no_room_left() -> None:
    found, given_up = play(board(), SECRET), give_up(board())
    full = play(play(board(room=2), WRONG), "11111")
    assert [(one.over, one.found) for one in (found, given_up, full)] == [
        (True, True),
        (True, False),
        (True, False),
    ]
    for ended in (found, given_up, full):
        assert refusal(ended, "22222") is Refusal.MATCH_OVER
        assert give_up(ended) is ended


@pytest.mark.parametrize(
    "code", ["", "1234", "123456", "1234a", "１２３４1", "²2345", " 12345", "1" * 10_000]
)
def test_what_is_no_code_is_refused(code: str) -> None:
    """R1.2"""
    assert refusal(board(), code) is Refusal.BAD_CODE


def test_repeats_follow_the_terms() -> None:
    """R2.1, R2.3"""
    assert refusal(board(repeats=True), "11111") is None
    assert refusal(board(repeats=False), "11111") is Refusal.BAD_CODE
    assert refusal(board("probe", repeats=False), "11111") is None
    assert refusal(board("classic"), "11111") is Refusal.BAD_CODE


def test_a_guess_sent_twice_is_one_guess() -> None:
    once = play(board(), WRONG, 1)
    assert play(once, WRONG, 1) is once
    assert play(once, WRONG, 2).guesses == (WRONG, WRONG)
    won = play(once, SECRET, 2)
    assert play(won, SECRET, 2) is won


@pytest.mark.parametrize("n", [0, 1, 3, 99_999])
def test_a_guess_meant_for_another_place_is_refused(n: int) -> None:
    assert refusal(play(board(), WRONG), "11111", n) is Refusal.OUT_OF_TURN
