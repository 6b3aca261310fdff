"""What a reader has chosen of the site's looks: kept with the player, and in the browser for whoever is nobody yet."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from players.models import Theme, User

_SOUND = {"on": True, "off": False}


@dataclass(frozen=True, slots=True)
class Preferences:
    theme: str = Theme.SYSTEM.value
    sound: bool = False


def preferences(request: HttpRequest) -> Preferences:
    """The player's own; what they have not chosen, the browser's; what neither has, the site's.

    Sound is the other way round: a button on any page turns it on and off for the device at hand.
    """
    user = getattr(request, "user", None)  # a request may be turned away before it is known whose it is
    known = user if isinstance(user, User) else User()
    theme = known.theme or request.COOKIES.get("theme", "")
    sound = _SOUND.get(request.COOKIES.get("sound", ""), known.sound)
    return Preferences(theme if theme in Theme.values else Theme.SYSTEM.value, bool(sound))


def for_pages(request: HttpRequest) -> dict[str, Any]:
    """A context processor: every page is rendered in the reader's theme; some say whether letters leave this site."""
    return {"preferences": preferences(request), "sends_mail": settings.MAIL.sends}


def remember(response: HttpResponse, chosen: Preferences) -> None:
    """Keep it in the browser too, for when nobody is signed in there."""
    for name, value in (("theme", chosen.theme), ("sound", "on" if chosen.sound else "off")):
        response.set_cookie(
            name,
            value,
            max_age=settings.SESSION_COOKIE_AGE,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )
