"""The pages of matches: read what was asked, call one verb, render. Works as plain forms, without a script."""

import secrets

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.middleware import HtmxDetails

from matches import guide, pages, queries, services, wire, words
from matches.core.machine import Refused, Status
from matches.queries import Loaded
from matches.refusals import problem_of
from matches.services import Done
from matches.wire import Order
from players import limits
from players.problems import STATUS, Problem
from players.reporting import report_page
from players.views import players_only

_VERBS = ("secret", "confirm", "guess", "resign", "rematch")


class Request(HttpRequest):
    """A request as django-htmx leaves it."""

    htmx: HtmxDetails


@never_cache
@require_safe
def match(request: HttpRequest, match_id: str) -> HttpResponse:
    return _page(request, match_id)


@never_cache
@require_safe
def at(request: Request, match_id: str, version: int) -> HttpResponse:
    """A finished match as it stood after one of its events. One that is not over is watched, not looked back on."""
    loaded = _visible(request, match_id)
    if loaded.state.status is not Status.OVER:
        return redirect("match", match_id=match_id)
    moment = queries.moment(loaded, version, request.user.pk)
    if moment is None:
        raise Http404
    template = "matches/_replay.html" if request.htmx else "matches/replay.html"
    return render(request, template, pages.replay(loaded, moment))


@require_http_methods(["GET", "HEAD", "POST"])
@players_only
def report(request: HttpRequest, match_id: str) -> HttpResponse:
    """Tell moderators of the opponent, or, watching, of either player."""
    loaded = _visible(request, match_id)
    players = [player for player in loaded.players if player is not None and player != request.user]
    others = [player for player in players if not player.of_the_house]
    return report_page(request, others, reverse("match", args=[match_id]), match_id)


@require_POST
def act(request: HttpRequest, match_id: str, verb: str) -> HttpResponse:
    """A plain form's order: done, it leads back to the page; refused, to the page with the reason."""
    if verb not in _VERBS:
        raise Http404
    try:
        done = _obey(request, match_id, verb)
    except Problem as problem:
        return _page(request, match_id, problem)
    made = done.state.rematch.match if done.state.rematch else None
    return redirect("match", match_id=made or match_id)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rules(request: Request) -> HttpResponse:
    """The rules, with a box to try them in: it is posted, since a number never stands in an address."""
    trial = guide.try_out(request.POST) if request.method == "POST" else guide.first_trial()
    status = STATUS["bad_code"] if trial.error else 200
    if request.htmx:
        return render(request, "matches/_tried.html", {"trial": trial}, status=status)
    return render(request, "matches/rules.html", {"trial": trial, **guide.rules()}, status=status)


@require_safe
def strategy(request: HttpRequest) -> HttpResponse:
    return render(request, "matches/strategy.html", guide.strategy())


def _obey(request: HttpRequest, match_id: str, verb: str) -> Done:
    limits.commands.spend(limits.address_of(request), request.user.pk)
    loaded, seat = queries.played(match_id, request.user.pk)
    try:
        return services.obey(match_id, seat, _order(request, verb))
    except Refused as refused:
        raise problem_of(refused.refusal, loaded.state.terms, guess=verb == "guess") from None


def _order(request: HttpRequest, verb: str) -> Order:
    n = request.POST.get("n", "")
    return Order(
        verb=verb,
        code=request.POST.get("code", "").strip(),
        n=int(n) if n.isascii() and n.isdigit() and len(n) < 6 else None,
        ref=wire.read_ref(request.POST.get("ref") or None),
    )


def _page(request: HttpRequest, match_id: str, problem: Problem | None = None) -> HttpResponse:
    loaded = _visible(request, match_id)
    view, rival = pages.view(loaded, request.user.pk), loaded.rival_of(request.user.pk)
    context = {
        "view": view,
        "phrases": words.phrases(),
        "rival": rival,
        "deaf": view.talks and queries.deaf_to(request.user.pk, rival),
        "error": problem.detail if problem else "",
        "ref": secrets.token_urlsafe(8),
        "socket": f"/ws/matches/{match_id}/",
        "language": get_language(),
    }
    return render(request, "matches/match.html", context, status=problem.status if problem else 200)


def _visible(request: HttpRequest, match_id: str) -> Loaded:
    try:
        return queries.visible(match_id, request.user.pk)
    except Problem:
        raise Http404 from None
