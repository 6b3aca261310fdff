"""What every request passes before a view sees it."""

from collections.abc import Callable

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from numbers_site.errors import API, answer
from players import limits
from players.problems import Problem

LARGEST_BODY = 4096
_UNLIMITED = "/admin/"  # staff forms carry more than a move


def limit_body(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Turn away bodies over 4 KB with 413 (R1.2): nothing a player sends is longer."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path.startswith(_UNLIMITED) or _size(request) <= LARGEST_BODY:
            return get_response(request)
        problem = Problem("too_large")
        if request.path.startswith(API):
            return answer(problem)
        return render(request, "413.html", status=problem.status)

    return middleware


def _size(request: HttpRequest) -> int:
    """The length a body claims, or, where it claims none (chunked), has."""
    claimed = request.headers.get("Content-Length", "")
    if claimed.isascii() and claimed.isdigit():
        return int(claimed)
    try:
        return len(request.body)
    except RequestDataTooBig:
        return LARGEST_BODY + 1


def say_when(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Whoever is told to wait is told how long. `request.wait` is of a form that could say so in words only."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        wait = getattr(request, "wait", None)
        if wait is not None:
            response.status_code = 429
        if response.status_code == 429 and not response.has_header("Retry-After"):
            response["Retry-After"] = str(wait or limits.MINUTE)
        return response

    return middleware
