"""The public form of a tournament: JSON out."""

from matches.wire import Json, terms_json
from tournaments.core.machine import Fall
from tournaments.core.machine import Pairing as Drawn
from tournaments.queries import Loaded


def tournament_json(loaded: Loaded) -> Json:
    row, state = loaded.row, loaded.state
    return {
        "id": row.pk,
        "name": row.name,
        "terms": terms_json(loaded.terms),
        "starts_at": row.starts_at.isoformat(),
        "private": row.private,
        "maximum": row.maximum,
        "status": row.status,
        "why": row.why or None,
        "entrants": [loaded.name(entrant) for entrant in state.entrants],
        "rounds": [
            [
                {
                    "match": match_id,
                    "players": [loaded.name(pairing.first), loaded.name(pairing.second)],
                    "winner": _winner(loaded, pairing),
                }
                for pairing, match_id in zip(drawn, matches, strict=True)
            ]
            for drawn, matches in zip(state.rounds, loaded.matches, strict=True)
        ],
        "champion": None if state.champion is None else loaded.name(state.champion),
    }


def _winner(loaded: Loaded, pairing: Drawn) -> str | None:
    """Who won the match or goes on without one; the bot too, though it goes no further."""
    if pairing.through is not None:
        return loaded.name(pairing.through)
    return loaded.name(None) if bot_won(loaded, pairing) else None


def bot_won(loaded: Loaded, pairing: Drawn) -> bool:
    if pairing.second is not None or not pairing.decided or pairing.through is not None:
        return False
    return dict(loaded.state.fallen).get(pairing.first) in (Fall.BOT_WON, Fall.WITHDRAWN)
