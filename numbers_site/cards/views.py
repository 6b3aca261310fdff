"""Cards as they are asked for: in the language of the page that names them, drawn once while they say the same."""

import hashlib
from collections.abc import Callable

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from numbers_site.cards import contents, drawing
from numbers_site.cards.drawing import Card
from numbers_site.shell import speaking
from players import limits
from players.problems import Problem

_KEPT_SECONDS = 86_400
_FRESH_SECONDS = 600
_MOST, _WITHIN_SECONDS = 60, 60
"""So many an address and minute may be drawn anew; what is kept costs nothing."""


@require_safe
def site(request: HttpRequest, language: str) -> HttpResponse:
    return _card(request, language, contents.of_site)


@require_safe
def match(request: HttpRequest, match_id: str, language: str) -> HttpResponse:
    return _card(request, language, lambda: contents.of_match(match_id))


@require_safe
def player(request: HttpRequest, name: str, language: str) -> HttpResponse:
    return _card(request, language, lambda: contents.of_player(name))


@require_safe
def tournament(request: HttpRequest, tournament_id: str, language: str) -> HttpResponse:
    return _card(request, language, lambda: contents.of_tournament(tournament_id))


def _card(request: HttpRequest, language: str, content: Callable[[], Card]) -> HttpResponse:
    """Known by what it says: the same words are the same picture, and other words are another one at once."""
    with speaking(language):
        card = content()
    name = hashlib.sha256(repr(card).encode()).hexdigest()[:32]
    etag = quote_etag(name)
    unchanged = get_conditional_response(request, etag=etag)
    response = unchanged if unchanged is not None else _drawn(request, card, name)
    if response.status_code in (200, 304):
        response["ETag"] = etag
        response["Cache-Control"] = f"public, max-age={_FRESH_SECONDS}"
    return response


def _drawn(request: HttpRequest, card: Card, name: str) -> HttpResponse:
    kept: bytes | None = cache.get(f"card:{name}")
    if kept is None:
        tries = limits.tries_of(request)
        try:
            limits.check("card", tries, _MOST, _WITHIN_SECONDS)
        except Problem as problem:
            return HttpResponse(status=problem.status, headers={"Retry-After": str(problem.retry_after)})
        limits.count("card", tries, _WITHIN_SECONDS)
        kept = drawing.png(card)
        cache.set(f"card:{name}", kept, _KEPT_SECONDS)
    return HttpResponse(kept, content_type="image/png")
