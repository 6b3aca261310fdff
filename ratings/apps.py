"""The room's name, for Django."""

from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "ratings"
