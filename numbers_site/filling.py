"""A site with years behind it: finished matches by the million, so that pages can be timed as they will be then.

A few hundred specimens are played by the real machine; each match is one of them at a time of its own, between two of
the players made for it. Records, ledger and standings follow from the matches by the arithmetic that counts them.
"""

import json
import random
import re
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import Any

from django.db import connection
from django.db.models import Model
from django.utils import timezone

from matches import codec, store
from matches.core.codes import DIGITS
from matches.core.machine import (
    Command,
    CommitSecret,
    Confirm,
    Created,
    Limits,
    Numbered,
    PlayGuess,
    Reason,
    Resign,
    Settle,
    State,
    create,
    due_event,
    fold,
    other,
    step,
)
from matches.core.marking import mark, totals
from matches.core.terms import PRESETS, ClockKind, Start, Terms, agree
from matches.models import Event, Match, Seat, new_id
from players.models import User
from players.names import name_key
from ratings.core.points import WON, applied, earned
from ratings.models import (
    ALL_TIME,
    Cause,
    Ladder,
    LedgerRow,
    Outcome,
    Result,
    Standing,
    Tally,
    month_of,
)
from ratings.terms import word_of

SPECIMENS = 300
DAYS = 400
REPLAYED = 2_000
"""Of so many of the newest matches the events are written too: they can be replayed."""
_AT_ONCE = 10_000
_EPOCH = (
    1_700_000_000_000  # when every specimen begins: thirteen digits that nothing else in its JSON begins with
)
_INSTANT = re.compile(r"\b(17000\d{8})\b")
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_MENUS = {ClockKind.BUDGET: (60, 180, 300, 600), ClockKind.MOVE: (60, 120, 300)}
_STARS = "Adhara Alcor Altair Antares Atria Capella Deneb Electra Izar Maia Mimosa Mira Regolo Rigel Spica Vega".split()

Row = tuple[Any, ...]


class Text:
    """JSON with every instant in it open, to be set anew for each match."""

    def __init__(self, value: object) -> None:
        parts = _INSTANT.split(json.dumps(value))
        self.between, self.instants = parts[::2], [int(part) - _EPOCH for part in parts[1::2]]

    def at(self, begin: int) -> str:
        """The JSON of a match that began then."""
        written = [self.between[0]]
        for instant, rest in zip(self.instants, self.between[1:], strict=True):
            written += (str(begin + instant), rest)
        return "".join(written)


@dataclass(frozen=True, slots=True)
class Specimen:
    """A match that the machine has played, ready to be written again and again."""

    state: State
    text: Text
    secrets: str
    events: tuple[tuple[int, str, str, int, str], ...]
    terms: str
    clock: int
    ms: int
    rated: bool
    in_place: int


def specimens(chance: random.Random) -> list[Specimen]:
    return [_specimen(chance) for _ in range(SPECIMENS)]


def _specimen(chance: random.Random) -> Specimen:
    terms = drawn_terms(chance)
    created = Created(terms, Limits(60_000, 300_000, 30_000), chance.randrange(2), _EPOCH)
    state, events = create(created), [_event(created, create(created))]
    for command, now in played(chance, state):
        taken = step(state, command, now)
        for event in taken.events:
            state = fold(state, (event,))
            if isinstance(event, Numbered):
                events.append(_event(event, state))
    assert state.result is not None
    loser = other(state.result.winner or 0)
    guesses = state.seats[loser].guesses
    return Specimen(
        state=state,
        text=Text(codec.state_to_json(state)),
        secrets=json.dumps(codec.secrets_to_json(state)),
        events=tuple(events),
        terms=word_of(terms),
        clock=terms.clock.seconds,
        ms=state.result.at - _EPOCH,
        rated=terms.rated and state.result.winner is not None,
        in_place=totals(guesses[-1].marks)[0] if guesses else 0,
    )


def drawn_terms(chance: random.Random) -> Terms:
    preset = PRESETS[chance.choices(["duel", "probe", "classic"], [6, 1, 2])[0]]
    asked = {
        "preset": preset.name,
        "length": chance.choice(preset.length),
        "repeats": chance.choice(preset.repeats),
        "feedback": chance.choice(preset.feedback),
        "clock": {"seconds": chance.choice(_MENUS[preset.clock])},
        "rated": chance.random() < 0.9,
    }
    return agree(asked, _MENUS)


