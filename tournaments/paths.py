"""What a tournament's id looks like in an address, and where one is. An id is of the same kind as a match's."""

from matches.paths import MatchId

ID = MatchId.name


def path_of(tournament_id: str) -> str:
    return f"/tournaments/{tournament_id}/"
