"""Mark lines of SECRET GUESS with the real rule. Reads standard input, touches no database."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from matches.core.codes import is_code
from matches.core.marking import mark, totals
from matches.core.terms import LENGTHS


class Command(BaseCommand):
    help = "Marks SECRET GUESS lines from standard input: prints marks, exact, present for each."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        for line in sys.stdin.buffer:
            self.stdout.write(marked(line.decode("utf-8", "replace")))


def marked(line: str) -> str:
    """`PPEPP 1 4` for a line of two codes of one length, `error: …` for any other."""
    words = line.split()
    if len(words) != 2:
        return "error: a line is SECRET GUESS"
    secret, guess = words
    if len(secret) not in LENGTHS or not (is_code(secret, len(secret)) and is_code(guess, len(secret))):
        return "error: SECRET and GUESS are four or five digits 0-9, as many in one as in the other"
    marks = mark(secret, guess)
    exact, present = totals(marks)
    return f"{marks} {exact} {present}"
