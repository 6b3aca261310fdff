"""Pages for one player: read what was asked, call one verb, render. All are plain forms; htmx makes them quick."""

from dataclasses import replace
from datetime import date
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bots import accounts, presenters
from bots import daily as days
from bots import practice as boards
from bots.core import solo
from bots.core.counting import possible
from bots.core.daily import DAY
from bots.core.puzzle import Puzzle
from bots.core.solo import Board
from bots.models import DailyTry
from matches import choices
from matches.core.machine import Refusal, Refused
from matches.core.terms import Terms
from matches.refusals import problem_of
from matches.views import Request
from players.auth import player
from players.models import User
from players.problems import Problem

_NOT_ALONE = ("seconds", "rated")
"""Terms that mean nothing to who plays alone."""


def _guess(request: Request) -> tuple[str, int | None]:
    """The code of a submitted guess, and which guess of its board it is meant to be."""
    n = request.POST.get("n", "")
    number = int(n) if n.isascii() and n.isdigit() and len(n) < 6 else None
    return request.POST.get("code", "").strip(), number


def _problem(refused: Refused, terms: Terms) -> Problem:
    match refused.refusal:
        case Refusal.MATCH_OVER:
            return Problem("match_over", _("This board is finished."))
        case Refusal.OUT_OF_TURN:
            return Problem("out_of_turn", _("This board has moved on elsewhere: this is how it stands."))
        case refusal:
            return problem_of(refusal, terms, guess=True)


def _page(request: Request, name: str, shown: dict[str, Any], problem: Problem | None = None) -> HttpResponse:
    """The page, or for htmx the part of it that changes. What htmx is to show of a refusal has to be a 422."""
    htmx = bool(request.htmx)
    status = 200 if problem is None else 422 if htmx else problem.status
    shown = {**shown, "error": problem.detail if problem else ""}
    return render(request, f"bots/{'_' if htmx else ''}solo_{name}.html", shown, status=status)


# Practice


@never_cache
@require_safe
def practice(request: Request) -> HttpResponse:
    return _practice(request)


def _practice(request: Request, problem: Problem | None = None, *, fresh: bool = False) -> HttpResponse:
    board = boards.board_of(request.session)
    counted = boards.counted(request.session)
    terms = board.terms if board else choices.default_terms()
    shown: dict[str, Any] = {"presets": _presets(terms), "counted": counted}
    if board is None:
        return _page(request, "begin", shown, problem)
    sight = solo.see(board)
    if counted and not sight.over:
        puzzle = Puzzle.of(board.terms)
        counts = {"possible": possible(puzzle, sight.rows), "of": len(puzzle.secrets)}
        shown |= {name: number_format(count, force_grouping=True) for name, count in counts.items()}
    shown["view"] = presenters.present(sight, fresh=fresh)
    return _page(request, "practice", shown, problem)


def _presets(terms: Terms) -> list[choices.PresetChoice]:
    """The form of terms, without what only two can agree on."""
    return [
        replace(
            preset,
            blurb=presenters.preset_blurb(preset.name),
            fields=tuple(field for field in preset.fields if not field.name.endswith(_NOT_ALONE)),
        )
        for preset in choices.preset_choices(terms)
    ]


@require_POST
def begin_practice(request: Request) -> HttpResponse:
    """A new board on the terms of the form, or else on those of the board before."""
    before = boards.board_of(request.session)
    try:
        if "preset" in request.POST:
            terms = choices.agreed(choices.read_form(request.POST))
            boards.count(request.session, request.POST.get("counted") == "yes")
        else:
            terms = before.terms if before else choices.default_terms()
    except Problem as problem:
        return _practice(request, problem)
    boards.begin(request.session, terms)
    return redirect("practice")


@require_POST
def guess_practice(request: Request) -> HttpResponse:
    board = boards.board_of(request.session)
    if board is None:
        return redirect("practice")
    try:
        boards.keep(request.session, solo.play(board, *_guess(request)))
    except Refused as refused:
        return _practice(request, _problem(refused, board.terms))
    return _practice(request, fresh=True) if request.htmx else redirect("practice")


@require_POST
def count_practice(request: Request) -> HttpResponse:
    """Have the numbers still possible counted, or not."""
    boards.count(request.session, request.POST.get("counted") == "yes")
    return redirect("practice")


@require_POST
def give_up_practice(request: Request) -> HttpResponse:
    board = boards.board_of(request.session)
    if board is not None:
        boards.keep(request.session, solo.give_up(board))
    return redirect("practice")


# The daily number


@never_cache
@require_safe
def daily(request: Request) -> HttpResponse:
    return _daily(request, days.today())


@never_cache
@require_safe
def daily_of(request: Request, day: date) -> HttpResponse:
    """Today's or yesterday's."""
    if day not in (days.today(), days.today() - DAY):
        raise Http404
    return _daily(request, day)


@require_POST
def guess_daily(request: Request, day: date) -> HttpResponse:
    """A guess at that day's number. A first one that is refused makes no guest."""
    code, n = _guess(request)
    try:
        if not request.user.is_authenticated:
            days.rehearse(day, code)
        days.play(player(request), day, code, n)
    except Refused as refused:
        return _daily(request, day, _problem(refused, days.terms()))
    except Problem as problem:
        return _daily(request, days.today(), problem)
    if request.htmx:
        return _daily(request, day, fresh=True)
    return redirect("daily-of", day)


def _daily(
    request: Request, day: date, problem: Problem | None = None, *, fresh: bool = False
) -> HttpResponse:
    today, me = days.today(), request.user.pk
    mine = days.try_of(me, day)
    board = days.board_of(day, mine)
    open_before = days.is_on(day - DAY, days.try_of(me, day - DAY))
    shown: dict[str, Any] = {"day": day, "today": today, "before": day - DAY, "open_before": open_before}
    if not days.is_on(day, mine):
        board = board if board.over else solo.give_up(board)
        shown |= _result(request, day, board, mine)
    shown["view"] = presenters.present(solo.see(board), fresh=fresh)
    return _page(request, "daily", shown, problem)


def _result(request: Request, day: date, board: Board, mine: DailyTry | None) -> dict[str, Any]:
    """A day's number once it is no secret to this reader, and what came of it."""
    shown: dict[str, Any] = {"bars": days.of_day(day), "mine": mine, "own": 0, "turns_at": days.turns_at(day)}
    if mine is not None:
        shown["own"] = len(board.guesses) if board.found else None
        address = request.build_absolute_uri(reverse("daily"))
        shown |= {"figures": days.of_player(mine.player_id), "shared": days.shared(board, day, address)}
    return shown


# Other people's bots


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account_bot(request: Request) -> HttpResponse:
    """Become a bot, for good: the name is typed once more."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path())
    problem = None
    if request.method == "POST":
        try:
            accounts.become_bot(request.user, request.POST.get("name", "").strip())
            return redirect("account-bot")
        except Problem as refused:
            problem = refused
    shown = {
        "player": request.user,
        "reason": accounts.ineligible(request.user),
        "error": problem.detail if problem else "",
    }
    return render(request, "bots/account_bot.html", shown, status=problem.status if problem else 200)
