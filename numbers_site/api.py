"""The public interface, put together from every room's part."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI, Swagger
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema

from bots.api import router as bots
from lobby.api import router as lobby
from matches.api import router as matches
from numbers_site.errors import PROBLEM, answer
from players.api import router as players
from players.problems import Problem
from ratings.api import router as ratings
from tournaments.api import router as tournaments


class Interface(NinjaAPI):
    """Whose document says of problems what they come as."""

    def get_openapi_schema(self, **where: Any) -> OpenAPISchema:
        document = super().get_openapi_schema(**where)
        for path in document["paths"].values():
            for operation in path.values():
                for status, told in operation["responses"].items():
                    if int(status) >= 400:
                        told["content"] = {PROBLEM: told["content"]["application/json"]}
        return document


api = Interface(
    title="The Numbers",
    version="1.0.0",
    description="Play duels of secret numbers. What is pushed comes by socket: see docs/protocol.md.",
    docs=Swagger({"validatorUrl": None}),  # by default a picture from elsewhere
)
for router in (players, matches, ratings, bots, lobby, tournaments):
    api.add_router("", router)


@api.exception_handler(Problem)
def on_problem(request: HttpRequest, problem: Problem) -> HttpResponse:
    return answer(problem)


@api.exception_handler(ValidationError)
def on_wrong_types(request: HttpRequest, error: ValidationError) -> HttpResponse:
    return answer(Problem("bad_request"))


@api.exception_handler(AuthenticationError)
def on_nobody(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return answer(Problem("not_signed_in"))


@api.exception_handler(HttpError)
def on_unreadable(request: HttpRequest, error: HttpError) -> HttpResponse:
    return answer(Problem("bad_request" if error.status_code == 400 else "forbidden"))
