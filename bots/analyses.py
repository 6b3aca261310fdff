"""The verbs of analysis: an end is noted, worked out when there is time or when somebody asks, and kept.

Nothing is worked out before the end. Two who work out the same board at once find and write the same.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

from bots.core.analysis import Board, Step, analyse
from bots.core.best import Best
from bots.core.puzzle import Puzzle
from bots.models import Analysis
from matches import store
from matches.core.machine import SEATS, State, Status
from matches.core.sight import SPECTATOR, see
from matches.queries import Loaded
from players.problems import Problem

logger = logging.getLogger(__name__)

MOMENT_SECONDS = 0.1
"""How long a tick works before it lets others of its worker have their turn. A board that is begun is finished."""

Json = list[list[Any]]


def hear(match_id: str, state: State) -> None:
    """Note that the boards of a match that is over are to be worked out."""
    if state.status is Status.OVER and any(seat.guesses for seat in state.seats):
        owed = [Analysis(match_id=match_id, seat=seat) for seat in SEATS]
        Analysis.objects.bulk_create(owed, ignore_conflicts=True)


def work(between: Callable[[], object] = lambda: None) -> int:
    """Work out what is owed, the latest end first, whose readers wait, for a moment. Returns how many boards.

    `between` is called after each guess: what cannot wait for a whole board has its turn there.
    """
    until, done = time.monotonic() + MOMENT_SECONDS, 0
    while time.monotonic() < until:
        owed = Analysis.objects.filter(steps__isnull=True).select_related("match").order_by("-pk").first()
        if owed is None:
            break
        try:
            board = _work_out(store.state_of(owed.match), owed.seat, lambda: _let(between))
        except Exception:  # one that cannot be worked out holds up no other; who asks for it is told
            logger.exception("a board could not be worked out", extra={"match": owed.match_id})
            owed.delete()
        else:
            Analysis.objects.filter(pk=owed.pk).update(steps=to_json(board))
            done += 1
    return done


def _let(between: Callable[[], object]) -> None:
    """Have others their turn. What goes wrong there is no fault of the board that waits."""
    try:
        between()
    except Exception:
        logger.exception("what has its turn between two guesses went wrong")


def boards(loaded: Loaded) -> tuple[Board, Board]:
    """What was told on both boards, by seat. Raises `Problem` not_over."""
    if loaded.state.status is not Status.OVER:
        raise Problem("not_over")
    found = Analysis.objects.filter(match_id=loaded.id)
    kept = {seat: from_json(steps) for seat, steps in found.values_list("seat", "steps") if steps is not None}
    first, second = (kept.get(seat) or _asked_for(loaded, seat) for seat in SEATS)
    return first, second


def _asked_for(loaded: Loaded, seat: int) -> Board:
    """Worked out while somebody waits: no tick has come to it yet, or nobody has heard of the end."""
    board = _work_out(loaded.state, seat)
    Analysis.objects.update_or_create(match_id=loaded.id, seat=seat, defaults={"steps": to_json(board)})
    return board


def _work_out(state: State, seat: int, between: Callable[[], object] = lambda: None) -> Board:
    """From what everybody may see of the match."""
    sight = see(state, SPECTATOR, state.at)
    return analyse(Puzzle.of(sight.terms), sight.seats[seat].guesses, between)


def to_json(board: Board) -> Json:
    return [
        [step.code, step.before, step.after, step.expected, step.best.bits, step.best.code]
        for step in board.steps
    ]


def from_json(json: Json) -> Board:
    return Board(
        tuple(
            Step(code, before, after, expected, Best(bits, best))
            for code, before, after, expected, bits, best in json
        )
    )
