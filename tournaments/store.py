"""Rows in, state out, and back: what a tournament looks like in the database. Decides nothing, tells nobody."""

from collections.abc import Iterable

from django.conf import settings
from django.db.models import Prefetch, Q, QuerySet

from matches.core.machine import Status as MatchStatus
from matches.store import instant, locked
from tournaments.core.machine import (
    Cancelled,
    Decided,
    Entered,
    Event,
    Fall,
    Finished,
    Left,
    Rescheduled,
    RoundDrawn,
    Started,
    State,
    Status,
    ToReplay,
    Why,
    Withdrawn,
)
from tournaments.core.machine import Pairing as Drawn
from tournaments.models import Entry, Pairing, Place, Round, Tournament

LIVE = (Status.OPEN.value, Status.RUNNING.value)


def lock(tournament_id: str) -> tuple[Tournament, int]:
    """Lock the row until the transaction ends: the whole tournament, and the time (ms) it was read at.

    Raises `Tournament.DoesNotExist`.
    """
    row, now = locked(whole(Tournament.objects.filter(pk=tournament_id)))
    if row is None:
        raise Tournament.DoesNotExist
    return row, now


def whole(rows: QuerySet[Tournament]) -> QuerySet[Tournament]:
    """With all that their states are made of, in as many queries however many they are."""
    pairings = Pairing.objects.select_related("match").prefetch_related("places")
    return rows.prefetch_related(
        Prefetch("entries", Entry.objects.select_related("player")),
        Prefetch("rounds", Round.objects.prefetch_related(Prefetch("pairings", pairings))),
    )


def state_of(row: Tournament) -> State:
    entries = list(row.entries.all())
    return State(
        starts_at=int(row.starts_at.timestamp() * 1000),
        maximum=row.maximum,
        pause_ms=settings.ROUND_PAUSE_SECONDS * 1000,
        due_at=row.due_at,
        status=Status(row.status),
        entrants=tuple(entry.pk for entry in entries),
        fallen=tuple((entry.pk, Fall(entry.fall)) for entry in entries if entry.fall),
        rounds=tuple(tuple(map(_drawn, drawn.pairings.all())) for drawn in row.rounds.all()),
        rests_from=row.rests_from,
        champion=row.champion_id,
        why=Why(row.why) if row.why else None,
    )


def _drawn(pairing: Pairing) -> Drawn:
    held = {place.seat: place.entry_id for place in pairing.places.all()}
    through = None if pairing.through is None else held[pairing.through]
    return Drawn(held[0], held.get(1), pairing.decided, through)


def keep(row: Tournament, state: State, events: Iterable[Event]) -> None:
    """Write what has happened, and the row as `state` has it."""
    for event in events:
        _keep(row, event)
    row.starts_at, row.maximum = instant(state.starts_at), state.maximum
    row.status, row.why, row.champion_id = state.status.value, state.why or "", state.champion
    row.due_at, row.rests_from = state.due_at, state.rests_from
    row.revision += 1
    row.save(
        update_fields=[
            *("starts_at", "maximum", "status", "why", "champion"),
            *("due_at", "rests_from", "revision", "ended_at"),
        ]
    )


def _keep(row: Tournament, event: Event) -> None:
    match event:
        case Left(entrant):
            Entry.objects.filter(pk=entrant).delete()
        case RoundDrawn():
            _insert_round(row, event)
        case Decided():
            _decide(row, event)
        case Withdrawn(entrant):
            Entry.objects.filter(pk=entrant).update(fall=Fall.WITHDRAWN.value)
        case ToReplay(index):
            last_round(row).filter(index=index).update(match=None)
        case Finished(_, _, at) | Cancelled(_, at):
            row.ended_at = instant(at)
        case Entered() | Rescheduled() | Started():
            pass  # an entry is written to have a number; the others stand in the row


def _insert_round(row: Tournament, drawn: RoundDrawn) -> None:
    number = row.rounds.count() + 1
    round_ = Round.objects.create(tournament=row, number=number, seed=drawn.seed, drawn_at=drawn.at)
    pairings = Pairing.objects.bulk_create(
        Pairing(round=round_, index=index, against_bot=pairing.second is None)
        for index, pairing in enumerate(drawn.pairings)
    )
    Place.objects.bulk_create(
        Place(round=round_, pairing=pairing, seat=seat, entry_id=entrant)
        for pairing, pair in zip(pairings, drawn.pairings, strict=True)
        for seat, entrant in enumerate(pair.entrants)
    )


def _decide(row: Tournament, decided: Decided) -> None:
    pairing = last_round(row).get(index=decided.pairing)
    places = {place.entry_id: place.seat for place in pairing.places.all()}
    pairing.decided, pairing.through = True, None
    if decided.through is not None:
        pairing.through = places.pop(decided.through)
    pairing.save(update_fields=["decided", "through"])
    Entry.objects.filter(pk__in=places, fall="").update(fall=decided.fall.value)


def last_round(row: Tournament) -> QuerySet[Pairing]:
    """Read again each time: another command of the same transaction may just have drawn it."""
    last = Round.objects.filter(tournament=row).order_by("-number")[:1]
    return Pairing.objects.filter(round__in=last.values("pk")).prefetch_related("places")


def due(now: int) -> list[str]:
    """Tournaments in which something is to be done: the hour has come, a match has ended or is missing, or a player
    is no more."""
    running = Q(status=Status.RUNNING.value)
    undecided = Pairing.objects.filter(decided=False, round__tournament__status=Status.RUNNING.value)
    ended = undecided.filter(Q(match=None) | Q(match__status=MatchStatus.OVER.value))
    gone = Entry.objects.filter(Q(player=None) | Q(player__is_active=False), fall="")
    rows = Tournament.objects.filter(status__in=LIVE).filter(
        Q(due_at__lte=now)
        | running & Q(pk__in=ended.values("round__tournament"))
        | Q(pk__in=gone.values("tournament"))
    )
    return list(rows.order_by("due_at").values_list("pk", flat=True))
