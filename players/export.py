"""What a player's own file says of the player. Never a key: neither password nor token nor session."""

from collections.abc import Iterator
from typing import Any

from players.models import User

Json = dict[str, Any]
Part = tuple[str, Json | Iterator[Json]]
"""A part of the file under its name: one object, or a list that is written as it comes. Every room may have some."""


def parts(player: User) -> Iterator[Part]:
    yield "account", _account(player)
    yield "preferences", {"language": player.language, "theme": player.theme, "sound": player.sound}
    tokens = player.tokens.order_by("pk").values_list("label", "created_at", "used_at")
    yield "tokens", ({"label": label, "made": made, "used": used} for label, made, used in tokens)
    sessions = player.sessions.order_by("seen_at").values_list("seen_at", "expire_date")
    yield "sessions", ({"seen": seen, "ends": ends} for seen, ends in sessions)
    came = player.sign_ins.order_by("at").values_list("at", "device")
    yield "sign_ins", ({"at": at, "device": device} for at, device in came)
    kept = player.suspensions.order_by("pk").values_list("created_at", "until", "ended_at", "reason")
    yield (
        "suspensions",
        ({"from": begun, "until": until, "ended": ended, "reason": why} for begun, until, ended, why in kept),
    )
    told = player.reports_made.order_by("pk").values_list(
        "created_at", "player__username", "match_id", "why", "text"
    )
    yield (
        "reports_made",
        (
            {"at": at, "player": name, "match": match, "reason": why, "text": text}
            for at, name, match, why, text in told
        ),
    )
    ties = player.ties.order_by("pk").values_list("other__username", "kind", "created_at")
    yield "ties", ({"player": name, "kind": kind, "since": since} for name, kind, since in ties)


def _account(player: User) -> Json:
    return {
        "name": player.username,
        "kind": player.kind,
        "email": player.email,
        "points": player.points,
        "joined": player.date_joined,
        "last_signed_in": player.last_login,
        "last_seen": player.last_seen_at,
    }
