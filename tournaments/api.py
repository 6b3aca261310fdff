"""The public interface's part on tournaments: parse, call one verb, answer."""

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Query, Router, Schema, Status
from pydantic import StrictBool, StrictInt, StrictStr

from matches.api import PROBLEMS, anybody, signed_in
from matches.choices import agreed
from matches.schemas import In, ProblemOut, TermsOut
from matches.wire import Json, terms_json
from players.auth import caller
from players.problems import Problem
from ratings.api import Paged
from tournaments import codes, queries, services
from tournaments.models import MOST
from tournaments.paths import ID
from tournaments.wire import tournament_json

router = Router(tags=["tournaments"])

_ONE = f"/tournaments/{{{ID}:tournament_id}}"
_STATES = Literal["open", "running", "over", "cancelled"]


class TournamentIn(In):
    name: StrictStr
    terms: dict[str, Any] = {}
    starts_at: StrictStr
    private: StrictBool = False
    maximum: StrictInt = MOST


class JoinIn(In):
    code: StrictStr | None = None


class PairingOut(Schema):
    """`match` is null while a voided one is replayed anew; `winner` until there is one, and where neither goes on."""

    match: str | None
    players: list[str]
    winner: str | None


class TournamentOut(Schema):
    """`why` it was cancelled, or has no champion: `too_few`, `called_off`; `no_show`, `undecided`, `withdrawn`,
    `nobody_left`."""

    id: str
    name: str
    terms: TermsOut
    starts_at: str
    private: bool
    maximum: int
    status: _STATES
    why: str | None
    entrants: list[str]
    rounds: list[list[PairingOut]]
    champion: str | None


class MadeOut(TournamentOut):
    """`code` opens a private one; null for a public one."""

    code: str | None


class ListedOut(Schema):
    id: str
    name: str
    terms: TermsOut
    starts_at: str
    private: bool
    maximum: int
    status: _STATES
    why: str | None
    entered: int
    champion: str | None


class TournamentsOut(Schema):
    tournaments: list[ListedOut]
    next: str | None


@router.get(
    "/tournaments",
    response={200: TournamentsOut, **PROBLEMS},
    auth=anybody,
    summary="Tournaments, the latest to start first",
)
def tournaments(request: HttpRequest, page: Query[Paged]) -> Json:
    listed = queries.every(request.user, after=page.after, limit=page.limit)
    return {"tournaments": [_listed(line) for line in listed.lines], "next": listed.after}


def _listed(line: queries.Line) -> Json:
    row = line.row
    return {
        "id": row.pk,
        "name": row.name,
        "terms": terms_json(line.terms),
        "starts_at": row.starts_at.isoformat(),
        "private": row.private,
        "maximum": row.maximum,
        "status": row.status,
        "why": row.why or None,
        "entered": line.entered,
        "champion": line.champion,
    }


@router.post("/tournaments", response={201: MadeOut, **PROBLEMS}, auth=signed_in, summary="Make a tournament")
def make(request: HttpRequest, body: TournamentIn) -> Status[Json]:
    """Its maker enters by `join` like anyone."""
    plan = services.Plan(
        name=body.name,
        terms=agreed(body.terms),
        starts_at=_instant(body.starts_at),
        private=body.private,
        maximum=body.maximum,
    )
    row = services.make(caller(request), plan)
    return Status(201, {**tournament_json(queries.load(row.pk)), "code": row.code if row.private else None})


def _instant(text: str) -> datetime:
    """Raises `Problem` invalid for anything but an instant with its zone."""
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        raise Problem(
            "invalid", _("A start is an instant in ISO 8601, with its zone: 2030-01-31T21:00:00+01:00.")
        )
    return instant


@router.get(_ONE, response={200: TournamentOut, **PROBLEMS}, auth=anybody, summary="A tournament")
def tournament(request: HttpRequest, tournament_id: str) -> Json:
    return tournament_json(queries.visible(tournament_id, request.user))


@router.post(
    f"{_ONE}/join",
    response={200: TournamentOut, **PROBLEMS, 429: ProblemOut},
    auth=signed_in,
    summary="Enter a tournament",
)
def join(request: HttpRequest, tournament_id: str, body: JoinIn | None = None) -> Json:
    """A private one opens to its `code`; wrong ones may be tried twenty times a minute."""
    codes.join(request, tournament_id, (body.code if body else None) or "")
    return tournament_json(queries.load(tournament_id))


@router.post(f"{_ONE}/leave", response={204: None, **PROBLEMS}, auth=signed_in, summary="Leave a tournament")
def leave(request: HttpRequest, tournament_id: str) -> Status[None]:
    """Before the start one is simply out again; later it loses the match being played."""
    services.leave(tournament_id, caller(request))
    return Status(204, None)
