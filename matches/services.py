"""The verbs of a match. One way in, whoever asks: lock, decide, keep, and after the commit, tell."""

import contextlib
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from matches import queries, store, uptime, wire
from matches.core.machine import (
    Adjudicate,
    Arrive,
    Arrived,
    Command,
    CommitSecret,
    Confirm,
    Created,
    Event,
    Leave,
    Left,
    Limits,
    OfferRematch,
    PlayGuess,
    Refusal,
    Refused,
    RematchMade,
    Resign,
    Say,
    Settle,
    State,
    Status,
    fold,
    other,
    step,
)
from matches.core.sight import Telling, narrate
from matches.core.terms import Terms
from matches.models import Connection, Match, Seat, WebProcess, new_id
from matches.signals import match_made, match_moved
from matches.wire import Json, Order
from players import audit
from players.clerks import clerks
from players.looking import send
from players.models import Kind, User
from players.problems import Problem
from players.services import IDLE

logger = logging.getLogger(__name__)

ADJUDICATED = audit.act("match.adjudicated", gettext_lazy("match decided"))
SALT_BYTES = 16
_OTHERS_KEPT = 100
_FORGOTTEN_AT_ONCE = 20

Answer = int | list[int] | str
"""What a `ref` was answered: the version of its own event, `[version]` where it led to none, or the refusal."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a command led to: its own version and what was told of it, None where nothing was to tell."""

    version: int
    telling: Telling | None
    state: State


def create_match(
    terms: Terms,
    players: tuple[User, User],
    *,
    public: bool,
    first: int | None = None,
    match_id: str | None = None,
    rematch_of: Match | None = None,
    leads_to: str = "",
) -> Match:
    """Seat two players and start their match. Who moves first is drawn unless it is given (R4.1).

    One that `leads_to` somewhere on the site has no rematch: its players go on there (R5.6).
    """
    created = Created(
        terms=terms,
        limits=limits(),
        first=secrets.randbelow(2) if first is None else first,
        at=store.now_ms(),
        present=(players[0].of_the_house, players[1].of_the_house),
        single=bool(leads_to),
    )
    match = store.insert(
        match_id or new_id(), created, players, public=public, rematch_of=rematch_of, leads_to=leads_to
    )
    transaction.on_commit(partial(_announce_made, match), robust=True)
    return match


def _announce_made(match: Match) -> None:
    state = store.state_of(match)
    logger.info("a match has begun", extra={"match": match.pk, "preset": state.terms.preset})
    match_made.send_robust(Match, match_id=match.pk, state=state)


def limits() -> Limits:
    """The site's own times."""
    return Limits(
        grace_ms=settings.GRACE_SECONDS * 1000,
        choose_ms=settings.CHOOSE_SECONDS * 1000,
        confirm_ms=settings.CONFIRM_SECONDS * 1000,
    )


def obey(match_id: str, seat: int, order: Order) -> Done:
    """Carry out a player's order. Raises `Refused`; a repeated `ref` is answered as it was the first time."""
    return act(match_id, command(order, seat), (seat, order.ref) if order.ref else None)


def command(order: Order, seat: int) -> Command:
    """An order as the machine takes it, with the salt or the id it may need."""
    match order.verb:
        case "secret":
            return CommitSecret(seat, order.code, secrets.token_bytes(SALT_BYTES))
        case "confirm":
            return Confirm(seat)
        case "guess":
            return PlayGuess(seat, order.code, order.n)
        case "resign":
            return Resign(seat)
        case "rematch":
            return OfferRematch(seat, new_id())
        case "flag":
            return Settle()
        case "say":
            return Say(seat, order.phrase)
    raise AssertionError(order.verb)


def act(
    match_id: str, command: Command, ref: tuple[int, str] | None = None, *, up_to: int | None = None
) -> Done:
    """Read the match, settle what was due, decide `command`, keep the events; after the commit, tell.

    `up_to` (ms) is the latest instant that may count as now. Raises `Refused`, and `Match.DoesNotExist`. What was due
    stands even if the command is refused. Decided under a lock, or where that is cheaper without one and kept only if
    nobody has written the row since; who has been overtaken decides anew, under the lock.
    """
    if store.swaps():
        row, now, writer = store.read(match_id)
        move = _decide(row, command, ref, now, up_to)
        if isinstance(move, Done):
            return move
        if _swap(row, move, writer, answered=ref is not None):
            return _done(move)
    with transaction.atomic():
        row, now = store.lock(match_id)
        move = _decide(row, command, ref, now, up_to)
        if isinstance(move, Done):
            return move
        _keep(row, move, answered=ref is not None)
    return _done(move)


