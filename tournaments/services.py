"""The verbs of tournaments: make, change, join, leave, and move on by itself.

One way in, whoever asks: lock the row, catch up with what has happened to its matches and players, decide, keep, and
after the commit, tell. Catching up is the whole of the sweep, so beat, a listener and a page may all call it, at once
or twice: it finds done what is done.
"""

import logging
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from hmac import compare_digest
from typing import Any
from zoneinfo import available_timezones

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bots.services import bot_named
from matches import codec
from matches import services as matches
from matches import store as match_rows
from matches.core import machine as game
from matches.core.terms import Terms
from matches.models import Match
from players import audit
from players.looking import nudge
from players.models import Kind, User
from players.problems import Problem
from ratings.models import Ladder
from ratings.services import assign
from tournaments import store
from tournaments.core.machine import (
    CallOff,
    Command,
    DrawRound,
    Ending,
    Enter,
    Leave,
    Refused,
    Reschedule,
    Start,
    Status,
    TakeEnding,
    create,
    step,
)
from tournaments.core.occasions import Weekly as Hour
from tournaments.core.occasions import next_occasion
from tournaments.models import (
    FEWEST,
    LONGEST_NAME,
    MOST,
    Entry,
    Pairing,
    Tournament,
    Weekly,
    new_code,
    new_seed,
)
from tournaments.paths import path_of
from tournaments.refusals import problem_of

logger = logging.getLogger(__name__)

STARTED = audit.act("tournament.started", gettext_lazy("tournament started now"))
CHANGED = audit.act("tournament.changed", gettext_lazy("tournament changed"))
CALLED_OFF = audit.act("tournament.called_off", gettext_lazy("tournament called off"))
DISQUALIFIED = audit.act("tournament.disqualified", gettext_lazy("entrant disqualified"))

GROUP = "tournaments"
SHORTEST_NAME = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """What somebody wants a tournament to be."""

    name: str
    terms: Terms
    starts_at: datetime
    zone: str = "UTC"
    private: bool = False
    maximum: int = MOST


# Made and changed


def make(creator: User, plan: Plan) -> Tournament:
    """Make a tournament; its maker enters like anyone. Raises `Problem`: forbidden (guests), invalid."""
    if creator.kind != Kind.HUMAN:
        raise Problem("forbidden", _("Guests cannot make tournaments: make an account first."))
    checked = _checked(plan)
    row = _row(checked)
    row.creator = creator
    row.save(force_insert=True)
    logger.info("a tournament has been made", extra={"tournament": row.pk})
    return row


def _row(plan: Plan) -> Tournament:
    begun = create(int(plan.starts_at.timestamp() * 1000), plan.maximum, 0)
    return Tournament(
        name=plan.name,
        terms=codec.terms_to_json(plan.terms),
        zone=plan.zone,
        maximum=plan.maximum,
        starts_at=plan.starts_at,
        private=plan.private,
        due_at=begun.due_at,
    )


def _checked(plan: Plan) -> Plan:
    """The plan with its name as it is kept. Raises `Problem` invalid."""
    name = checked_name(plan.name)
    if not FEWEST <= plan.maximum <= MOST:
        limits = {"low": FEWEST, "high": MOST}
        raise Problem("invalid", _("A tournament is for %(low)d to %(high)d players.") % limits)
    if plan.starts_at <= timezone.now():
        raise Problem("invalid", _("A tournament starts in the future."))
    if plan.zone not in available_timezones():
        raise Problem("invalid", _("That is not a time zone."))
    return Plan(name, plan.terms, plan.starts_at, plan.zone, plan.private, plan.maximum)


def checked_name(text: str) -> str:
    """A name as it is kept. Raises `Problem` invalid."""
    name = " ".join(text.split())
    if not SHORTEST_NAME <= len(name) <= LONGEST_NAME or any(map(_unprintable, name)):
        limits = {"low": SHORTEST_NAME, "high": LONGEST_NAME}
        raise Problem("invalid", _("A name has %(low)d to %(high)d characters, plain text.") % limits)
    return name


