"""The page on which a player tells moderators of another, or of a match. A form is a form: it needs no script."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from players import limits
from players.auth import caller
from players.forms import WriteReport
from players.models import User
from players.problems import STATUS, Problem
from players.services import report

BY_ADDRESS, BY_PLAYER, SECONDS = 40, 10, 3600
"""So many reports an hour from one address, behind which may be a school, and by one player."""


def report_page(request: HttpRequest, others: list[User], back: str, match_id: str = "") -> HttpResponse:
    """Of one of `others`, as far as there are any; from a match, with its id. Done, it leads `back`."""
    form = WriteReport(others, request.POST or None)
    if form.is_valid():
        try:
            _take(request, form, match_id)
        except Problem as problem:
            if problem.retry_after is not None:
                page = render(request, "429.html", status=problem.status)
                page["Retry-After"] = str(problem.retry_after)
                return page
            form.add_error(None, problem.detail)
        else:
            messages.success(request, _("Thank you. A moderator will look at it."))
            return redirect(back)
    shown = {"form": form, "others": others, "match_id": match_id, "back": back}
    status = STATUS["invalid"] if form.errors else 200
    return render(request, "players/report.html", shown, status=status)


def _take(request: HttpRequest, form: WriteReport, match_id: str) -> None:
    tries = limits.tries_of(request)
    for key, most in zip(tries, (BY_ADDRESS, BY_PLAYER), strict=True):
        limits.check("report", [key], most, SECONDS)
    report(caller(request), form.other, match_id, form.cleaned_data["why"], form.cleaned_data["text"])
    limits.count("report", tries, SECONDS)
