"""What operators and load balancers ask: is this process alive, and can the site be played on."""

from collections.abc import Callable

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis import RedisError

from matches import uptime

SWEPT_MS = 10_000
"""A beat that has asked for nothing for this long is gone: clocks would fall only when somebody looks."""


@never_cache
@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    return HttpResponse("alive\n", content_type="text/plain")


@never_cache
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """200 if all that play needs is there, else 503; in either case which part is and which is not."""
    parts = {name: _holds(check) for name, check in _CHECKS.items()}
    return JsonResponse(parts, status=200 if all(parts.values()) else 503)


def _holds(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except (DatabaseError, OSError, RedisError):
        return False


def _database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


def _redis() -> bool:
    """Without Redis the cache is in this process, and this always holds."""
    cache.set("ready", 1, 10)
    return bool(cache.get("ready") == 1)


def _beat() -> bool:
    ago = uptime.swept_ago()
    return ago is not None and ago < SWEPT_MS


_CHECKS = {"database": _database, "redis": _redis, "beat": _beat}
