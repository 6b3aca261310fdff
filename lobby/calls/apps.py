"""The room's name, for Django."""

from django.apps import AppConfig


class CallsConfig(AppConfig):
    name = "lobby.calls"
