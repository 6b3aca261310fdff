"""What a player's own file says of matches: each as anybody may see it, so that no secret of a running one is in it."""

from collections.abc import Iterator

from matches import queries, wire
from matches.queries import Loaded
from matches.wire import Json
from players.export import Part
from players.models import User


def parts(player: User) -> Iterator[Part]:
    yield "matches", (_match(loaded, player) for loaded in queries.played_by(player.pk))


def _match(loaded: Loaded, player: User) -> Json:
    """The file may lie about anywhere: not even the player's own number is in it before the match is over."""
    seen = wire.match_json(loaded.id, loaded.public, loaded.sight(None), queries.faces(loaded.players))
    return {**seen, "you": loaded.seat_of(player.pk), "created": loaded.created_at}
