"""The site as a Django app: the place of its commands."""

from django.apps import AppConfig

from numbers_site import wiring


class SiteConfig(AppConfig):
    name = "numbers_site"
    verbose_name = "The Numbers"

    def ready(self) -> None:
        wiring.connect()