def _decide(
    row: Match, command: Command, ref: tuple[int, str] | None, now: int, up_to: int | None
) -> "_Move | Done":
    """What the command leads to, noted beside its `ref` in the row; or what that was answered before."""
    if ref is not None and (first := dict(row.answers[ref[0]]).get(ref[1])) is not None:
        return _first_answer(row, first)
    move = _move(row, command, now if up_to is None else min(now, up_to))
    if ref is not None:
        row.answers[ref[0]] = _remember(row.answers[ref[0]], ref[1], move)
    return move


def _done(move: "_Move") -> Done:
    if move.refusal is not None:
        raise Refused(move.refusal)
    return Done(move.version, move.own, move.after)


@dataclass(frozen=True, slots=True)
class _Move:
    """One step of a stored match: outages given back, what was due settled, the command decided."""

    before: State
    after: State
    events: tuple[Event, ...]
    tellings: tuple[Telling, ...]
    own: Telling | None
    refusal: Refusal | None

    @property
    def version(self) -> int:
        return self.own.version if self.own else self.after.version


def _move(row: Match, command: Command, now: int) -> _Move:
    before = store.state_of(row)
    owed, credited = uptime.credit(before)
    taken = step(owed, command, now)
    settled = credited + taken.settled
    tellings = tuple(narrate(before, settled + taken.decided))
    found = fold(before, settled).version
    own = next((telling for telling in tellings if telling.version > found), None)
    return _Move(before, taken.state, settled + taken.decided, tellings, own, taken.refusal)


def _first_answer(row: Match, answer: Answer) -> Done:
    match answer:
        case str(refusal):
            raise Refused(Refusal(refusal))
        case int(version):
            return Done(version, queries.telling(row.pk, version), store.state_of(row))
        case [version]:
            return Done(version, None, store.state_of(row))
    raise AssertionError(answer)


def _remember(answers: list[tuple[str, Answer]], ref: str, move: _Move) -> list[tuple[str, Answer]]:
    """Keep every answer that has an event, of which a match has so many, and the latest of the others."""
    accepted: Answer = move.version if move.own else [move.version]
    answers = [*answers, (ref, move.refusal.value if move.refusal else accepted)]
    stale = [key for key, answer in answers if not isinstance(answer, int)][:-_OTHERS_KEPT]
    return [(key, answer) for key, answer in answers if key not in stale]


def _swap(row: Match, move: _Move, writer: str, *, answered: bool) -> bool:
    """Keep a move that one statement can keep, if the row is as it was read. Whether it is kept."""
    if not (move.events or answered):
        return True
    if store.ends(move.before, move.after) or any(isinstance(event, RematchMade) for event in move.events):
        return False
    if not store.swap(row, move.before, move.after, move.events, writer):
        return False
    if move.events:
        _announce_later(row, move)
    return True


def _keep(row: Match, move: _Move, *, answered: bool = False) -> None:
    if not (move.events or answered):
        return
    store.keep(row, move.before, move.after, move.events)
    for event in move.events:
        if isinstance(event, RematchMade):
            _make_rematch(row, move.after, event.match)
    if move.events:
        _announce_later(row, move)


def _announce_later(row: Match, move: _Move) -> None:
    transaction.on_commit(partial(_announce, row.pk, row.revision, move), robust=True)


def _make_rematch(row: Match, state: State, match_id: str) -> None:
    """The same two, the same terms, the other moves first (R5.6)."""
    first, second = (seat.player for seat in row.seats.select_related("player"))
    if not (first and first.is_active and second and second.is_active):
        raise Refused(Refusal.CLOSED)  # one of them has deleted the account, or is suspended
    create_match(
        state.terms,
        (first, second),
        public=row.public,
        first=other(state.first),
        match_id=match_id,
        rematch_of=row,
    )


