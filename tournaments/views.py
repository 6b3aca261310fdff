"""Tournaments' pages: read what was asked, call one verb, render. Works as plain forms, without a script."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from matches import choices, codec, words
from players.models import Kind, User
from players.problems import Problem
from tournaments import codes, forms, pages, presenters, queries, services
from tournaments.core.machine import Status
from tournaments.forms import Form
from tournaments.models import Tournament
from tournaments.queries import Line, Loaded
from tournaments.services import Plan


@never_cache
@require_safe
def tournaments(request: HttpRequest) -> HttpResponse:
    return _list(request)


def _list(request: HttpRequest, problem: Problem | None = None) -> HttpResponse:
    """Two lists, each paged by itself."""
    try:
        coming = queries.coming(request.user, after=request.GET.get("after", ""))
        past = queries.past(request.user, after=request.GET.get("past", ""))
    except Problem:
        raise Http404 from None
    context = {
        "coming": [line_view(line) for line in coming.lines],
        "after": coming.after,
        "past": [line_view(line) for line in past.lines],
        "past_after": past.after,
        "code": request.POST.get("code", request.GET.get("code", "")),
        "person": _is_person(request),
        "error": problem.detail if problem else "",
    }
    return render(request, "tournaments/list.html", context, status=problem.status if problem else 200)


def line_view(line: Line) -> dict[str, Any]:
    return {
        "row": line.row,
        "local": local(line.row),
        "preset": choices.preset_label(line.terms.preset),
        "terms": words.joined(*pages.chips(line)),
        "standing": presenters.standing(line.status),
        "players": presenters.entered(line.entered, line.row.maximum, line.status),
        "mine": line.mine,
        "champion": line.champion_shown,
    }


def local(row: Tournament) -> datetime:
    """Its start as the clocks of its own zone show it, for who has no script; naive, or a template would move it."""
    return row.starts_at.astimezone(ZoneInfo(row.zone)).replace(tzinfo=None)


def _is_person(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.kind == Kind.HUMAN


@never_cache
@require_safe
def tournament(request: HttpRequest, tournament_id: str) -> HttpResponse:
    return _page(request, tournament_id)


def _page(request: HttpRequest, tournament_id: str, problem: Problem | None = None) -> HttpResponse:
    loaded = _visible(request, tournament_id)
    row, user = loaded.row, request.user
    runs = services.may_run(row, user.pk, staff=isinstance(user, User) and user.is_staff)
    context = {
        "row": row,
        "local": local(row),
        "chips": pages.chips(loaded),
        "small_print": pages.small_print(loaded) if row.status == Status.OPEN else (),
        "cup": presenters.present(loaded, user.pk),
        "person": _is_person(request),
        "runs": runs,
        "code": f"{row.pk}-{row.code}" if runs and row.private else "",
        "link": request.build_absolute_uri(request.path),
        "language": get_language(),
        "error": problem.detail if problem else "",
    }
    status = problem.status if problem else 200
    return render(request, "tournaments/tournament.html", context, status=status)


def _visible(request: HttpRequest, tournament_id: str) -> Loaded:
    try:
        return queries.visible(tournament_id, request.user)
    except Problem:
        raise Http404 from None


@require_POST
def act(request: HttpRequest, tournament_id: str, verb: str) -> HttpResponse:
    """Join, leave, call off: done, it leads back to the page; refused, to the page with the reason."""
    user = request.user
    if not isinstance(user, User):
        raise Http404
    try:
        match verb:
            case "join":
                codes.join(request, tournament_id, "")
            case "leave":
                services.leave(tournament_id, user)
            case "cancel":
                services.call_off(tournament_id, user)
            case _:
                raise Http404
    except Problem as problem:
        return _page(request, tournament_id, problem)
    if not queries.may_see(queries.load(tournament_id), user):
        return redirect("tournaments")  # left a private one
    return redirect("tournament", tournament_id=tournament_id)


@require_POST
def enter(request: HttpRequest) -> HttpResponse:
    """A private tournament by its code, as its page gives it: the id and the word that opens it."""
    tournament_id, _dash, code = request.POST.get("code", "").strip().lower().partition("-")
    try:
        if not isinstance(request.user, User):
            raise Problem("forbidden", _("Sign in first: guests do not enter tournaments."))
        codes.join(request, tournament_id, code or "-")
    except Problem as problem:
        if problem.code == "not_found":
            problem = Problem("not_found", _("No tournament opens to that code."))
        return _list(request, problem)
    return redirect("tournament", tournament_id=tournament_id)


# The form


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _form(request, forms.blank(), choices.default_terms())
    try:
        if not isinstance(request.user, User):
            raise Problem("forbidden", _("Sign in first: guests do not make tournaments."))
        row = services.make(request.user, forms.read(request.POST))
    except Problem as problem:
        return _form(request, forms.sent(request.POST), _terms(request), problem=problem)
    return redirect("tournament", tournament_id=row.pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, tournament_id: str) -> HttpResponse:
    row = _visible(request, tournament_id).row
    user = request.user
    if not isinstance(user, User) or not services.may_run(row, user.pk, staff=user.is_staff):
        raise Http404
    if request.method != "POST":
        plan = _plan(row)
        return _form(request, forms.filled(plan), plan.terms, row)
    try:
        services.edit(tournament_id, user, forms.read(request.POST))
    except Problem as problem:
        return _form(request, forms.sent(request.POST), _terms(request), row, problem)
    return redirect("tournament", tournament_id=tournament_id)


def _plan(row: Tournament) -> Plan:
    return Plan(row.name, codec.terms_from_json(row.terms), row.starts_at, row.zone, row.private, row.maximum)


def _terms(request: HttpRequest) -> Any:
    """The terms that were sent, as far as they can be."""
    try:
        return choices.agreed(choices.read_form(request.POST))
    except Problem:
        return choices.default_terms()


def _form(
    request: HttpRequest,
    form: Form,
    terms: Any,
    row: Tournament | None = None,
    problem: Problem | None = None,
) -> HttpResponse:
    context = {
        "form": form,
        "row": row,
        "presets": forms.preset_choices(terms),
        "person": _is_person(request),
        "error": problem.detail if problem else "",
    }
    return render(request, "tournaments/form.html", context, status=problem.status if problem else 200)
