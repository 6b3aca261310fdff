"""The public interface's part on what matches tell once they are over."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from bots import analyses
from bots.core.analysis import Board, Step
from matches import queries
from matches.api import PROBLEMS, anybody
from matches.paths import MatchId

router = Router(tags=["matches"])

DIGITS_KEPT = 6


class BestOut(Schema):
    code: str
    expected: float


class GuessAnalysisOut(Schema):
    """`before` and `after` count the codes still possible; the rest is in bits, `best` for any lawful guess."""

    n: int
    code: str
    before: int
    after: int
    gained: float
    expected: float
    luck: float
    best: BestOut


class BoardAnalysisOut(Schema):
    """`skill` is what its guesses were expected to gain as a share of the best; null where there is none."""

    skill: float | None
    luck: float
    guesses: list[GuessAnalysisOut]


class AnalysisOut(Schema):
    """Boards by the seat that guessed."""

    match: str
    boards: list[BoardAnalysisOut]


@router.get(
    f"/matches/{{{MatchId.name}:match_id}}/analysis",
    response={200: AnalysisOut, **PROBLEMS},
    auth=anybody,
    summary="What each guess told, once the match is over",
)
def analysis(request: HttpRequest, match_id: str) -> dict[str, Any]:
    loaded = queries.visible(match_id, request.user.pk)
    return {"match": loaded.id, "boards": [_board(board) for board in analyses.boards(loaded)]}


def _board(board: Board) -> dict[str, Any]:
    return {
        "skill": None if board.skill is None else _bits(board.skill),
        "luck": _bits(board.luck),
        "guesses": [_guess(n, step) for n, step in enumerate(board.steps, start=1)],
    }


def _guess(n: int, step: Step) -> dict[str, Any]:
    return {
        "n": n,
        "code": step.code,
        "before": step.before,
        "after": step.after,
        "gained": _bits(step.gained),
        "expected": _bits(step.expected),
        "luck": _bits(step.luck),
        "best": {"code": step.best.code, "expected": _bits(step.best.bits)},
    }


def _bits(value: float) -> float:
    return round(value, DIGITS_KEPT) + 0.0  # never minus nothing