def _unprintable(character: str) -> bool:
    """Controls, and what turns or hides the text around it."""
    return unicodedata.category(character)[0] == "C"


def edit(tournament_id: str, editor: User, plan: Plan) -> None:
    """Change it before the start; its terms, as long as nobody else has entered on them.

    Raises `Problem`: not_found, forbidden, closed, full (fewer places than entrants), invalid.
    """
    plan = _checked(plan)
    with _open(tournament_id) as held:
        _check_runs(held.row, editor)
        before = _facts(held.row)
        terms = codec.terms_to_json(plan.terms)
        if terms != held.row.terms and any(entry.player_id != editor.pk for entry in held.row.entries.all()):
            raise Problem("closed", _("Players have entered on these terms: they stay as they are."))
        held.do(Reschedule(int(plan.starts_at.timestamp() * 1000), plan.maximum))
        row = held.row
        row.name, row.terms, row.zone, row.private = plan.name, terms, plan.zone, plan.private
        row.save(update_fields=["name", "terms", "zone", "private"])
        if row.creator_id != editor.pk:
            audit.record(editor, CHANGED, row, before=before, after=_facts(row))


def _facts(row: Tournament) -> dict[str, Any]:
    """What of it can be changed, for the log."""
    return {
        "name": row.name,
        "terms": row.terms,
        "starts_at": row.starts_at.isoformat(),
        "private": row.private,
        "maximum": row.maximum,
    }


def call_off(tournament_id: str, by: User, reason: str = "") -> None:
    """Cancel it before the start. Raises `Problem`: not_found, forbidden, closed."""
    with _open(tournament_id) as held:
        _check_runs(held.row, by)
        held.do(CallOff())
        if held.row.creator_id != by.pk:
            audit.record(by, CALLED_OFF, held.row, reason=reason)


def may_run(row: Tournament, user_id: int | None, *, staff: bool) -> bool:
    return staff or (user_id is not None and row.creator_id == user_id)


def _check_runs(row: Tournament, user: User) -> None:
    if not may_run(row, user.pk, staff=user.is_staff):
        raise Problem("forbidden" if is_open_to(row, user) else "not_found")


def is_open_to(row: Tournament, user: User) -> bool:
    """Whether this player may know of it: a private one is for its maker, its entrants and staff (D19)."""
    mine = any(entry.player_id == user.pk for entry in row.entries.all())
    return not row.private or mine or may_run(row, user.pk, staff=user.is_staff)


# In and out


def join(tournament_id: str, player: User, code: str = "") -> None:
    """Enter; who is in already stays in. A private one opens to its code alone.

    Raises `Problem`: forbidden (guests), not_found (also for a wrong code), full, closed.
    """
    if player.kind != Kind.HUMAN:
        raise Problem("forbidden", _("Guests cannot enter tournaments: make an account first."))
    with _open(tournament_id, or_else=code) as held:
        row = held.row
        if _holds(held, player) is not None:
            return
        if (
            row.private
            and row.creator_id != player.pk
            and not compare_digest(row.code.encode(), code.encode())
        ):
            raise Problem("not_found")
        entry = Entry.objects.create(tournament=row, player=player)
        held.do(Enter(entry.pk))


def leave(tournament_id: str, player: User) -> None:
    """Before the start one is simply gone; later it loses the current match and is out (R8.4).

    Raises `Problem`: not_found, closed.
    """
    with _open(tournament_id) as held:
        entry = _holds(held, player)
        if entry is None:
            if not is_open_to(held.row, player):
                raise Problem("not_found")
            return
        held.withdraw(entry, seat_loses=True)


def _holds(held: "_Held", player: User) -> Entry | None:
    return next((entry for entry in held.row.entries.all() if entry.player_id == player.pk), None)


# Staff, into the log


