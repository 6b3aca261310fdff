"""Which view answers which address."""

from django.contrib import admin
from django.urls import include, path

from numbers_site import health, pages, people, shell
from numbers_site.api import api
from numbers_site.cards import views as cards

urlpatterns = [
    path("", pages.home, name="home"),
    path("", include("lobby.urls")),
    path("", include("bots.urls")),  # before those of matches, which take every word after an id for a verb
    path("", include("matches.urls")),
    path("", include("players.urls")),
    path("", include("lobby.calls.urls")),
    path("account/export/", people.export, name="account-export"),
    path("", include("ratings.urls")),
    path("", include("tournaments.urls")),
    path("api/v1/", api.urls),
    path("app.<str:language>.webmanifest", shell.manifest, name="manifest"),
    path("worker.<str:language>.js", shell.worker, name="worker"),
    path("offline/<str:language>/", shell.offline, name="offline"),
    path("cards/site.<str:language>.png", cards.site, name="card"),
    path("cards/match/<match:match_id>.<str:language>.png", cards.match, name="card-match"),
    path("cards/player/<player:name>.<str:language>.png", cards.player, name="card-player"),
    path(
        "cards/tournament/<match:tournament_id>.<str:language>.png", cards.tournament, name="card-tournament"
    ),
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("admin/", admin.site.urls),
]
handler404 = "numbers_site.errors.not_found"
