"""What an id looks like in an address. Anything else is not found before a view runs."""

from django.urls import register_converter
from django.urls.converters import StringConverter

from matches.models import ID_LENGTH


class MatchId(StringConverter):
    name = "match"
    regex = rf"[0-9a-z]{{{ID_LENGTH}}}"


register_converter(MatchId, MatchId.name)
