"""The public interface's part on records: a player, the ladders, and who the caller is."""

from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from matches import wire
from matches.api import PROBLEMS, anybody, signed_in
from matches.core.terms import Terms
from matches.schemas import TermsOut
from players.auth import caller
from players.paths import PlayerName
from ratings import queries, words
from ratings.models import ALL_TIME, Ladder, Tally
from ratings.queries import Line, Rung
from ratings.terms import terms_of

router = Router(tags=["players"])

LIMIT = 20


class Paged(Schema):
    after: str = Field("", description="Where to go on: the `next` of the page before.")
    limit: Annotated[int, Field(ge=1, le=100)] = LIMIT


class LadderAsked(Paged):
    period: Literal["all", "month"] = Field("all", description="`month`: what this month (UTC) has moved.")


class RecordOut(Schema):
    won: int
    lost: int
    drawn: int
    void: int


class AccountOut(Schema):
    name: str
    kind: Literal["human", "guest", "bot"]
    points: int
    record: RecordOut


class RungOut(Schema):
    """Players with as many points share the rank; `last` is the newest change."""

    rank: int
    name: str
    points: int
    won: int
    lost: int
    last: int


class LadderOut(Schema):
    players: list[RungOut]
    next: str | None


class TermsRecordOut(RecordOut):
    """On these terms, whatever the clock; `guesses_to_win` is the average of the matches won by naming the number."""

    preset: str
    length: int
    repeats: bool
    feedback: Literal["positions", "totals"]
    against_bots: bool
    guesses_to_win: float | None


class TournamentsOut(Schema):
    points: int
    won: int
    lost: int


class PlayedOut(Schema):
    """A match as the player's history has it. `match` is null to who may not see it, `change` where no points moved."""

    match: str | None
    outcome: Literal["won", "lost", "drawn", "void"]
    reason: str
    opponent: str | None = Field(description="Null for a deleted player.")
    against_bot: bool
    terms: TermsOut
    rated: bool
    guesses: int
    ended_at: int
    change: int | None
    in_place: int | None = Field(description="Of a lost match: digits in place in the last guess.")
    why: str


class PlayerRecordOut(AccountOut):
    since: int
    rank: int | None
    terms: list[TermsRecordOut]
    tournaments: TournamentsOut | None
    matches: list[PlayedOut]
    next: str | None


@router.get("/account", response={200: AccountOut, **PROBLEMS}, auth=signed_in, summary="Who I am")
def account(request: HttpRequest) -> dict[str, object]:
    player = caller(request)
    return {
        "name": player.username,
        "kind": player.kind,
        "points": player.points,
        "record": queries.record(queries.tallies(player.pk)),
    }


@router.get(
    f"/players/{{{PlayerName.name}:name}}",
    response={200: PlayerRecordOut, **PROBLEMS},
    auth=anybody,
    summary="A player's record and matches, the newest first",
)
def player(request: HttpRequest, name: str, page: Query[Paged]) -> dict[str, object]:
    found = queries.player(name)
    tallies = queries.tallies(found.pk)
    standings = queries.standings(found.pk)
    standing = standings.get(Ladder.GENERAL)
    history = queries.history(found.pk, after=page.after, limit=page.limit)
    return {
        "name": found.username,
        "kind": found.kind,
        "points": found.points,
        "record": queries.record(tallies),
        "since": int(found.date_joined.timestamp() * 1000),
        "rank": queries.rank(Ladder.GENERAL, standing.points) if standing else None,
        "terms": [_terms(tally) for tally in tallies],
        "tournaments": standings.get(Ladder.TOURNAMENT),
        "matches": [_played(line, request.user.pk) for line in history.lines],
        "next": history.after,
    }


@router.get("/ladder", response={200: LadderOut, **PROBLEMS}, auth=anybody, summary="The ladder")
def ladder(request: HttpRequest, page: Query[LadderAsked]) -> dict[str, object]:
    period = queries.this_month() if page.period == "month" else ALL_TIME
    return _ladder(Ladder.GENERAL, period, page)


@router.get(
    "/ladder/tournaments",
    response={200: LadderOut, **PROBLEMS},
    auth=anybody,
    summary="The ladder of tournaments",
)
def tournaments(request: HttpRequest, page: Query[Paged]) -> dict[str, object]:
    return _ladder(Ladder.TOURNAMENT, ALL_TIME, page)


def _ladder(ladder: Ladder, period: str, page: Paged) -> dict[str, object]:
    stretch = queries.climb(ladder, period, after=page.after, limit=page.limit)
    return {"players": [_rung(rung) for rung in stretch.rungs], "next": stretch.after}


def _rung(rung: Rung) -> dict[str, object]:
    return {
        "rank": rung.rank,
        "name": rung.player.username,
        "points": rung.points,
        "won": rung.won,
        "lost": rung.lost,
        "last": rung.last,
    }


def _terms(tally: Tally) -> dict[str, object]:
    terms = terms_of(tally.terms)
    return {
        "preset": terms.preset,
        "length": terms.length,
        "repeats": terms.repeats,
        "feedback": terms.feedback.value,
        "against_bots": tally.bots,
        "won": tally.won,
        "lost": tally.lost,
        "drawn": tally.drawn,
        "void": tally.void,
        "guesses_to_win": queries.record([tally]).guesses_to_win,
    }


def _played(line: Line, viewer: int | None) -> dict[str, object]:
    result, moved = line.result, line.moved
    terms: Terms = terms_of(result.terms, result.seconds, rated=result.rated)
    return {
        "match": result.match_id if queries.may_open(result, viewer) else None,
        "outcome": result.outcome,
        "reason": result.reason,
        "opponent": result.opponent.username if result.opponent else None,
        "against_bot": result.against_bot,
        "terms": wire.terms_json(terms),
        "rated": result.rated,
        "guesses": result.guesses,
        "ended_at": result.ended_at,
        "change": moved.change if moved else None,
        "in_place": moved.in_place if moved else None,
        "why": words.why(line),
    }
