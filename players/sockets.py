"""Who is at the other end of a socket: by token, or by the page's cookie from a page of ours."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit

from channels.auth import AuthMiddlewareStack
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host
from django.utils.translation.trans_real import parse_accept_lang_header

from players.clerks import clerks
from players.doors import Kind, Visit, doors
from players.models import ApiToken, Session, User
from players.problems import Problem
from players.services import digest, player_by_token, seen, seen_today

Scope = dict[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[Any]]


class CallerMiddleware:
    """Lets a socket in with a known `Authorization` token, or with a cookie if its Origin is this site.

    A browser sends cookies along from any page; only the Origin tells whose page it was (D25).
    """

    def __init__(self, app: App) -> None:
        self.app = app
        self.by_cookie = AuthMiddlewareStack(self._let_in)

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> Any:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if b"authorization" in headers:
            user = await clerks.ask(_by_token, headers[b"authorization"])
            if user is not None:
                token = token_of(headers[b"authorization"])
                return await self._visit({**scope, "user": user}, receive, send, ApiToken, digest(token))
        elif _is_ours(headers.get(b"origin", ""), headers.get(b"host", "")):
            return await self.by_cookie(scope, receive, send)
        return await WebsocketDenier()(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Any, send: Any) -> Any:
        """Whoever the cookie says; a guest who has expired this very moment is nobody's cookie."""
        user = scope["user"]
        if isinstance(user, User) and not seen_today(user) and not await clerks.ask(seen, user):
            return await WebsocketDenier()(scope, receive, send)
        if isinstance(user, User):
            return await self._visit(scope, receive, send, Session, scope["session"].session_key)
        return await self.app(scope, receive, send)

    async def _visit(self, scope: Scope, receive: Any, send: Any, kind: Kind, by: str) -> Any:
        """A socket that lasts no longer than what has let it in."""
        visit = Visit(kind, by, send)
        try:
            return await self.app(scope, receive, visit.send)
        finally:
            doors.leave(visit)


def _by_token(header: str) -> Any:
    """As `bearer`; a socket is turned away without a word, so nobody suspended needs one either."""
    with suppress(Problem):
        return bearer(header)
    return None


def bearer(header: str) -> Any:
    """The player an `Authorization` header speaks for; None if it is not a token of ours.

    Raises `Problem` suspended.
    """
    return player_by_token(token_of(header)) if header.lower().startswith("bearer ") else None


def token_of(header: str) -> str:
    """What stands behind the scheme."""
    return header.partition(" ")[2].strip()


def _is_ours(origin: str, host: str) -> bool:
    """Whether a page of `origin` is one that this site, addressed as `host`, has served."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    domain, _ = split_domain_port(host)
    return (
        parts.scheme in (("https",) if settings.TLS else ("http", "https"))
        and parts.netloc == host
        and validate_host(domain, settings.ALLOWED_HOSTS)
    )


def query_of(scope: Scope) -> dict[str, str]:
    """The parameters a socket was opened with."""
    query: bytes = scope.get("query_string", b"")
    return {name: values[0] for name, values in parse_qs(query.decode("latin-1")).items()}


def language_of(scope: Scope) -> str:
    """The page says its own (`lang`); an API client is answered as its `Accept-Language` asks."""
    known = [code for code, _ in settings.LANGUAGES]
    if (named := query_of(scope).get("lang")) in known:
        return str(named)
    accepted = dict(scope["headers"]).get(b"accept-language", b"").decode("latin-1")
    for code, _ in parse_accept_lang_header(accepted.lower()):
        if code.split("-")[0] in known:
            return str(code.split("-")[0])
    return settings.LANGUAGE_CODE
