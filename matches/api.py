"""The public interface's part on matches: parse, call one verb, answer."""

from typing import Literal

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Header, Query, Router, Status

from matches import queries, services, wire
from matches.choices import menus
from matches.core.machine import Refused
from matches.core.terms import DEFAULT_PRESET, PRESETS, Preset, agree
from matches.paths import MatchId
from matches.queries import Loaded
from matches.refusals import problem_of
from matches.schemas import CodeIn, GuessIn, GuessOut, MatchOut, PresetsOut, ProblemOut, RematchOut
from matches.services import Done
from matches.wire import Json, Order
from players import limits
from players.auth import Caller, caller
from players.problems import Problem

router = Router(tags=["matches"])
signed_in, anybody = Caller(), Caller(required=False)
PROBLEMS = {frozenset((400, 401, 403, 404, 409, 413, 422, 429)): ProblemOut}

_ONE = f"/matches/{{{MatchId.name}:match_id}}"


@router.get("/presets", response=PresetsOut, auth=None, summary="Presets and what each term may be")
def presets(request: HttpRequest) -> Json:
    return {"default": DEFAULT_PRESET, "presets": [_preset(preset) for preset in PRESETS.values()]}


def _preset(preset: Preset) -> Json:
    offered = menus()
    return {
        "preset": preset.name,
        "length": preset.length,
        "repeats": preset.repeats,
        "guesses": [preset.guesses.value],
        "feedback": [feedback.value for feedback in preset.feedback],
        "clock": {"kind": preset.clock.value, "seconds": offered[preset.clock]},
        "rated": [True, False],
        "defaults": wire.terms_json(agree({"preset": preset.name}, offered)),
    }


@router.get(
    "/matches", response={200: list[MatchOut], **PROBLEMS}, auth=signed_in, summary="My running matches"
)
def mine(request: HttpRequest, mine: Query[Literal["live"]]) -> list[Json]:
    """How a client learns that somebody has taken its link, its seek or its challenge."""
    return [_match(loaded, request) for loaded in queries.live_of(caller(request).pk)]


@router.get(_ONE, response={200: MatchOut, **PROBLEMS}, auth=anybody, summary="A match as you may see it")
def match(request: HttpRequest, match_id: str) -> Json:
    return _match(queries.visible(match_id, request.user.pk), request)


@router.post(
    f"{_ONE}/secret", response={200: MatchOut, **PROBLEMS}, auth=signed_in, summary="Commit your number"
)
def secret(request: HttpRequest, match_id: str, body: CodeIn) -> Json:
    _obey(request, match_id, Order("secret", code=body.code))
    return match(request, match_id)


@router.post(
    f"{_ONE}/confirm", response={200: MatchOut, **PROBLEMS}, auth=signed_in, summary="Confirm the start"
)
def confirm(request: HttpRequest, match_id: str) -> Json:
    _obey(request, match_id, Order("confirm"))
    return match(request, match_id)


@router.post(f"{_ONE}/guesses", response={201: GuessOut, **PROBLEMS}, auth=signed_in, summary="Guess")
def guess(
    request: HttpRequest,
    match_id: str,
    body: GuessIn,
    idempotency_key: str | None = Header(  # type: ignore[type-arg]  # Ninja's own way to declare one
        None, description="A repeat under the same key gets the first answer."
    ),
) -> Status[Json]:
    ref = wire.read_ref(idempotency_key)
    done = _obey(request, match_id, Order("guess", code=body.code, n=body.n, ref=ref))
    answer = wire.ok_json(ref, done.version, done.telling)
    if "guess" not in answer:
        raise Problem("invalid", _("That key has been used for something else."))
    return Status(201, answer["guess"])


@router.post(f"{_ONE}/resign", response={200: MatchOut, **PROBLEMS}, auth=signed_in, summary="Resign")
def resign(request: HttpRequest, match_id: str) -> Json:
    _obey(request, match_id, Order("resign"))
    return match(request, match_id)


@router.post(
    f"{_ONE}/flag", response={200: MatchOut, **PROBLEMS}, auth=signed_in, summary="Claim a fallen flag"
)
def flag(request: HttpRequest, match_id: str) -> Json:
    """Decides at once whatever is due; the answer says whether anything was."""
    _obey(request, match_id, Order("flag"))
    return match(request, match_id)


@router.post(
    f"{_ONE}/rematch",
    response={201: RematchOut, **PROBLEMS},
    auth=signed_in,
    summary="Offer or take a rematch",
)
def rematch(request: HttpRequest, match_id: str) -> Status[Json]:
    """The second to ask makes the match; asking again answers the same."""
    done = _obey(request, match_id, Order("rematch"))
    return Status(201, {"match": done.state.rematch.match if done.state.rematch else None})


def _obey(request: HttpRequest, match_id: str, order: Order) -> Done:
    limits.commands.spend(limits.address_of(request), caller(request).pk)
    loaded, seat = queries.played(match_id, caller(request).pk)
    try:
        return services.obey(match_id, seat, order)
    except Refused as refused:
        raise problem_of(refused.refusal, loaded.state.terms, guess=order.verb == "guess") from None


def _match(loaded: Loaded, request: HttpRequest) -> Json:
    return wire.match_json(
        loaded.id, loaded.public, loaded.sight(request.user.pk), queries.faces(loaded.players)
    )
