"""Practice: a board kept in its player's session, as long as that lasts. Nobody needs an account for it."""

import secrets

from django.contrib.sessions.backends.base import SessionBase

from bots.core.puzzle import Puzzle
from bots.core.solo import Board
from matches import codec
from matches.core.terms import Terms

ROOM = 100
"""Guesses a board has room for: more than anybody needs, and an end to what a session must hold."""

_BOARD, _COUNTED = "practice", "practice_counted"


def begin(session: SessionBase, terms: Terms) -> Board:
    """A new board, in place of the one before, against a number drawn from all lawful ones."""
    every = Puzzle.of(terms).secrets
    board = Board(terms, every.text(secrets.randbelow(len(every))), ROOM)
    keep(session, board)
    return board


def board_of(session: SessionBase) -> Board | None:
    kept = session.get(_BOARD)
    if kept is None:
        return None
    return Board(
        terms=codec.terms_from_json(kept["terms"]),
        secret=kept["secret"],
        room=ROOM,
        guesses=tuple(kept["guesses"]),
        given_up=kept["given_up"],
    )


def keep(session: SessionBase, board: Board) -> None:
    session[_BOARD] = {
        "terms": codec.terms_to_json(board.terms),
        "secret": board.secret,
        "guesses": board.guesses,
        "given_up": board.given_up,
    }


def counted(session: SessionBase) -> bool:
    """Whether this player wants to be told how many numbers are still possible."""
    return bool(session.get(_COUNTED, False))


def count(session: SessionBase, wanted: bool) -> None:
    session[_COUNTED] = wanted
