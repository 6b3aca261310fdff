"""What the machine refuses, as a problem in the caller's words."""

from django.utils.translation import gettext as _

from players.problems import Problem
from tournaments.core.machine import Refusal


def problem_of(refusal: Refusal) -> Problem:
    match refusal:
        case Refusal.FULL:
            return Problem("full", _("This tournament is full."))
        case Refusal.TOO_FEW:
            return Problem("closed", _("It takes at least two players to start."))
        case Refusal.CLOSED:
            return Problem("closed", _("This tournament has begun or is over: that can no longer be done."))
