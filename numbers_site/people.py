"""A player's own data as one file, put together from every room's part and sent as it is read."""

import json
from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

import bots.export
import lobby.calls.export
import matches.export
import players.export
from players.models import User
from players.views import players_only

_ROOMS = (players.export.parts, matches.export.parts, lobby.calls.export.parts, bots.export.parts)
_CHUNK = 32_768


@require_safe
@players_only
def export(request: HttpRequest) -> StreamingHttpResponse:
    assert isinstance(request.user, User)
    return StreamingHttpResponse(
        _in_turn(_chunks(_pieces(request.user))),
        content_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="the-numbers.json"'},
    )


def _pieces(player: User) -> Iterator[str]:
    """One JSON object, in pieces none of which is larger than a row."""
    yield "{"
    parts = (part for room in _ROOMS for part in room(player))
    for number, (name, content) in enumerate(parts):
        yield f"{',' if number else ''}\n{json.dumps(name)}: "
        if isinstance(content, dict):
            yield _dumps(content)
            continue
        yield "["
        for row_number, row in enumerate(content):
            yield f"{',' if row_number else ''}\n{_dumps(row)}"
        yield "]"
    yield "\n}\n"


def _dumps(row: object) -> str:
    return json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)


def _chunks(pieces: Iterator[str]) -> Iterator[str]:
    held = ""
    for piece in pieces:
        held += piece
        if len(held) >= _CHUNK:
            yield held
            held = ""
    yield held


async def _in_turn(chunks: Iterator[str]) -> AsyncIterator[str]:
    """Each read, in a thread that may ask the database, only once the one before has been taken."""
    while chunk := await sync_to_async(_following)(chunks):
        yield chunk


def _following(chunks: Iterator[str]) -> str:
    return next(chunks, "")
