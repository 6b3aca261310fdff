"""The public interface's part on the lobby: seeks, challenges, invitations by link."""

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema, Status
from pydantic import ConfigDict, StrictStr

from lobby import queries, services
from lobby.paths import InvitationToken, invitation_url
from lobby.wire import challenge_json, seek_json
from matches import wire
from matches.api import PROBLEMS, anybody, signed_in
from matches.choices import agreed
from matches.paths import MatchId
from matches.schemas import In, MatchIdOut, PlayerOut, ProblemOut, TermsOut
from matches.wire import Json
from players import limits
from players.auth import caller
from players.problems import Problem
from players.services import find_player

router = Router(tags=["lobby"])

_ONE = f"/invitations/{{{InvitationToken.name}:token}}"
_SEEK = f"/seeks/{{{MatchId.name}:seek_id}}"
_CHALLENGE = f"/challenges/{{{MatchId.name}:challenge_id}}"
_BOT = "bot:"


class TermsIn(In):
    """Terms as `GET /presets` offers them; what is left out is agreed by default, what is beside them is a mistake."""

    model_config = ConfigDict(extra="forbid")

    terms: dict[str, Any] = {}


class SeekIn(In):
    """The terms themselves, or as `{"terms": {…}}`."""

    model_config = ConfigDict(extra="allow")

    terms: dict[str, Any] | None = None


class SeekOut(Schema):
    """`expires_at` is null where a seek lasts as long as its owner is there."""

    id: str
    player: PlayerOut
    terms: TermsOut
    expires_at: datetime | None


class ChallengeIn(TermsIn):
    opponent: StrictStr


class DeclineIn(In):
    reason: Literal["", "later", "terms", "no"] = ""


class ChallengeOut(Schema):
    id: str
    challenger: PlayerOut
    opponent: PlayerOut
    terms: TermsOut
    status: Literal["open", "accepted", "declined", "withdrawn", "expired"]
    reason: Literal["later", "terms", "no"] | None
    match: str | None
    expires_at: datetime


class InvitationOut(Schema):
    token: str
    url: str
    terms: TermsOut
    expires_at: datetime


@router.get(
    "/seeks",
    response={200: list[SeekOut], **PROBLEMS},
    auth=anybody,
    summary="Open seeks, the longest waiting first",
)
def seeks(request: HttpRequest) -> list[Json]:
    return [seek_json(seek) for seek in queries.open_seeks()]


@router.post("/seeks", response={201: SeekOut, **PROBLEMS}, auth=signed_in, summary="Open a seek")
def open_seek(request: HttpRequest, body: SeekIn) -> Status[Json]:
    """Made with a token it is open for ten minutes, made from a page while its owner is there."""
    limits.spend(request, "seek")
    beside = body.model_extra or {}
    if body.terms is not None and beside:
        raise Problem("bad_request")
    asked = beside if body.terms is None else body.terms
    lasting = "Authorization" in request.headers
    return Status(201, seek_json(services.open_seek(caller(request), agreed(asked), lasting=lasting)))


@router.delete(_SEEK, response={204: None, **PROBLEMS}, auth=signed_in, summary="Withdraw a seek")
def withdraw_seek(request: HttpRequest, seek_id: str) -> Status[None]:
    services.withdraw_seek(seek_id, caller(request).pk)
    return Status(204, None)


@router.post(f"{_SEEK}/accept", response={201: MatchIdOut, **PROBLEMS}, auth=signed_in, summary="Take a seek")
def accept_seek(request: HttpRequest, seek_id: str) -> Status[dict[str, str]]:
    return Status(201, {"match": services.accept_seek(seek_id, caller(request))})


@router.get(
    "/challenges",
    response={200: list[ChallengeOut], **PROBLEMS},
    auth=signed_in,
    summary="Challenges to and from me",
)
def challenges(request: HttpRequest) -> list[Json]:
    """Those open, and those answered in the last seconds."""
    return [challenge_json(asked) for asked in queries.challenges_of(caller(request))]


@router.post(
    "/challenges",
    response={201: ChallengeOut | MatchIdOut, **PROBLEMS},
    auth=signed_in,
    summary="Challenge a player or a bot",
)
def challenge(request: HttpRequest, body: ChallengeIn) -> Status[Json]:
    """`opponent` is a name, or `bot:easy`, `bot:medium`, `bot:hard`: against a bot the match begins at once."""
    limits.spend(request, "challenge")
    terms = agreed(body.terms)
    if body.opponent.startswith(_BOT):
        match = services.play_bot(caller(request), body.opponent.removeprefix(_BOT), terms)
        return Status(201, {"match": match.pk})
    opponent = find_player(body.opponent)
    if opponent is None:
        raise Problem("not_found", _("There is no player of that name."))
    return Status(201, challenge_json(services.challenge(caller(request), opponent, terms)))


@router.post(
    f"{_CHALLENGE}/accept",
    response={201: MatchIdOut, **PROBLEMS, 410: ProblemOut},
    auth=signed_in,
    summary="Accept a challenge",
)
def accept_challenge(request: HttpRequest, challenge_id: str) -> Status[dict[str, str]]:
    return Status(201, {"match": services.accept_challenge(challenge_id, caller(request))})


@router.post(
    f"{_CHALLENGE}/decline",
    response={204: None, **PROBLEMS, 410: ProblemOut},
    auth=signed_in,
    summary="Decline a challenge",
)
def decline_challenge(request: HttpRequest, challenge_id: str, body: DeclineIn | None = None) -> Status[None]:
    services.decline_challenge(challenge_id, caller(request), body.reason if body else "")
    return Status(204, None)


@router.delete(
    _CHALLENGE,
    response={204: None, **PROBLEMS, 410: ProblemOut},
    auth=signed_in,
    summary="Withdraw a challenge",
)
def withdraw_challenge(request: HttpRequest, challenge_id: str) -> Status[None]:
    services.withdraw_challenge(challenge_id, caller(request))
    return Status(204, None)


@router.post(
    "/invitations", response={201: InvitationOut, **PROBLEMS}, auth=signed_in, summary="Invite by link"
)
def invite(request: HttpRequest, body: TermsIn) -> Status[dict[str, Any]]:
    limits.spend(request, "invitation")
    invitation = services.invite(caller(request), agreed(body.terms))
    return Status(
        201,
        {
            "token": invitation.token,
            "url": invitation_url(request, invitation.token),
            "terms": wire.terms_json(queries.terms_of(invitation)),
            "expires_at": invitation.expires_at,
        },
    )


@router.post(
    f"{_ONE}/accept",
    response={201: MatchIdOut, **PROBLEMS, 410: ProblemOut},
    auth=signed_in,
    summary="Take a link",
)
def accept(request: HttpRequest, token: str) -> Status[dict[str, str]]:
    return Status(201, {"match": services.accept(token, caller(request))})


@router.delete(_ONE, response={204: None, **PROBLEMS}, auth=signed_in, summary="Withdraw a link")
def withdraw(request: HttpRequest, token: str) -> Status[None]:
    services.withdraw(token, caller(request).pk)
    return Status(204, None)
