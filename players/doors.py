"""What lets a socket in, and that it still does: the end of a session or a token is the end of its sockets.

Signed out, another password, an account deleted or suspended: whatever ends a session, its row or its player's leave to
play is gone. Every process looks once a second, in a query or two for each of the two, and at once when told that one
has ended somewhere.
"""

import contextlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.signals import post_delete
from django.utils import timezone

from players.clerks import clerks
from players.looking import Looking, nudge
from players.many import among
from players.models import ApiToken, Session

GROUP = "doors"
NO_LONGER_IN = 4401

Send = Callable[[dict[str, Any]], Awaitable[None]]
Kind = type[Session] | type[ApiToken]


class Visit:
    """An open socket of somebody: `by` is the key of the session, or the digest of the token, that let it in."""

    def __init__(self, kind: Kind, by: str, send: Send) -> None:
        self.kind = kind
        self.by = by
        self._send = send

    async def send(self, message: dict[str, Any]) -> None:
        """What the consumer says. From its welcome on, the socket is looked after."""
        await self._send(message)
        if message["type"] == "websocket.accept":
            doors.join(self)

    async def end(self) -> None:
        """The consumer hears of it as of any other end."""
        doors.leave(self)
        await self._send({"type": "websocket.close", "code": NO_LONGER_IN})


class Doors(Looking[Visit]):
    """What all sockets of this process that belong to somebody share."""

    group = GROUP

    async def look(self) -> None:
        visits = list(self.sockets)
        good = await clerks.ask(still_good, {(visit.kind, visit.by) for visit in visits})
        for visit in visits:
            if (visit.kind, visit.by) not in good:
                with contextlib.suppress(Exception):  # one that closes meanwhile is not the others' concern
                    await visit.end()


doors = Doors()


def still_good(keys: set[tuple[Kind, str]]) -> set[tuple[Kind, str]]:
    """Those of sessions that have not ended and of tokens not revoked, of players who may play."""
    sessions = Session.objects.filter(expire_date__gt=timezone.now(), user__is_active=True)
    tokens = ApiToken.objects.filter(user__is_active=True)
    return {
        *((Session, key) for key in _found(sessions, "pk", [key for kind, key in keys if kind is Session])),
        *(
            (ApiToken, key)
            for key in _found(tokens, "digest", [key for kind, key in keys if kind is ApiToken])
        ),
    }


def _found(rows: QuerySet[Any], column: str, keys: list[str]) -> Iterable[str]:
    """Nearly always that is all of them, and to count them spares reading them."""
    if not keys:
        return ()
    found = rows.filter(**{f"{column}__in": among(keys)})
    return keys if found.count() == len(keys) else found.values_list(column, flat=True)


def tell() -> None:
    """After the commit: some session, token or leave to play has ended. Once, however many end in a transaction."""
    if all(then is not _tell for _, then, _ in transaction.get_connection().run_on_commit):
        transaction.on_commit(_tell, robust=True)


def _tell() -> None:
    nudge(GROUP)


def _has_ended(instance: Session | ApiToken, **signal: Any) -> None:
    """One whose time was up lets in nobody, and every look knows: it is only cleared away."""
    over = isinstance(instance, Session) and instance.expire_date <= timezone.now()
    if instance.user_id is not None and not over:
        tell()


def watch() -> None:
    """Called once, when the app is ready."""
    post_delete.connect(_has_ended, sender=Session, dispatch_uid="doors.session")
    post_delete.connect(_has_ended, sender=ApiToken, dispatch_uid="doors.token")
