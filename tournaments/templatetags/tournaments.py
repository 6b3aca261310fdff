"""The titles a player has won, for the player's page."""

from django import template

from players.models import User
from tournaments import queries

register = template.Library()


@register.inclusion_tag("tournaments/_titles.html")
def titles_of(player: User) -> dict[str, object]:
    return {"titles": queries.titles(player.pk)}
