"""Addresses of the lobby's pages, and of its sockets."""

from django.urls import path

from lobby import consumers, paths, views
from matches.paths import MatchId

_LINK = f"i/<{paths.InvitationToken.name}:token>/"
_SEEK = f"seeks/<{MatchId.name}:seek_id>/"

urlpatterns = [
    path("lobby/", views.lobby, name="lobby"),
    path("play-now/", views.play_now, name="play-now"),
    path("play-bot/", views.play_bot, name="play-bot"),
    path("seeks/", views.open_seek, name="seek-open"),
    path(f"{_SEEK}accept/", views.accept_seek, name="seek-accept"),
    path(f"{_SEEK}withdraw/", views.withdraw_seek, name="seek-withdraw"),
    path("challenge/<str:name>/", views.challenge, name="challenge"),
    path(
        f"challenges/<{MatchId.name}:challenge_id>/<slug:verb>/",
        views.answer_challenge,
        name="challenge-answer",
    ),
    path("invite/", views.invite, name="invite"),
    path(_LINK, views.invitation, name="invitation"),
    path(f"{_LINK}state/", views.invitation_state, name="invitation-state"),
    path(f"{_LINK}accept/", views.accept, name="invitation-accept"),
    path(f"{_LINK}withdraw/", views.withdraw, name="invitation-withdraw"),
]
websockets = [
    path("ws/v1/lobby/", consumers.LobbyConsumer.as_asgi()),
    path("ws/lobby/", consumers.LobbyPageConsumer.as_asgi()),
]
