"""The room's name, for Django."""

from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"