def start_now(tournament_id: str, by: User, reason: str = "") -> None:
    """Raises `Problem`: not_found, closed (it has begun, or has fewer than two)."""
    with _open(tournament_id) as held:
        held.do(Start(new_seed()))
        audit.record(by, STARTED, held.row, reason=reason)


def disqualify(entry_id: int, by: User, reason: str = "") -> None:
    """Take an entrant out; the match they play goes to the other. Raises `Problem`: not_found, closed."""
    entry = Entry.objects.select_related("player").filter(pk=entry_id).first()
    if entry is None:
        raise Problem("not_found")
    with _open(entry.tournament_id) as held:
        held.withdraw(entry, seat_loses=False)
        name = entry.player.username if entry.player else None
        audit.record(by, DISQUALIFIED, held.row, reason=reason, after={"player": name})


def adjudicate(pairing_id: int, seat: int | None, by: User, reason: str = "") -> None:
    """Decide a pairing's match: for the seat, or void, to be replayed.

    Raises `Problem`: not_found, match_over, forbidden (one's own match).
    """
    pairing = Pairing.objects.select_related("round").filter(pk=pairing_id, match__isnull=False).first()
    if pairing is None:
        raise Problem("not_found")
    with _open(pairing.round.tournament_id) as held:
        assert pairing.match_id is not None
        matches.adjudicate(pairing.match_id, seat, by, reason)
        held.catch_up()


# One tournament, locked


class _Held:
    """A tournament whose row is locked: what is done to it goes through the machine and into the rows."""

    def __init__(self, row: Tournament, now: int) -> None:
        self.row, self.now = row, now
        self.state = store.state_of(row)

    def do(self, command: Command) -> None:
        """Raises `Problem`."""
        try:
            state, events = step(self.state, command, self.now)
        except Refused as refused:
            raise problem_of(refused.refusal) from None
        if not events:
            return
        self.state = state
        store.keep(self.row, state, events)
        self.seat()
        transaction.on_commit(announce, robust=True)
        if state.status is Status.OVER:
            logger.info("a tournament is over", extra={"tournament": self.row.pk})

    def catch_up(self) -> None:
        """Whatever has happened or come due since, done."""
        self.take_endings()
        for entry in self.gone():
            if self.state.status.value in store.LIVE:
                self.withdraw(entry, seat_loses=entry.player_id is None)
        if self.state.due_at is not None and self.state.due_at <= self.now:
            waits_to_start = self.state.status is Status.OPEN
            self.do(Start(new_seed()) if waits_to_start else DrawRound(new_seed()))
        self.seat()

    def take_endings(self) -> None:
        over = self.pairings().filter(match__status=game.Status.OVER.value).select_related("match")
        for pairing in over:
            assert pairing.match is not None
            state = match_rows.state_of(pairing.match)
            assert state.result is not None
            self.do(TakeEnding(pairing.index, ending_of(state), state.result.at))

    def pairings(self) -> QuerySet[Pairing]:
        """Those of the current round that are still to be decided."""
        return store.last_round(self.row).filter(decided=False)

    def gone(self) -> list[Entry]:
        """Entrants whose account has been deleted or suspended (R5.7)."""
        entries = Entry.objects.filter(tournament=self.row, fall="").select_related("player")
        return [entry for entry in entries if entry.player is None or not entry.player.is_active]

    def withdraw(self, entry: Entry, *, seat_loses: bool) -> None:
        """Out, and out of the match being played: resigned by the one who goes, or decided for the other.

        A match that ended this very moment counts as it ended.
        """
        playing = self.pairings().filter(places__entry=entry, match__isnull=False)
        for match_id, seat in playing.values_list("match_id", "places__seat"):
            lost = game.Resign(seat) if seat_loses else game.Adjudicate(game.other(seat))
            try:
                matches.act(match_id, lost)
            except game.Refused:
                self.take_endings()
        self.do(Leave(entry.pk))

    def seat(self) -> None:
        """Give every pairing its match: once drawn, after a replay, or where there is none for whatever reason."""
        for pairing in self.pairings().filter(match=None).prefetch_related("places__entry__player"):
            players = [place.entry.player for place in pairing.places.all()]
            if pairing.against_bot:
                players.append(bot_named("easy"))
            first, second = players
            if first is None or second is None:
                continue  # about to be taken out
            match = self.make_match(first, second)
            pairing.match = match
            pairing.save(update_fields=["match"])

    def make_match(self, first: User, second: User) -> Match:
        """Seat 0 is the first of the pairing. It moves the tournaments' ladder, and leads back here (R8.6, R5.6)."""
        terms = codec.terms_from_json(self.row.terms)
        match = matches.create_match(terms, (first, second), public=True, leads_to=path_of(self.row.pk))
        assign(match.pk, Ladder.TOURNAMENT)
        return match


