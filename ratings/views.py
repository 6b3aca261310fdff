"""The ladders, a player's page and history: read what was asked, ask the rows, render."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from matches.choices import preset_label
from matches.core.terms import PRESETS
from matches.queries import face
from players.models import User
from players.problems import Problem
from players.queries import ties_between
from ratings import presenters, queries, words
from ratings.models import ALL_TIME, Ladder, Outcome

RUNGS, RECENT, LINES = 10, 5, 20

View = Callable[..., HttpResponse]


def page(view: View) -> View:
    """A page to read, never kept; where there is nothing of that name or place, it is not found."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Problem:
            raise Http404 from None

    return never_cache(require_safe(answer))


@page
def ladder(request: HttpRequest) -> HttpResponse:
    return _ladder(request, Ladder.GENERAL, ALL_TIME, "ladder")


@page
def month(request: HttpRequest) -> HttpResponse:
    return _ladder(request, Ladder.GENERAL, queries.this_month(), "ladder-month")


@page
def tournaments(request: HttpRequest) -> HttpResponse:
    return _ladder(request, Ladder.TOURNAMENT, ALL_TIME, "ladder-tournaments")


def _ladder(request: HttpRequest, ladder: Ladder, period: str, address: str) -> HttpResponse:
    after, you = request.GET.get("after", ""), request.user.pk
    stretch = queries.climb(ladder, period, after=after, limit=RUNGS)
    own = _own(stretch, ladder, period, you)
    of_month = period != ALL_TIME
    context = {
        "address": address,
        "rungs": presenters.rungs(stretch.rungs, you, of_month=of_month),
        "own": presenters.rungs(own, you, of_month=of_month),
        "apart": bool(own) and own[0].place > stretch.rungs[-1].place + 1,
        "after": stretch.after,
        "further": bool(after),
        "worths": presenters.worths(),
    }
    return render(request, "ratings/ladder.html", context)


def _own(stretch: queries.Stretch, ladder: Ladder, period: str, you: int | None) -> list[queries.Rung]:
    """The reader's own rung between its neighbours, as far as they are further down than what is shown."""
    if you is None or stretch.after is None or you in (rung.player.pk for rung in stretch.rungs):
        return []
    foot = stretch.rungs[-1].place
    return [rung for rung in queries.around(ladder, period, you) if rung.place > foot]


@page
def player(request: HttpRequest, name: str) -> HttpResponse:
    found = queries.player(name)
    if found.username != name:
        return redirect("player", name=found.username, permanent=False)
    tallies = queries.tallies(found.pk)
    standings = queries.standings(found.pk)
    standing = standings.get(Ladder.GENERAL)
    recent = queries.history(found.pk, limit=RECENT)
    record = queries.record(tallies)
    viewer = request.user
    context = {
        **_who(found),
        "ties": ties_between(viewer, found) if isinstance(viewer, User) else frozenset(),
        "rank": queries.rank(Ladder.GENERAL, standing.points) if standing else None,
        "record": record,
        "guesses_to_win": words.decimal(record.guesses_to_win),
        "chart": presenters.chart(queries.line_of_points(found.pk, standing.rows)) if standing else None,
        "recent": [presenters.line(line, request.user.pk) for line in recent.lines],
        "more": recent.after is not None,
        "people": presenters.by_terms(tallies, bots=False),
        "bots": presenters.by_terms(tallies, bots=True),
        "tournaments": standings.get(Ladder.TOURNAMENT),
    }
    return render(request, "ratings/player.html", context)


@page
def history(request: HttpRequest, name: str) -> HttpResponse:
    found = queries.player(name)
    if found.username != name:
        there = reverse("player-matches", args=[found.username])
        return redirect(f"{there}?{request.GET.urlencode()}" if request.GET else there)
    wanted = queries.wanted(request.GET.dict())
    lines = queries.history(found.pk, wanted, after=request.GET.get("after", ""), limit=LINES)
    context = {
        **_who(found),
        "lines": [presenters.line(line, request.user.pk) for line in lines.lines],
        "wanted": wanted,
        "filtered": wanted != queries.Wanted(),
        "older": _with(request, after=lines.after) if lines.after else "",
        "further": "after" in request.GET,
        "presets": [(preset, preset_label(preset)) for preset in PRESETS],
        "outcomes": [(outcome, words.outcome_label(outcome)) for outcome in Outcome.values],
        "kinds": [(kind, words.kind_label(kind)) for kind in queries.KINDS],
    }
    swapped = request.htmx and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    template = "ratings/_matches.html" if swapped else "ratings/history.html"
    response = render(request, template, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _who(found: User) -> dict[str, object]:
    return {"player": found, "name": face(found).shown}


def _with(request: HttpRequest, **values: str) -> str:
    """The address's question with these values instead of its own."""
    asked = request.GET.copy()
    for key, value in values.items():
        asked[key] = value
    return asked.urlencode()
