"""One web process of the scaled shape: pages and sockets. Workers and beat are processes of their own."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from numbers_site.start import CannotStart, free_address
from numbers_site.stopping import Stopping, leave


class Command(BaseCommand):
    help = (
        "Serve pages and sockets from this process, until TERM. Migrate and gather the static files before."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=settings.PORT, help="the port of HOST to listen on")

    def handle(self, *args: Any, **options: Any) -> None:
        stopping = Stopping()
        address = free_address(settings.HOST, options["port"])
        from numbers_site.web import Web  # takes half a second: a refusal should be quick

        web = Web(address, options["port"], listening=lambda: self.say(options["port"]))
        stopping.begin = lambda: web.on_its_thread(web.begin_stop)
        web.run()
        if web.failure:
            raise CannotStart(f"PORT: {web.failure}")
        leave()

    def say(self, port: int) -> None:
        self.stdout.write(f"Serving on {settings.HOST}:{port}.")
        self.stdout.flush()
