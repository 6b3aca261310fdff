"""What a player's own file says of days: the tries, as their player has seen them."""

from collections.abc import Iterator

from bots.models import DailyTry
from players.export import Part
from players.models import User


def parts(player: User) -> Iterator[Part]:
    tries = DailyTry.objects.filter(player=player).order_by("day").iterator()
    yield "daily", ({"day": one.day, "guesses": one.guesses, "found": one.found} for one in tries)
