"""Rows in, state out, and back: what a match looks like in the database. Decides nothing, tells nobody."""

import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

from django.db import connection
from django.db.models import BigIntegerField, Func, Model, QuerySet

from matches import codec
from matches.core.clock import Pair
from matches.core.machine import Created, Event, Numbered, State, Status, create, due_event, trail
from matches.models import Event as EventRow
from matches.models import Match, Seat
from players.models import User

Row = TypeVar("Row", bound=Model)


_READ = ("id", "revision", "state", "secrets", "answers")
_ROW = "SELECT state, secrets, answers, revision, {} FROM matches_match WHERE id = %s{}"
_CLOCK = "(extract(epoch from clock_timestamp()) * 1000)::bigint"
_LOCKED = {
    "postgresql": _ROW.format(f"{_CLOCK}, NULL", " FOR UPDATE"),
    "sqlite": _ROW.format("NULL, NULL", ""),
}
_UNLOCKED = _ROW.format(f"{_CLOCK}, xmin::text", "")


class _ServerTime(Func):
    """The database's own wall clock in ms: one clock for however many processes."""

    template = _CLOCK
    output_field = BigIntegerField()


def now_ms() -> int:
    """This process's wall clock in ms."""
    return time.time_ns() // 1_000_000


def lock(match_id: str) -> tuple[Match, int]:
    """Lock the row of a match until the transaction ends: the row, and the time (ms) it was read at.

    Raises `Match.DoesNotExist`. Written out, as is what `keep` writes: building and reading these through the ORM took
    three times as long as all the rest of a guess. What else a row has is looked up when somebody asks for it.
    """
    row, now, _ = _row(_LOCKED[connection.vendor], match_id)
    return row, now


def swaps() -> bool:
    """Whether a row can be read without a lock and written only if nobody has written it since: in one statement of
    PostgreSQL that is a transaction by itself.
    """
    return connection.vendor == "postgresql" and not connection.in_atomic_block


def read(match_id: str) -> tuple[Match, int, str]:
    """The row, the time (ms) it was read at, and who wrote it last, for `swap`. Raises `Match.DoesNotExist`."""
    return _row(_UNLOCKED, match_id)


def _row(query: str, match_id: str) -> tuple[Match, int, str]:
    with connection.cursor() as cursor:
        cursor.execute(query, [match_id])
        found = cursor.fetchone()
    if found is None:
        raise Match.DoesNotExist
    state, secrets, answers, revision, read_at, writer = found
    columns = (match_id, revision, json.loads(state), json.loads(secrets), json.loads(answers))
    return Match.from_db(connection.alias, _READ, columns), read_at or now_ms(), writer


def locked(rows: QuerySet[Row]) -> tuple[Row | None, int]:
    """Lock the one row of `rows`, if there is one, and read the clock in the same statement.

    SQLite has one writer, and its transactions here begin as one.
    """
    rows = rows.select_for_update()
    if connection.vendor == "postgresql":
        row = rows.annotate(read_at=_ServerTime()).first()
        return row, row.read_at if row is not None else now_ms()
    return rows.first(), now_ms()


def state_of(row: Match) -> State:
    return codec.state_from_json(row.state, row.secrets)


def insert(
    match_id: str,
    created: Created,
    players: tuple[User, User],
    *,
    public: bool,
    rematch_of: Match | None = None,
    leads_to: str = "",
) -> Match:
    """Write a new match with its seats and its first event."""
    state = create(created)
    origin = {"public": public, "rematch_of": rematch_of, "leads_to": leads_to}
    row = Match(id=match_id, answers=[[], []], **origin, **_columns(state))
    row.created_at = instant(created.at)
    row.save(force_insert=True)
    Seat.objects.bulk_create(
        Seat(match=row, index=index, player=player) for index, player in enumerate(players)
    )
    EventRow.objects.bulk_create([_event_row(row.pk, created, state)])
    return row


def keep(row: Match, before: State, after: State, events: Sequence[Event]) -> None:
    """Write what a step changed: its numbered events, and the row."""
    _write(row, _change(row, before, after, events), _event_rows(row, before, events))
    if ends(before, after):
        Seat.objects.filter(match=row).update(live=False)


def swap(row: Match, before: State, after: State, events: Sequence[Event], writer: str) -> bool:
    """As `keep`, for a step that does not end the match, if `writer` is still who wrote its row last; else nothing."""
    columns, told = _change(row, before, after, events), _event_rows(row, before, events)
    values = [*_values(row, columns), row.pk, writer]
    update = f"{_update(columns)} AND xmin = %s::xid"
    with connection.cursor() as cursor:
        if told:
            kept = [value for event in told for value in _values(event, _TOLD)]
            insert = _insert_after(len(told))
            cursor.execute(f"WITH moved AS ({update} RETURNING 1) {insert}", [*values, *kept])
        else:
            cursor.execute(update, values)
        return bool(cursor.rowcount)


