"""Addresses of the match page and its sockets, and of the pages that explain the game."""

from django.urls import path

from matches import consumers, paths, views

_ONE = f"<{paths.MatchId.name}:match_id>/"

urlpatterns = [
    path("rules/", views.rules, name="rules"),
    path("strategy/", views.strategy, name="strategy"),
    path(f"m/{_ONE}", views.match, name="match"),
    path(f"m/{_ONE}at/<int:version>/", views.at, name="match-at"),
    path(f"m/{_ONE}report/", views.report, name="match-report"),
    path(f"m/{_ONE}<slug:verb>/", views.act, name="match-act"),
]
websockets = [
    path(f"ws/v1/matches/{_ONE}", consumers.MatchConsumer.as_asgi()),
    path(f"ws/matches/{_ONE}", consumers.PageConsumer.as_asgi()),
]
