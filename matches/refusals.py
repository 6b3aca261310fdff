"""A refusal of the machine as a problem told to its caller, with the terms' own words where they help."""

from matches import words
from matches.core.machine import Refusal
from matches.core.terms import Terms
from players.problems import Problem


def problem_of(refusal: Refusal, terms: Terms, *, guess: bool) -> Problem:
    """`guess` says which rule a bad code has broken: that of guesses or that of secrets."""
    detail = words.code_rule(terms, guess=guess) if refusal is Refusal.BAD_CODE else ""
    return Problem(refusal.value, detail)
