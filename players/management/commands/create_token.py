"""Make an API token for a player and print it alone, for scripts to read."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from players.models import User
from players.services import issue_token


class Command(BaseCommand):
    help = "Makes an API token for a player and prints it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER", help="the player's name")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"no player is called {options['user']}")
        self.stdout.write(issue_token(user))
