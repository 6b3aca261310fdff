"""Grow the trees that Hard plays by, and keep them in `bots/grown/`. Touches no database."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from bots import forest
from bots.core.grow import grow
from bots.core.puzzle import PUZZLES


class Command(BaseCommand):
    help = "Grows the decision trees of the Hard bot for all twelve kinds of terms, or for those named."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = [str(puzzle) for puzzle in PUZZLES]
        parser.add_argument("puzzles", nargs="*", metavar="PUZZLE", help=f"of {', '.join(names)}")

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = options["puzzles"] or [str(puzzle) for puzzle in PUZZLES]
        for puzzle in PUZZLES:
            if str(puzzle) in wanted:
                began = time.monotonic()
                tree = grow(puzzle, self.stderr.write)
                path = forest.keep(puzzle, tree)
                took = time.monotonic() - began
                self.stdout.write(
                    f"{puzzle}: {len(tree.guess)} positions, {path.stat().st_size} bytes, {took:.1f} s"
                )
