"""The players app, as Django knows it."""

from django.apps import AppConfig


class PlayersConfig(AppConfig):
    name = "players"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from players import doors  # which imports the models

        doors.watch()
