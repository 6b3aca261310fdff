"""Who is calling over HTTP: by token, by the page's cookie, or nobody."""

from typing import Any

from django.contrib.auth import login
from django.http import HttpRequest
from ninja.security.http import HttpAuthBase
from ninja.utils import check_csrf

from players import limits, moderation
from players.models import User
from players.problems import Problem
from players.services import welcome_guest
from players.sockets import bearer

_SAFE = ("GET", "HEAD", "OPTIONS")
_BACKEND = "django.contrib.auth.backends.ModelBackend"


class Caller(HttpAuthBase):
    """A token, or else the page's cookie with its CSRF token. `required` turns nobody away with 401."""

    openapi_scheme = "bearer"

    def __init__(self, *, required: bool = True) -> None:
        super().__init__()
        self.required = required

    def __call__(self, request: HttpRequest) -> Any:
        header = request.headers.get("Authorization")
        if header is not None:
            return self._signed_in(request, bearer(header))
        if request.user.is_authenticated:
            if request.method not in _SAFE and check_csrf(request):
                raise Problem("forbidden")
            return request.user
        if (suspension := moderation.suspension_behind(request)) is not None:
            raise Problem("suspended", moderation.told(suspension))
        if self.required:
            raise Problem("not_signed_in")
        return request.user

    def _signed_in(self, request: HttpRequest, user: User | None) -> User:
        if user is None:
            raise Problem("not_signed_in")
        request.user = user
        return user


def player(request: HttpRequest) -> User:
    """The player whose page this is; who has no account yet becomes a guest. Raises `Problem` too_many."""
    if not request.user.is_authenticated:
        limits.spend(request, "guest")
        login(request, welcome_guest(), backend=_BACKEND)
    assert isinstance(request.user, User)
    return request.user


def caller(request: HttpRequest) -> User:
    """The signed-in player of an API call."""
    assert isinstance(request.user, User)
    return request.user