def connect(match_id: str, seat: int | None, connection_id: str) -> None:
    """A socket of this seat has opened (R5.3), or where there is no seat, a spectator's."""
    process = uptime.process_id()
    if seat is None:
        _watch(match_id, connection_id, process)
        return
    with transaction.atomic():
        row, now = store.lock(match_id)
        Connection.objects.create(id=connection_id, process=process, match=row, seat=seat)
        _keep(row, _move(row, Arrive(seat), now))


def _watch(match_id: str, connection_id: str, process: str) -> None:
    """Spectators are no concern of the match, which is not locked for them.

    Only the first is announced, since whoever shows a number that is not zero goes on counting. Asked before the row
    is written: of two who come at once at least one finds nobody.
    """
    first = not Connection.objects.filter(match_id=match_id, seat=None).exists()
    Connection.objects.create(id=connection_id, process=process, match_id=match_id)
    if first:
        _tell(match_id, {"type": "match.watched"})


def disconnect(match_id: str, seat: int | None, connection_id: str) -> None:
    """A socket has closed; a seat is away once none of its own is left."""
    if seat is None:
        Connection.objects.filter(pk=connection_id).delete()
        return
    with transaction.atomic():
        row, now = store.lock(match_id)
        Connection.objects.filter(pk=connection_id).delete()
        if not Connection.objects.filter(match=row, seat=seat).exists():
            _keep(row, _move(row, Leave(seat), now))


def resign_all(player: User) -> None:
    """Give up every running match of a player who is about to be gone (R5.7). To be called in a transaction.

    Their row is locked first: a match that is just being made with them is waited for, and none is made afterwards.
    """
    lock_with_opponents(player, for_good=True)
    _end_all(player, Resign)


def forfeit_all(player: User) -> None:
    """Decide every running match of a player who is being suspended for the opponent (R5.7)."""
    _end_all(player, lambda seat: Adjudicate(other(seat)))


def adjudicate(match_id: str, winner: int | None, by: User | None, reason: str) -> None:
    """Decide a running match for a seat, or declare it void, into the log.

    Raises `Problem`: not_found, match_over, forbidden (one's own match).
    """
    check_no_player(match_id, by)
    with transaction.atomic():
        decided = _adjudicate(match_id, winner, by, reason)
    if not decided:  # said only now: what was due, and has ended it, stands
        raise Problem("match_over")


def _adjudicate(match_id: str, winner: int | None, by: User | None, reason: str) -> bool:
    try:
        row, _now = store.lock(match_id)
    except Match.DoesNotExist:
        raise Problem("not_found") from None
    before = {"status": row.status}
    try:
        act(match_id, Adjudicate(winner))
    except Refused:
        return False
    after = {"outcome": "void" if winner is None else "win", "winner": winner}
    audit.record(by, ADJUDICATED, row, reason=reason, before=before, after=after)
    return True


def check_no_player(match_id: str, by: User | None) -> None:
    """Raise `Problem` forbidden for who would decide a match of their own."""
    if by is not None and Seat.objects.filter(match_id=match_id, player=by).exists():
        raise Problem("forbidden", _("You have played this match yourself: leave it to another moderator."))


def _end_all(player: User, command: Callable[[int], Command]) -> None:
    seats = _running_seats().filter(player=player).order_by("match_id")
    for match_id, seat in list(seats.values_list("match_id", "index")):
        with contextlib.suppress(Refused):  # what was due has ended it
            act(match_id, command(seat))


def lock_with_opponents(player: User, *, for_good: bool = False) -> None:
    """In one order: what ends is counted for both, and two who leave at once must not wait for each other.

    Their opponents are those of what they play and of what has ended and is still to be counted. Not yet `for_good`,
    rows that point to them are made meanwhile.
    """
    uncounted = Match.objects.filter(status=Status.OVER.value, counted=False, seats__player=player)
    matches = [*_running_seats().filter(player=player).values_list("match", flat=True)]
    matches += uncounted.values_list("pk", flat=True)
    opponents = Seat.objects.filter(match__in=matches, player__isnull=False)
    involved = User.objects.filter(pk__in={player.pk, *opponents.values_list("player", flat=True)})
    list(involved.select_for_update(no_key=not for_good).order_by("pk").values_list("pk", flat=True))


