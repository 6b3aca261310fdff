"""Errors as their reader wants them: a problem document for the API, a page for people."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults

from players.problems import Problem

API = "/api/"
PROBLEM = "application/problem+json"


def answer(problem: Problem) -> HttpResponse:
    """A problem as RFC 9457 has it."""
    body = {
        "type": "about:blank",
        "title": problem.code.replace("_", " ").capitalize(),
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code,
    }
    response = JsonResponse(body, status=problem.status, content_type=PROBLEM)
    if problem.status == 401:
        response["WWW-Authenticate"] = "Bearer"
    if problem.retry_after is not None:
        response["Retry-After"] = str(problem.retry_after)
    return response


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith(API):
        return answer(Problem("not_found"))
    return defaults.page_not_found(request, exception)
