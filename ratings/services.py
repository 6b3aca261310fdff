"""The verbs of ratings: an end is counted, once; a moderator takes a match back; a sweep makes whole."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from matches import store
from matches.core.machine import SEATS, Reason, State, Status, other
from matches.core.marking import totals
from matches.models import Match, Seat
from matches.services import check_no_player
from players import audit
from players.models import Kind, User
from players.moderation import check_may_moderate, check_not_about
from players.problems import Problem
from ratings.core.points import WON, applied, earned
from ratings.models import (
    ALL_TIME,
    Cause,
    Ladder,
    LedgerRow,
    MatchLadder,
    Outcome,
    Pattern,
    Result,
    Standing,
    Tally,
    month_of,
)
from ratings.terms import word_of

logger = logging.getLogger(__name__)

TAKEN_BACK = audit.act("match.taken_back", gettext_lazy("match taken out of the record"))
GIVEN = audit.act("match.given", gettext_lazy("finished match given to a side"))
PUT_ASIDE = audit.act("pattern.put_aside", gettext_lazy("pattern put aside"))
RESET = audit.act("points.reset", gettext_lazy("points reset"))

AT_ONCE = 1000
"""Ends that one sweep counts at most, so that it has an end itself."""

Players = tuple[User | None, User | None]
"""By seat; None for a deleted one."""


def assign(match_id: str, ladder: Ladder) -> None:
    """Have a match move this ladder instead of the general one; to be called in the transaction that makes it."""
    MatchLadder.objects.create(match_id=match_id, ladder=ladder)


def ladder_of(match_id: str) -> Ladder:
    """The ladder that a match moves, if it moves any."""
    assigned = MatchLadder.objects.filter(match_id=match_id).values_list("ladder", flat=True).first()
    return Ladder(assigned or Ladder.GENERAL)


def count(match_id: str) -> None:
    """Bring the end of a match into results, records and ledger. Not over yet, or counted before: nothing happens."""
    with transaction.atomic():
        players = _lock_players(match_id)
        row, _ = store.lock(match_id)
        if row.status == Status.OVER and not row.counted:
            _count(row, players)


def _count(row: Match, players: Players) -> None:
    state, ladder = store.state_of(row), ladder_of(row.pk)
    rated = _is_rated(state, ladder, players)
    results = [_result(row, state, seat, players, rated=rated) for seat in (0, 1) if players[seat]]
    Result.objects.bulk_create(results)
    for result in results:
        _tally(result, Outcome(result.outcome), +1)
    if rated and state.result is not None and state.result.winner is not None:
        _settle(row.pk, state, ladder, players)
    row.counted = True
    row.save(update_fields=["counted"])


def _lock_players(match_id: str) -> Players:
    """Who sits there, locked in the order of their keys: two matches of the same two never wait for each other.

    Before the match, as whoever ends all the matches of one player locks them. The lock lets through who only points
    at a player, a new match for one. Raises `Match.DoesNotExist`.
    """
    seats = Seat.objects.filter(match_id=match_id).order_by("index")
    found = list(seats.values_list("player_id", flat=True))
    if not found:
        raise Match.DoesNotExist
    first, second = found
    rows = User.objects.filter(pk__in=(first, second)).order_by("pk").select_for_update(no_key=True)
    locked = {player.pk: player for player in rows}
    return locked.get(first), locked.get(second)


def _is_rated(state: State, ladder: Ladder, players: Players) -> bool:
    """R6.1, R6.6: between two registered people; in a tournament whatever the terms say."""
    people = all(player is not None and player.kind == Kind.HUMAN for player in players)
    return people and (state.terms.rated or ladder is Ladder.TOURNAMENT)


def _result(row: Match, state: State, seat: int, players: Players, *, rated: bool) -> Result:
    assert state.result is not None
    player, opponent = players[seat], players[other(seat)]
    assert player is not None
    return Result(
        match=row,
        seat=seat,
        player=player,
        opponent=opponent,
        against_bot=opponent is not None and opponent.kind == Kind.BOT,
        outcome=_outcome(state, seat),
        reason=state.result.reason.value,
        preset=state.terms.preset,
        terms=word_of(state.terms),
        seconds=state.terms.clock.seconds,
        rated=rated,
        guesses=len(state.seats[seat].guesses),
        ended_at=state.result.at,
    )


def _outcome(state: State, seat: int) -> Outcome:
    assert state.result is not None
    if state.result.outcome == "draw":
        return Outcome.DRAWN
    if state.result.winner is None:
        return Outcome.VOID
    return Outcome.WON if state.result.winner == seat else Outcome.LOST


def _tally(result: Result, outcome: Outcome, by: int) -> None:
    """Add `by` to the count of `outcome` in the player's record."""
    broken = by if outcome is Outcome.WON and result.reason == Reason.BROKEN else 0
    changes = {outcome.value: by, "broken": broken, "guesses": broken * result.guesses}
    Tally.objects.get_or_create(player_id=result.player_id, terms=result.terms, bots=result.against_bot)
    Tally.objects.filter(player_id=result.player_id, terms=result.terms, bots=result.against_bot).update(
        **{column: F(column) + change for column, change in changes.items() if change}
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """A change to be: whose, by which match, why, and how much if the total allows it."""

    player: User
    match_id: str | None
    ladder: Ladder
    month: str
    cause: Cause
    length: int
    in_place: int | None
    change: int
    at: datetime
    decision: int = 0
    won: int = 0
    lost: int = 0


def _settle(match_id: str, state: State, ladder: Ladder, players: Players) -> None:
    """R6.2: the winner's points, and the loser's by the last guess."""
    assert state.result is not None
    assert state.result.winner is not None
    winner, at = state.result.winner, store.instant(state.result.at)
    match = {"match_id": match_id, "ladder": ladder, "month": month_of(at), "at": at}
    _move(players, winner, state.terms.length, _in_place(state, other(winner)), match)


def _move(players: Players, winner: int, length: int, in_place: int, match: dict[str, Any]) -> None:
    """The two rows of a win; `match` is what they share."""
    won, lost = players[winner], players[other(winner)]
    assert won is not None
    assert lost is not None
    match = {**match, "length": length}
    _apply(_Entry(player=won, cause=Cause.WON, in_place=None, change=WON, won=1, **match))
    change = earned(length, in_place)
    _apply(_Entry(player=lost, cause=Cause.LOST, in_place=in_place, change=change, lost=1, **match))


def _in_place(state: State, seat: int) -> int:
    guesses = state.seats[seat].guesses
    return totals(guesses[-1].marks)[0] if guesses else 0


def _apply(entry: _Entry) -> None:
    """Write a ledger row and all that follows from it. The player is locked."""
    overall = _standing(entry, ALL_TIME)
    # A player's points stand on the player's row, those of tournaments nowhere else but here.
    total = entry.player.points if entry.ladder is Ladder.GENERAL else overall.points
    change = applied(total, entry.change)
    overall.points = total
    moved = [(overall, change)]
    # A month is what its matches have moved: a reset is none of them, and what a match has moved is taken back whole,
    # whatever is left of the total.
    if entry.cause is not Cause.RESET:
        whole = entry.change if entry.cause is Cause.REVERSED else change
        moved.append((_standing(entry, entry.month), whole))
    for standing, by in moved:
        standing.points += by
        standing.won, standing.lost = standing.won + entry.won, standing.lost + entry.lost
        standing.last, standing.rows = by, standing.rows + 1
        standing.save()
    LedgerRow.objects.create(
        player=entry.player,
        match_id=entry.match_id,
        ladder=entry.ladder,
        number=overall.rows,
        cause=entry.cause,
        length=entry.length,
        in_place=entry.in_place,
        decision=entry.decision,
        change=change,
        total=overall.points,
        at=entry.at,
    )
    if entry.ladder is Ladder.GENERAL:
        entry.player.points = overall.points
        entry.player.save(update_fields=["points"])


def _standing(entry: _Entry, period: str) -> Standing:
    key = {"player": entry.player, "ladder": entry.ladder, "period": period}
    return Standing.objects.filter(**key).first() or Standing(**key)


def reverse(match_id: str) -> None:
    """A moderator takes a match out of the record: its results are void, further rows undo its points (R6.5).

    A month is what its matches moved, so the match's own month is put right, not the moderator's. Done before:
    nothing happens. Raises `Problem` not_found and not_over.
    """
    with transaction.atomic():
        row, players, now = _lock(match_id)
        _check_counted(row, players)
        _undo(row, players, store.instant(now))
        _reword(match_id, dict.fromkeys(SEATS, Outcome.VOID))


def _check_counted(row: Match, players: Players) -> None:
    """What is to be decided anew has been counted once. Raises `Problem` not_over."""
    if row.status != Status.OVER:
        raise Problem("not_over")
    if not row.counted:
        _count(row, players)


def _undo(row: Match, players: Players, at: datetime) -> None:
    for entry in _reversals(row, players, at):
        _apply(entry)


def _lock(match_id: str) -> tuple[Match, Players, int]:
    """Players and match, in that order, and the time (ms). Raises `Problem` not_found."""
    try:
        players = _lock_players(match_id)
        row, now = store.lock(match_id)
    except Match.DoesNotExist:
        raise Problem("not_found") from None
    return row, players, now


def take_back(match_id: str, by: User | None, reason: str) -> None:
    """`reverse`, by a moderator, into the log. Raises `Problem`: not_found, not_over, forbidden, closed."""
    with transaction.atomic():
        match, _players, _now = _lock(match_id)
        check_no_player(match_id, by)
        before = _shown_results(match_id)
        if before and all(outcome == Outcome.VOID for outcome in before.values()):
            raise Problem("closed", _("This match counts for nothing already."))
        reverse(match_id)
        audit.record(by, TAKEN_BACK, match, reason=reason, before=before, after=_shown_results(match_id))


def give(match_id: str, winner: int, by: User | None, reason: str) -> None:
    """A moderator gives a match that is over to a seat, into the log: what it moved is undone and moved anew by further
    rows (R6.5), in the match's own month. For the loser of such a decision no guess counts.

    Raises `Problem`: not_found, not_over, forbidden, closed.
    """
    with transaction.atomic():
        row, players, now = _lock(match_id)
        check_no_player(match_id, by)
        _check_counted(row, players)
        before, outcomes = _shown_results(match_id), {winner: Outcome.WON, other(winner): Outcome.LOST}
        if all(outcome == outcomes[int(seat)] for seat, outcome in before.items()):
            raise Problem("closed", _("This match is theirs already."))
        at = store.instant(now)
        _undo(row, players, at)
        _reword(match_id, outcomes)
        _move_anew(row, players, winner, at)
        audit.record(by, GIVEN, row, reason=reason, before=before, after=_shown_results(match_id))


def _move_anew(row: Match, players: Players, winner: int, at: datetime) -> None:
    state, ladder = store.state_of(row), ladder_of(row.pk)
    if not _is_rated(state, ladder, players):
        return
    last = LedgerRow.objects.filter(match=row).aggregate(last=Max("decision"))["last"]
    decision = 0 if last is None else last + 1  # one that was void has moved nothing yet
    match = {"match_id": row.pk, "ladder": ladder, "month": _month(row), "decision": decision, "at": at}
    _move(players, winner, state.terms.length, 0, match)


def _shown_results(match_id: str) -> dict[str, str]:
    """How a match stands in the record, by the seats of players who are still there."""
    rows = Result.objects.filter(match_id=match_id).order_by("seat")
    return {str(seat): outcome for seat, outcome in rows.values_list("seat", "outcome")}


def reset(player: User, by: User | None, reason: str) -> None:
    """Take all points of the general ladder from a player, by one further row (R6.5).

    Raises `Problem`: forbidden, closed.
    """
    check_may_moderate(by, player)
    with transaction.atomic():
        locked = User.objects.select_for_update(no_key=True).get(pk=player.pk)
        if not locked.points:
            raise Problem("closed", _("There are no points to take."))
        at, before = timezone.now(), locked.points
        _apply(
            _Entry(
                player=locked,
                match_id=None,
                ladder=Ladder.GENERAL,
                month=month_of(at),
                cause=Cause.RESET,
                length=0,
                in_place=None,
                change=-before,
                at=at,
            )
        )
        audit.record(by, RESET, player, reason=reason, before={"points": before}, after={"points": 0})
    player.points = 0


def put_aside(pattern: Pattern, by: User | None, reason: str) -> None:
    """A moderator has looked at a pattern: it waits no longer, until there is more of it.

    Raises `Problem` forbidden (one's own).
    """
    check_not_about(by, pattern.player_id, pattern.other_id)
    with transaction.atomic():
        Pattern.objects.filter(pk=pattern.pk).update(aside=True, known=pattern.matches)
        audit.record(by, PUT_ASIDE, pattern, reason=reason)


def _reversals(row: Match, players: Players, at: datetime) -> list[_Entry]:
    """What undoes the newest row that the match gave each player, unless it is undone."""
    newest = {moved.player_id: moved for moved in LedgerRow.objects.filter(match=row).order_by("pk")}
    there = {player.pk: player for player in players if player is not None}
    return [
        _Entry(
            player=there[player_id],
            match_id=row.pk,
            ladder=Ladder(moved.ladder),
            month=_month(row),
            cause=Cause.REVERSED,
            length=moved.length,
            in_place=None,
            decision=moved.decision,
            change=-moved.change,
            at=at,
            won=-(moved.cause == Cause.WON),
            lost=-(moved.cause == Cause.LOST),
        )
        for player_id, moved in newest.items()
        if moved.cause != Cause.REVERSED
    ]


def _month(row: Match) -> str:
    """The match's own."""
    result = store.state_of(row).result
    assert result is not None
    return month_of(store.instant(result.at))


def _reword(match_id: str, outcomes: dict[int, Outcome]) -> None:
    """Have the record say so, by a moderator's decision."""
    for result in Result.objects.filter(match_id=match_id):
        outcome = outcomes[result.seat]
        if result.outcome == outcome:
            continue
        _tally(result, Outcome(result.outcome), -1)
        result.outcome, result.reason = outcome, Reason.ADJUDICATED.value
        _tally(result, outcome, +1)
        result.save(update_fields=["outcome", "reason"])


def count_all(player: User) -> None:
    """Count what this player has ended, while it is still known who that was."""
    ended = Match.objects.filter(seats__player=player, status=Status.OVER.value, counted=False)
    for match_id in list(ended.values_list("pk", flat=True)):
        count(match_id)


def count_pending() -> int:
    """Count every end that no listener has: the oldest first. Returns how many were looked at."""
    waiting = Match.objects.filter(status=Status.OVER.value, counted=False).order_by("ended_at")
    found = list(waiting.values_list("pk", flat=True)[:AT_ONCE])
    for match_id in found:
        try:
            count(match_id)
        except Exception:
            logger.exception(
                "a match could not be counted", extra={"match": match_id}
            )  # the next sweep tries
    return len(found)
