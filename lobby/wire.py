"""The public form of the lobby: JSON out."""

from datetime import datetime

from django.core.serializers.json import DjangoJSONEncoder

from lobby import queries
from lobby.models import Challenge, Seek
from lobby.queries import Call
from matches import wire
from matches.queries import face
from matches.wire import Json
from players.models import User


def seek_json(seek: Seek) -> Json:
    """`expires_at` (ISO 8601) is null where the seek lasts as long as its owner is there."""
    return {
        "id": seek.pk,
        "player": _player(seek.owner),
        "terms": wire.terms_json(queries.terms_of(seek)),
        "expires_at": _instant(seek.expires_at) if seek.lasting else None,
    }


def challenge_json(asked: Challenge) -> Json:
    return {
        "id": asked.pk,
        "challenger": _player(asked.challenger),
        "opponent": _player(asked.opponent),
        "terms": wire.terms_json(queries.terms_of(asked)),
        "status": asked.fate,
        "reason": asked.reason or None,
        "match": asked.match_id,
        "expires_at": _instant(asked.expires_at),
    }


def call_json(call: Call) -> Json:
    return {"type": "match", "match": call.match}


def _player(user: User) -> Json:
    shown = face(user)
    return {"name": shown.name, "kind": shown.kind, "points": shown.points}


def _instant(at: datetime) -> str:
    """As the interface writes it, so that both tell the same of one thing."""
    return str(DjangoJSONEncoder().default(at))