def ends(before: State, after: State) -> bool:
    return after.status is Status.OVER and before.status is not Status.OVER


def _event_rows(row: Match, before: State, events: Sequence[Event]) -> list[EventRow]:
    happened = trail(before, events)
    return [_event_row(row.pk, event, then) for event, then in happened if isinstance(event, Numbered)]


def _change(row: Match, before: State, after: State, events: Sequence[Event]) -> tuple[str, ...]:
    """Bring the row to where the step leads; which columns that has changed."""
    columns = _columns(after)
    if before.status is after.status:
        for settled in ("status", "outcome", "reason", "winner", "ended_at"):
            del columns[settled]
    if before.seats[0].code == after.seats[0].code and before.seats[1].code == after.seats[1].code:
        del columns["secrets"]
    for name, value in columns.items():
        setattr(row, name, value)
    row.revision += bool(events)
    return (*columns, "answers", "revision")


def _write(row: Match, columns: tuple[str, ...], events: list[EventRow]) -> None:
    """In one statement where the database takes it so, which saves a way there and back."""
    kept = [value for event in events for value in _values(event, _TOLD)]
    moved = [*_values(row, columns), row.pk]
    insert, update = _insert(len(events)), _update(columns)
    with connection.cursor() as cursor:
        if events and connection.vendor == "postgresql":
            cursor.execute(f"WITH told AS ({insert}) {update}", [*kept, *moved])
            return
        if events:
            cursor.execute(insert, kept)
        cursor.execute(update, moved)


_TOLD = ("match_id", "version", "kind", "data", "at", "clocks")


@cache
def _insert(count: int) -> str:
    one = f"({', '.join(['%s'] * len(_TOLD))})"
    return f"INSERT INTO matches_event ({', '.join(_TOLD)}) VALUES {', '.join([one] * count)}"  # noqa: S608  names only


@cache
def _insert_after(count: int) -> str:
    """As `_insert`, if `moved` has a row. Nothing tells the database here what a place holds, so it is said."""
    fields = (EventRow._meta.get_field(column.removesuffix("_id")) for column in _TOLD)
    one = f"({', '.join(f'%s::{field.db_type(connection)}' for field in fields)})"  # type: ignore[union-attr]
    return (
        f"INSERT INTO matches_event ({', '.join(_TOLD)}) "  # noqa: S608  names only
        f"SELECT told.* FROM (VALUES {', '.join([one] * count)}) told, moved"
    )


@cache
def _update(columns: tuple[str, ...]) -> str:
    changed = ", ".join(f"{column} = %s" for column in columns)
    return f"UPDATE matches_match SET {changed} WHERE id = %s"  # noqa: S608  names only


def _values(row: Match | EventRow, columns: tuple[str, ...]) -> list[Any]:
    """As the database takes them."""
    fields = (row._meta.get_field(column.removesuffix("_id")) for column in columns)
    return [
        field.get_db_prep_save(getattr(row, column), connection)  # type: ignore[union-attr]
        for field, column in zip(fields, columns, strict=True)
    ]


def _columns(state: State) -> dict[str, Any]:
    due, result = due_event(state), state.result
    return {
        "status": state.status.value,
        "version": state.version,
        "state": codec.state_to_json(state),
        "secrets": codec.secrets_to_json(state),
        "deadline_at": due.at if due else None,
        "outcome": result.outcome if result else "",
        "reason": result.reason.value if result else "",
        "winner": result.winner if result else None,
        "ended_at": instant(result.at) if result else None,
    }


def _event_row(match_id: str, event: Numbered, after: State) -> EventRow:
    kind, data = codec.event_to_json(event)
    clocks = after.clocks.left_at(event.at)
    return EventRow(
        match_id=match_id, version=after.version, kind=kind, data=data, at=event.at, clocks=clocks
    )


def events(match_id: str) -> list[tuple[Numbered, Pair]]:
    """Every numbered event of a match, in order, each with the clocks (ms) right after it."""
    rows = EventRow.objects.filter(match_id=match_id).order_by("version")
    return [
        (codec.event_from_json(kind, data, at), (clocks[0], clocks[1]))
        for kind, data, at, clocks in rows.values_list("kind", "data", "at", "clocks")
    ]


def instant(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def deadline_passed(now: int) -> list[str]:
    """Matches in which something was due by `now`, the longest overdue first."""
    due = Match.objects.filter(deadline_at__lte=now).order_by("deadline_at")
    return list(due.values_list("pk", flat=True))
