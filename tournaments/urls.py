"""Addresses of tournaments' pages, and of their sockets."""

from django.urls import path

from tournaments import consumers, views
from tournaments.paths import ID

_ONE = f"tournaments/<{ID}:tournament_id>/"

urlpatterns = [
    path("tournaments/", views.tournaments, name="tournaments"),
    path("tournaments/new/", views.new, name="tournament-new"),
    path("tournaments/enter/", views.enter, name="tournament-enter"),
    path(_ONE, views.tournament, name="tournament"),
    path(f"{_ONE}edit/", views.edit, name="tournament-edit"),
    path(f"{_ONE}<slug:verb>/", views.act, name="tournament-act"),
]
websockets = [
    path(f"ws/v1/{_ONE}", consumers.TournamentConsumer.as_asgi()),
    path(f"ws/{_ONE}", consumers.TournamentPageConsumer.as_asgi()),
]
