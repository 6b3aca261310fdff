"""One board against a hidden number: what may be played on it, and what its player may see. No clock, no rival."""

from dataclasses import dataclass, field, replace

from matches.core.machine import Guess, Refusal, Refused
from matches.core.marking import mark
from matches.core.sight import GuessSight, see_guess
from matches.core.terms import Terms


@dataclass(frozen=True, slots=True)
class Board:
    """`room` is how many guesses it takes. Of its terms only those of codes and marks mean anything here."""

    terms: Terms
    secret: str = field(repr=False)
    room: int
    guesses: tuple[str, ...] = ()
    given_up: bool = False

    @property
    def found(self) -> bool:
        return self.guesses[-1:] == (self.secret,)

    @property
    def over(self) -> bool:
        return self.found or self.given_up or len(self.guesses) >= self.room


def play(board: Board, code: str, n: int | None = None) -> Board:
    """The board with one more guess, meant to be its `n`th. Raises `Refused`.

    The guess that already stands there as the `n`th is no further one: it was sent twice.
    """
    if n is not None and board.guesses[n - 1 : n] == (code,):
        return board
    if board.over:
        raise Refused(Refusal.MATCH_OVER)
    if n is not None and n != len(board.guesses) + 1:
        raise Refused(Refusal.OUT_OF_TURN)
    if not board.terms.admits_guess(code):
        raise Refused(Refusal.BAD_CODE)
    return replace(board, guesses=(*board.guesses, code))


def give_up(board: Board) -> Board:
    """The board ended without the number. Giving up what is over changes nothing."""
    return board if board.over else replace(board, given_up=True)


@dataclass(frozen=True, slots=True)
class SoloSight:
    """A board as its player may see it: the number only once it is over, places only where the terms give them."""

    terms: Terms
    room: int
    rows: tuple[GuessSight, ...]
    found: bool
    over: bool
    number: str | None


def see(board: Board) -> SoloSight:
    """The only way from a board to a page: a number that is not in what this answers cannot leak."""
    guesses = (Guess(code, mark(board.secret, code), at=0) for code in board.guesses)
    return SoloSight(
        terms=board.terms,
        room=board.room,
        rows=tuple(see_guess(board.terms, n, guess) for n, guess in enumerate(guesses, start=1)),
        found=board.found,
        over=board.over,
        number=board.secret if board.over else None,
    )
