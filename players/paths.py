"""What a player's name looks like in an address."""

from django.urls import register_converter
from django.urls.converters import StringConverter

from players.names import LETTERS, LONGEST, SHORTEST


class PlayerName(StringConverter):
    name = "player"
    regex = rf"{LETTERS}{{{SHORTEST},{LONGEST}}}"


register_converter(PlayerName, PlayerName.name)
