"""Join codes as they are tried: wrong ones are few a minute, by address and by account (D19)."""

from django.http import HttpRequest

from players import limits
from players.auth import caller
from players.problems import Problem
from tournaments import services

TRIES = 20
SECONDS = 60
_WHAT = "join-code"


def join(request: HttpRequest, tournament_id: str, code: str) -> None:
    """Enter the caller. Raises `Problem` as `services.join` does, and too_many."""
    keys = limits.tries_of(request)
    if code:
        limits.check(_WHAT, keys, TRIES, SECONDS)
    try:
        services.join(tournament_id, caller(request), code)
    except Problem as problem:
        if code and problem.code == "not_found":
            limits.count(_WHAT, keys, SECONDS)
        raise
