"""How often something may be tried: by address and by account, in windows that do not slide.

Counted in the cache, for all processes; but commands in matches, which are many and quick, by each process for itself.
"""

import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from players.problems import Problem


@dataclass(frozen=True, slots=True)
class Limit:
    """So many a minute from one address, behind which may be a school, and by one player."""

    address: int
    player: int = 0


MINUTE = 60
MOST = {
    "guest": Limit(address=120),
    "seek": Limit(address=300, player=60),
    "challenge": Limit(address=300, player=60),
    "invitation": Limit(address=300, player=60),
}


def spend(request: HttpRequest, what: str) -> None:
    """Count one more of `what`, one of `MOST`. Raises `Problem` too_many, and then counts nothing."""
    limit, keys = MOST[what], tries_of(request)
    for key, most in zip(keys, (limit.address, limit.player), strict=False):
        if most:
            check(what, [key], most, MINUTE)
    count(what, keys, MINUTE)


class Pace:
    """Counts in this process alone. What is left of the window before is forgotten with it."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._window = 0
        self._counts: Counter[str] = Counter()

    def spend(self, address: str, player: object) -> None:
        """Count one more. Raises `Problem` too_many."""
        if not settings.LIMITS:
            return
        now = int(time.time())
        if now // MINUTE != self._window:
            self._window, self._counts = now // MINUTE, Counter()
        mine = {f"address-{address}": self.limit.address}
        if player is not None:
            mine[f"player-{player}"] = self.limit.player
        if any(self._counts[key] >= most for key, most in mine.items()):
            raise Problem("too_many", retry_after=MINUTE - now % MINUTE)
        self._counts.update(mine.keys())


commands = Pace(Limit(address=6000, player=1200))
"""Guesses and all else that is sent in matches, lawful or not: no hand is as quick, and few programs are."""


def tries_of(request: HttpRequest) -> list[str]:
    """Whose tries a request's count as: its address's, whatever a header says (D25), and its player's."""
    keys = [f"address-{address_of(request)}"]
    return keys if request.user.pk is None else [*keys, f"player-{request.user.pk}"]


def address_of(request: HttpRequest) -> str:
    """Where a request comes from, as far as the proxies that are ours can tell (D25)."""
    return household(str(get_adapter(request).get_client_ip(request)))


def address_at(scope: dict[str, Any]) -> str:
    """The same of a socket."""
    told = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    forwarded = ",".join(told).split(",")
    if settings.PROXIES and len(forwarded) >= settings.PROXIES:
        return household(forwarded[-settings.PROXIES].strip())
    return household(str((scope.get("client") or ("",))[0]))


def household(address: str) -> str:
    """What an address is known by: of IPv6 one household has as many as it likes, all of one network."""
    with suppress(ValueError):
        read = ip_address(address)
        if isinstance(read, IPv6Address):
            return str(read.ipv4_mapped or IPv6Network((int(read), 64), strict=False))
    return address


def check(what: str, keys: Iterable[str], most: int, seconds: int) -> None:
    """Raise `Problem` too_many if `what` has been counted `most` times in this window for any of `keys`."""
    if not settings.LIMITS:
        return
    counts = cache.get_many([_place(what, key, seconds) for key in keys])
    if any(count >= most for count in counts.values()):
        raise Problem("too_many", retry_after=seconds - int(time.time()) % seconds)


def count(what: str, keys: Iterable[str], seconds: int) -> None:
    """One more try of `what`."""
    for key in keys:
        place = _place(what, key, seconds)
        if not cache.add(place, 1, timeout=seconds):
            with suppress(ValueError):  # its window has ended this very moment
                cache.incr(place)


def _place(what: str, key: str, seconds: int) -> str:
    return f"{what}:{key}:{int(time.time()) // seconds}"