@contextmanager
def _open(tournament_id: str, *, or_else: str = "") -> Iterator[_Held]:
    """Lock a tournament and bring it up to date, which stands even if what is then asked is refused.

    Raises `Problem` not_found.
    """
    refused: Problem | None = None
    with transaction.atomic():
        try:
            held = _Held(*store.lock(tournament_id))
        except Tournament.DoesNotExist:
            compare_digest(new_code().encode(), or_else.encode())  # no quicker than a wrong code
            raise Problem("not_found") from None
        held.catch_up()
        try:
            with transaction.atomic():
                yield held
        except Problem as problem:
            refused = problem
    if refused is not None:
        raise refused


def ending_of(state: game.State) -> Ending:
    """A match's end as a tournament takes it (R8.4)."""
    result = state.result
    assert result is not None
    return Ending(
        outcome=result.outcome,
        winner=result.winner,
        showed=_showed(state, result.reason),
        by_moderator=result.reason is game.Reason.ADJUDICATED,
    )


def _showed(state: game.State, reason: game.Reason) -> tuple[bool, bool]:
    """Which of the two did what the start asked: chose, and once both had, confirmed."""
    first, second = state.seats
    if reason is game.Reason.UNCONFIRMED and first.ready and second.ready:
        return first.confirmed, second.confirmed
    if reason in (game.Reason.UNCONFIRMED, game.Reason.UNPLAYED):
        return first.ready, second.ready
    return True, True


# Time


def settle(tournament_id: str) -> None:
    """Bring a tournament up to date."""
    with suppress(Problem), _open(tournament_id):
        pass


def match_moved(match_id: str, state: game.State) -> None:
    """A match has moved: the end of one of a tournament's moves the tournament."""
    if not state.single or state.status is not game.Status.OVER:
        return
    played = Pairing.objects.filter(match_id=match_id, decided=False).values_list(
        "round__tournament_id", flat=True
    )
    for tournament_id in played:
        settle(tournament_id)


def sweep() -> int:
    """Start, draw, and take note of all that is due. Returns how many tournaments were looked at."""
    due = store.due(match_rows.now_ms())
    for tournament_id in due:
        try:
            settle(tournament_id)
        except Exception:
            logger.exception(
                "a tournament could not be settled", extra={"tournament": tournament_id}
            )  # the next sweep tries again
    return len(due)


def plan_weeklies() -> None:
    """Have the next of every weekly tournament listed. One that was called off is not made again."""
    now = timezone.now()
    for weekly in Weekly.objects.filter(active=True):
        hour = Hour(weekly.weekday, weekly.hour, weekly.zone)
        day = next_occasion(hour, now)
        terms = codec.terms_from_json(weekly.terms)
        row = _row(Plan(weekly.name, terms, hour.on(day), weekly.zone, maximum=weekly.maximum))
        row.weekly, row.day = weekly, day
        Tournament.objects.bulk_create([row], ignore_conflicts=True)


def announce() -> None:
    """Have every process look at once at what it shows; each looks by itself once a second."""
    nudge(GROUP)
