"""Addresses of the ladders, of players and of their histories."""

from django.urls import path

from players.paths import PlayerName
from ratings import views

_ONE = f"players/<{PlayerName.name}:name>/"

urlpatterns = [
    path("ladder/", views.ladder, name="ladder"),
    path("ladder/month/", views.month, name="ladder-month"),
    path("ladder/tournaments/", views.tournaments, name="ladder-tournaments"),
    path(_ONE, views.player, name="player"),
    path(f"{_ONE}matches/", views.history, name="player-matches"),
]