def played(chance: random.Random, state: State) -> Iterator[tuple[Command, int]]:
    """Commands that lead to an end, each with its time: most matches are won, some given up, some never begun."""
    terms, now = state.terms, state.at
    if chance.random() < 0.03:
        due = due_event(state)
        assert due is not None
        yield Settle(), due.at
        return
    codes = [_code(chance, terms) for _ in range(2)]
    for seat in (0, 1):
        now += chance.randrange(1_000, 5_000)
        yield CommitSecret(seat, codes[seat], chance.randbytes(16)), now
    if terms.start is Start.CONFIRM:
        for seat in (0, 1):
            yield Confirm(seat), now
    seat, last = state.first, chance.randrange(4, 13)
    for number in range(last + 1):
        now += chance.randrange(1_000, 5_000)
        if number == last:
            yield (Resign(seat), now) if chance.random() < 0.2 else (PlayGuess(seat, codes[other(seat)]), now)
            return
        yield PlayGuess(seat, _near(chance, terms, codes[other(seat)])), now
        seat = other(seat)


def _code(chance: random.Random, terms: Terms) -> str:
    draw = chance.choices if terms.repeats else chance.sample
    return "".join(draw(DIGITS, k=terms.length))


def _near(chance: random.Random, terms: Terms, secret: str) -> str:
    """A guess that is not the number, more or less near to it."""
    drawn = {_code(chance, terms) for _ in range(chance.choice((2, 20, 200)))} - {secret}
    return (
        max(sorted(drawn), key=lambda code: totals(mark(secret, code)))
        if drawn
        else _near(chance, terms, secret)
    )


def _event(event: Numbered, after: State) -> tuple[int, str, str, int, str]:
    kind, data = codec.event_to_json(event)
    clocks = json.dumps(after.clocks.left_at(event.at))
    return after.version, kind, json.dumps(data), event.at - _EPOCH, clocks


@dataclass
class Career:
    """What the matches of one player add up to."""

    total: int = 0
    rows: int = 0
    tallies: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    standings: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


@dataclass
class Filler:
    """Writes `count` matches of these players, the oldest first. `keys` are the players' primary keys."""

    keys: list[int]
    count: int
    chance: random.Random
    careers: dict[int, Career] = field(default_factory=lambda: defaultdict(Career))

    def matches(self) -> Iterator[dict[type[Model], list[Row]]]:
        """The rows of one match after the other, by table."""
        known, prefix = specimens(self.chance), new_id()[:3]
        now = store.now_ms() - 60_000
        for number in range(self.count):
            end = now - DAYS * 86_400_000 * (self.count - 1 - number) // self.count
            replayed = number >= self.count - REPLAYED
            yield self._match(prefix + _short(number), self.chance.choice(known), end, replayed=replayed)

    def _match(
        self, key: str, specimen: Specimen, end: int, *, replayed: bool
    ) -> dict[type[Model], list[Row]]:
        begin, state = end - specimen.ms, specimen.state
        players = self._two()
        result = state.result
        assert result is not None
        row = (
            key, True, "over", state.version, state.version, specimen.text.at(begin), specimen.secrets, "[[], []]",
            result.outcome, result.reason.value, result.winner, store.instant(begin), store.instant(end), True, "",
        )  # fmt: skip
        events = [
            (key, version, kind, data, begin + at, clocks)
            for version, kind, data, at, clocks in specimen.events
        ]
        return {
            Match: [row],
            Seat: [(key, seat, player, False) for seat, player in enumerate(players)],
            Event: events if replayed else [],
            Result: [self._result(key, specimen, seat, players, end) for seat in (0, 1)],
            LedgerRow: self._ledger(key, specimen, players, end) if specimen.rated else [],
        }

    def _two(self) -> tuple[int, int]:
        """Two players; some play a hundred times as much as others."""
        first, second = (int(len(self.keys) * self.chance.random() ** 2) for _ in range(2))
        return self.keys[first], self.keys[second if second != first else first - 1]

    def _result(self, key: str, specimen: Specimen, seat: int, players: tuple[int, int], end: int) -> Row:
        state = specimen.state
        result, guesses = state.result, len(state.seats[seat].guesses)
        assert result is not None
        outcome = _outcome(result.outcome, result.winner, seat)
        tally = self.careers[players[seat]].tallies[specimen.terms]
        tally[outcome] += 1
        if outcome is Outcome.WON and result.reason is Reason.BROKEN:
            tally["broken"] += 1
            tally["guesses"] += guesses
        return (
            key, seat, players[seat], players[other(seat)], False, outcome.value, result.reason.value,
            state.terms.preset, specimen.terms, specimen.clock, state.terms.rated, guesses, end,
        )  # fmt: skip

    def _ledger(self, key: str, specimen: Specimen, players: tuple[int, int], end: int) -> list[Row]:
        result, length = specimen.state.result, specimen.state.terms.length
        assert result is not None
        assert result.winner is not None
        won, lost = players[result.winner], players[other(result.winner)]
        changes = (
            (won, Cause.WON, None, WON),
            (lost, Cause.LOST, specimen.in_place, earned(length, specimen.in_place)),
        )
        at = store.instant(end)
        rows = []
        for player, cause, in_place, due in changes:
            career = self.careers[player]
            change = applied(career.total, due)
            career.total, career.rows = career.total + change, career.rows + 1
            for period in (ALL_TIME, month_of(at)):
                standing = career.standings[period]
                standing.update({"points": change, cause.value: 1, "rows": 1})
                standing["last"] = change
            rows.append(
                (
                    player,
                    key,
                    Ladder.GENERAL.value,
                    career.rows,
                    cause.value,
                    length,
                    in_place,
                    0,
                    change,
                    career.total,
                    at,
                )
            )
        return rows

    def records(self) -> Iterator[dict[type[Model], list[Row]]]:
        """What all of it adds up to."""
        for player, career in self.careers.items():
            yield {
                Tally: [
                    (player, terms, False, *(tally[column] for column in _TALLIED))
                    for terms, tally in career.tallies.items()
                ],
                Standing: [
                    (player, Ladder.GENERAL.value, period, *(standing[column] for column in _STOOD))
                    for period, standing in career.standings.items()
                ],
            }