def forget_guests() -> int:
    """Delete guests who have long been away and play nothing, the longest away first; what they played stays.

    Returns how many. A few at a time: the next sweep goes on.
    """
    away = User.objects.filter(kind=Kind.GUEST, last_seen_at__lt=timezone.now() - IDLE)
    idle = away.filter(~Exists(_running_seats().filter(player=OuterRef("pk"))))
    due = list(idle.order_by("last_seen_at").values_list("pk", flat=True)[:_FORGOTTEN_AT_ONCE])
    return sum(_forget(away.filter(pk=guest_id)) for guest_id in due)


def _forget(away: QuerySet[User]) -> bool:
    """One who comes back this very moment is either seen first, and stays, or finds no guest any more."""
    with transaction.atomic():
        guest = away.select_for_update().first()
        if guest is None or _running_seats().filter(player=guest).exists():
            return False
        guest.delete()
    return True


def _running_seats() -> QuerySet[Seat]:
    return Seat.objects.filter(live=True)


def mend_seats() -> int:
    """Have no seat taken for running whose match is over: one ended by a program that knew no `live`.

    Returns how many were. Only what is marked as running is looked at.
    """
    return _running_seats().filter(match__status=Status.OVER.value).update(live=False)


def sweep() -> int:
    """Settle every match in which something is due, up to when the service is known to have been up.

    Returns how many were looked at.
    """
    bury()
    now = store.now_ms()
    up_to = uptime.certain_until(now)
    due = store.deadline_passed(up_to)
    for match_id in due:
        try:
            act(match_id, Settle(), up_to=up_to)
        except Exception:
            logger.exception(
                "a match could not be settled", extra={"match": match_id}
            )  # the next sweep tries again
    uptime.swept(now)
    return len(due)


def bury() -> None:
    """Close the sockets that died with their process."""
    dead = uptime.dead_processes()
    if dead:
        logger.info("web processes have ended without a goodbye: %s", ", ".join(dead))
        _close_sockets(Connection.objects.filter(process__in=dead))
        WebProcess.objects.filter(pk__in=dead).delete()


def close_ghosts(open_here: Callable[[], set[str]]) -> None:
    """Close what the database takes for an open socket of this process and is none (a goodbye nobody could write).

    The rows are read before `open_here` is asked. A socket is there before its row, so one that opens now is safe.
    """
    rows = set(Connection.objects.filter(process=uptime.process_id()).values_list("pk", flat=True))
    if ghosts := rows - open_here():
        _close_sockets(Connection.objects.filter(pk__in=ghosts))


def _close_sockets(connections: QuerySet[Connection]) -> None:
    connections.filter(seat=None).delete()
    for match_id, seat, connection_id in connections.values_list("match_id", "seat", "pk"):
        disconnect(match_id, seat, connection_id)


def group(match_id: str) -> str:
    return f"match.{match_id}"


def _announce(match_id: str, revision: int, move: _Move) -> None:
    """Tell every process that the match has moved.

    Frames travel only where they can hold no secret: an end, which reveals the numbers, is read from the database.
    """
    ended = any(telling.kind == "over" for telling in move.tellings)
    if ended and move.after.result:
        logger.info("a match is over", extra={"match": match_id, "reason": move.after.result.reason.value})
    told: list[tuple[int | None, Json]] = [
        (telling.version, wire.event_json(telling)) for telling in move.tellings
    ]
    told += [(None, wire.presence_json(move.after, seat)) for seat in _presence_changed(move)]
    message = {
        "type": "match.moved",
        "revision": revision,
        "clocks": [move.after.clocks.left, move.after.clocks.running, move.after.clocks.at],
        "frames": None if ended else [[version, wire.dumps(frame)] for version, frame in told],
    }
    if ended:  # heard of first, so that what it is worth stands on the page that shows it
        match_moved.send_robust(Match, match_id=match_id, state=move.after)
    _tell(match_id, message)
    if not ended:
        match_moved.send_robust(Match, match_id=match_id, state=move.after)


def _tell(match_id: str, message: dict[str, object]) -> None:
    """Pass a message to every socket of a match."""
    clerks.later(send, group(match_id), message)


def _presence_changed(move: _Move) -> list[int]:
    return sorted({event.seat for event in move.events if isinstance(event, Arrived | Left)})
