"""What a page posts of calls: a browser that agrees to be called or no longer does, and a wish for letters."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from lobby.calls import services
from lobby.calls.push import Address
from players.models import User
from players.problems import Problem
from players.views import members_only


@require_POST
def device(request: HttpRequest) -> HttpResponse:
    """Asked by a script, which is answered in few words."""
    player = request.user
    if not isinstance(player, User):
        return _refusal(Problem("not_signed_in"))
    given = [request.POST.get(name, "") for name in ("endpoint", "p256dh", "auth")]
    try:
        made = services.add_device(player, Address(*given), get_language() or "")
    except Problem as problem:
        return _refusal(problem)
    request.session[services.IN_SESSION] = made.pk
    return HttpResponse(status=204)


@require_POST
def forget(request: HttpRequest) -> HttpResponse:
    player = request.user
    if not isinstance(player, User):
        return _refusal(Problem("not_signed_in"))
    if services.IN_SESSION in request.session:
        services.forget_device(player, request.session.pop(services.IN_SESSION))
    return HttpResponse(status=204)


def _refusal(problem: Problem) -> HttpResponse:
    return HttpResponse(problem.detail, status=problem.status, content_type="text/plain; charset=utf-8")


@require_POST
@members_only
def letters(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)
    try:
        services.want_letters(
            request.user,
            wanted=request.POST.get("letters") == "on",
            language=get_language() or "",
            origin=request.build_absolute_uri("/").rstrip("/"),
        )
    except Problem as problem:
        messages.error(request, problem.detail)
    else:
        messages.success(request, _("Saved."))
    return redirect("account")