def _outcome(outcome: str, winner: int | None, seat: int) -> Outcome:
    if winner is None:
        return Outcome.DRAWN if outcome == "draw" else Outcome.VOID
    return Outcome.WON if winner == seat else Outcome.LOST


def _short(number: int) -> str:
    """A number in five letters."""
    return "".join(_LETTERS[number >> 5 * place & 31] for place in range(4, -1, -1))


_TALLIED = ("won", "lost", "drawn", "void", "broken", "guesses")
_STOOD = ("points", "won", "lost", "last", "rows")
_COLUMNS: dict[type[Model], str] = {
    Match: (
        "id public status version revision state secrets answers outcome reason winner created_at ended_at counted"
        " leads_to"
    ),
    Seat: "match_id index player_id live",
    Event: "match_id version kind data at clocks",
    Result: (
        "match_id seat player_id opponent_id against_bot outcome reason preset terms seconds rated guesses ended_at"
    ),
    LedgerRow: "player_id match_id ladder number cause length in_place decision change total at",
    Tally: f"player_id terms bots {' '.join(_TALLIED)}",
    Standing: f"player_id ladder period {' '.join(_STOOD)}",
}


def make_players(count: int) -> list[int]:
    """People with names nobody has, and no way to sign in."""
    prefix, joined = secrets.token_hex(2), timezone.now() - timedelta(days=DAYS + 1)
    names = [f"{_STARS[number % len(_STARS)]}-{prefix}-{number}" for number in range(count)]
    players = [
        User(username=name, name_key=name_key(name), password="!", date_joined=joined)  # noqa: S106  fits no password
        for name in names
    ]
    User.objects.bulk_create(players, batch_size=_AT_ONCE)
    return list(User.objects.filter(username__in=names).order_by("pk").values_list("pk", flat=True))


def write(rows: Iterable[dict[type[Model], list[Row]]]) -> Iterator[int]:
    """Write what comes, some thousands at a time; says how many of them are written."""
    coming, written = iter(rows), 0
    while some := list(islice(coming, _AT_ONCE)):
        for table in some[0]:
            _copy(table, [row for each in some for row in each[table]])
        written += len(some)
        yield written


def _copy(table: type[Model], rows: list[Row]) -> None:
    columns = ", ".join(f'"{column}"' for column in _COLUMNS[table].split())
    with connection.cursor() as cursor:
        statement = f'COPY "{table._meta.db_table}" ({columns}) FROM STDIN'
        with cursor.copy(statement) as copy:  # psycopg's own
            for row in rows:
                copy.write_row(row)


def finish() -> None:
    """Bring the points to the players' rows, and have PostgreSQL look at what it now holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE players_user SET points = s.points FROM ratings_standing s"
            " WHERE s.player_id = players_user.id AND s.ladder = %s AND s.period = %s"
            " AND s.points <> players_user.points",
            [Ladder.GENERAL.value, ALL_TIME],
        )
        cursor.execute("VACUUM ANALYZE")
