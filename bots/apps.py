"""The room's name, for Django."""

from django.apps import AppConfig


class BotsConfig(AppConfig):
    name = "bots"
