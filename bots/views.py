"""The analysis of a match: a page of its own, or a piece of another page that asks for it."""

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from bots import analyses, reports
from matches import queries
from matches.views import Request
from players.problems import Problem


@never_cache
@vary_on_headers("HX-Request")
@require_safe
def analysis(request: Request, match_id: str) -> HttpResponse:
    """Who comes too early is led to the match."""
    try:
        loaded = queries.visible(match_id, request.user.pk)
    except Problem:
        raise Http404 from None
    try:
        boards = analyses.boards(loaded)
    except Problem:
        return redirect("match", match_id=match_id)
    report = reports.report(loaded.sight(request.user.pk), queries.faces(loaded.players), boards)
    template = "bots/_analysis.html" if request.htmx else "bots/analysis.html"
    return render(request, template, {"id": loaded.id, "report": report})
