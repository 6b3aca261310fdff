"""Play bots against each other. Progress on stderr, one JSON object on stdout; touches no database."""

import json
import time
from argparse import ArgumentParser
from random import Random
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bots import forest
from bots.core.arena import Arena, Record
from bots.core.levels import Level
from matches.choices import menus
from matches.core.terms import LENGTHS, PRESETS, BadTerms, Feedback, GuessRule, Terms, agree

TELL_EVERY = 1000


class Command(BaseCommand):
    help = "Plays bots against each other, each finishing its board, the first move alternating."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        levels = [level.value for level in Level]
        parser.add_argument("--a", required=True, choices=levels)
        parser.add_argument("--b", required=True, choices=levels)
        parser.add_argument("--games", required=True, type=int)
        parser.add_argument("--preset", choices=list(PRESETS))
        parser.add_argument("--length", type=int, choices=LENGTHS)
        parser.add_argument("--repeats", choices=["true", "false"])
        parser.add_argument("--feedback", choices=[feedback.value for feedback in Feedback])
        parser.add_argument("--guesses", choices=[rule.value for rule in GuessRule])
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["games"] < 1:
            raise CommandError("--games takes a whole number of at least 1.")
        levels = (Level(options["a"]), Level(options["b"]))
        arena = Arena(_terms(options), levels, forest.tree, time.perf_counter_ns)
        chance = Random(options["seed"])
        for number in range(options["games"]):
            arena.play(first=number % 2, chance=chance)
            if (number + 1) % TELL_EVERY == 0:
                self.stderr.write(f"{number + 1} games")
        self.stdout.write(json.dumps(_outcome(arena)))


def _terms(options: dict[str, Any]) -> Terms:
    """The terms asked for. A guess rule asked for without a preset finds the preset that has it."""
    names = ("preset", "length", "repeats", "feedback", "guesses")
    asked = {name: options[name] for name in names if options[name] is not None}
    if "repeats" in asked:
        asked["repeats"] = asked["repeats"] == "true"
    if asked.get("guesses") == GuessRule.FREE:
        asked.setdefault("preset", "probe")
    try:
        return agree(asked, menus())
    except BadTerms as bad:
        raise CommandError(f"--{bad.field}: the preset does not admit that value.") from None


def _outcome(arena: Arena) -> dict[str, Any]:
    return {
        "wins": dict(zip("ab", arena.wins, strict=True)),
        "by_seat": dict(zip(("first", "second"), arena.by_seat, strict=True)),
        **{name: _told(record) for name, record in zip("ab", arena.records, strict=True)},
    }


def _told(record: Record) -> dict[str, Any]:
    return {
        "average": round(record.average, 4),
        "worst": max(record.guesses),
        "spread": record.spread,
        "ms": {"mean": round(record.mean_ms(), 3), "p99": round(record.p99_ms(), 3)},
    }
