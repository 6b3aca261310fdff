"""Fills a database on PostgreSQL with finished matches, to time pages by."""

import random
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from numbers_site.filling import Filler, finish, make_players, write


class Command(BaseCommand):
    help = (
        "Adds players and finished matches between them, with all that follows from these (PostgreSQL only)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--matches", type=int, default=1_000_000)
        parser.add_argument("--players", type=int, default=20_000)
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *, matches: int, players: int, seed: int, **options: Any) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("DATABASE_URL does not name a PostgreSQL: there is nothing to fill.")
        if players < 2 or matches < 1:
            raise CommandError("It takes two players and a match.")
        filler = Filler(make_players(players), matches, random.Random(seed))  # noqa: S311  no secret of anybody's
        for written in write(filler.matches()):
            self.stderr.write(f"{written} of {matches} matches")
        for _ in write(filler.records()):
            pass
        finish()
