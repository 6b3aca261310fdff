"""What every request of a player passes: their language, a note of the day they were last seen, and whether they may
play at all."""

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation

from players import moderation
from players.agents import device
from players.limits import address_of
from players.models import Suspension, User
from players.problems import STATUS
from players.services import note_sign_in, seen

View = Callable[[HttpRequest], HttpResponse]
_API = "/api/"


def know_player(get_response: View) -> View:
    """Speak the player's language; once a day and session, note that both are alive."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if isinstance(request.user, User):
            _note(request, request.user)
            language = getattr(request.user, "language", "")  # a guest may just have expired
            if language in dict(settings.LANGUAGES):
                translation.activate(language)
                request.LANGUAGE_CODE = translation.get_language()
        elif (suspension := _suspension(request)) is not None:
            shown = {"told": moderation.told(suspension)}
            return render(request, "players/suspended.html", shown, status=STATUS["suspended"])
        return get_response(request)

    return middleware


def _suspension(request: HttpRequest) -> Suspension | None:
    """Every page is one for a suspended player; the interface answers for itself (players/auth.py)."""
    open_to_all = request.path in (reverse("account_logout"), reverse("set_language"))
    return None if open_to_all or request.path.startswith(_API) else moderation.suspension_behind(request)


def _note(request: HttpRequest, user: User) -> None:
    """A guest may have expired this very moment: then nobody is here, and whoever plays becomes a new one."""
    today = timezone.now().date().isoformat()
    if request.session.get("seen") == today:
        return
    if seen(user):
        request.session["seen"] = today
        request.session["agent"] = request.headers.get("User-Agent", "")[:200]
        note_sign_in(user, address_of(request), device(request.session["agent"]))
    else:
        logout(request)
