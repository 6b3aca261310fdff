"""Pages that several rooms make together."""

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from lobby import pages as lobby_pages
from lobby import queries as lobby_queries
from lobby import views as lobby_views
from matches import queries, words
from players.models import User
from ratings import presenters
from ratings import queries as ladder
from ratings.models import Ladder
from tournaments import queries as tournaments
from tournaments.views import line_view

SEEKS, WATCHED, TOURNAMENTS, RUNGS = 5, 4, 3, 5
"""How much of each list the first page shows; each has a page of its own."""


@never_cache
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Three ways into a match, and what goes on at the site."""
    viewer = request.user
    seeks = list(lobby_queries.open_seeks())
    context = {
        **lobby_views.strip(request),
        "open_matches": [_running(loaded, viewer) for loaded in queries.live_of(viewer.pk)],
        "seeks": [lobby_pages.seek_row(viewer, seek) for seek in seeks[:SEEKS]],
        "count": len(seeks),
        "tournaments": [line_view(line) for line in tournaments.coming(viewer, limit=TOURNAMENTS).lines],
        "watchable": queries.watchable(WATCHED, viewer.pk),
        "rungs": presenters.rungs(ladder.climb(Ladder.GENERAL, limit=RUNGS).rungs, viewer.pk, of_month=False),
    }
    return render(request, "numbers_site/home.html", context)


def _running(loaded: queries.Loaded, viewer: User | AnonymousUser) -> dict[str, object]:
    seat = loaded.seat_of(viewer.pk)
    return {
        "id": loaded.id,
        "opponent": queries.face(loaded.players[1 - (seat or 0)]).shown,
        "line": words.short_line(loaded.state.terms),
        "your_turn": loaded.state.turn == seat,
    }
