"""Matches that have ended as a test wants them, and rows by the thousand. Asks nothing of a folder but ratings."""

from typing import Any

from django.db.models import Sum

from bots.core.levels import Level
from bots.services import bot_named
from matches import store
from matches.core.machine import Adjudicate
from matches.models import Match
from matches.services import act
from players.models import User
from ratings import services
from ratings.models import ALL_TIME, Cause, Ladder, LedgerRow, Result, Standing
from tests.builders import Duel


def easy() -> User:
    """A bot, as the site has it."""
    return bot_named(Level.EASY)


def guess_with(secret: str, in_place: int) -> str:
    """A guess that has its first digits in place, and no other."""
    return secret[:in_place] + "".join(str((int(digit) + 1) % 10) for digit in secret[in_place:])


def lose(duel: Duel, in_place: int | None) -> Duel:
    """Seat 0 plays one guess, with so many in place, or none at all, and resigns."""
    duel.start()
    if in_place is not None:
        duel.guess(0, guess_with(duel.secret(1), in_place))
    return duel.end()


def counted(duel: Duel) -> Duel:
    services.count(duel.id)
    return duel


def lost(players: tuple[User, User], in_place: int | None = 3, preset: str = "duel", **asked: Any) -> Duel:
    """The first of these two has lost to the second, and it is counted."""
    return counted(lose(Duel(preset, players=players, **asked), in_place))


def adjudicate(duel: Duel, winner: int | None) -> Duel:
    """A moderator's word ends it."""
    act(duel.id, Adjudicate(winner))
    return duel


def ended_in(duel: Duel, ms: int) -> Duel:
    """Move the end of a match to an instant of our choice."""
    result = duel.state.result
    assert result is not None
    return duel.wait(result.at - ms)


def points(*players: User) -> list[int]:
    return list(
        User.objects.filter(pk__in=[p.pk for p in players]).order_by("pk").values_list("points", flat=True)
    )


def sums_agree() -> None:
    """R6.5: every total is the sum of its rows, and no sum on the way was below zero (R6.3); months are what the
    matches that count have moved."""
    for standing in Standing.objects.select_related("player"):
        rows = LedgerRow.objects.filter(player=standing.player, ladder=standing.ladder).order_by("number")
        if standing.period == ALL_TIME:
            total = 0
            for number, row in enumerate(rows, start=1):
                total += row.change
                assert (row.number, row.total) == (number, total)
                assert total >= 0
            assert (standing.points, standing.rows) == (total, rows.count())
            if standing.ladder == Ladder.GENERAL:
                assert standing.player.points == total
    for ladder in Ladder:
        rows = LedgerRow.objects.filter(ladder=ladder)
        undone = set(rows.filter(cause=Cause.REVERSED).values_list("match", "decision"))
        moved = rows.filter(cause__in=(Cause.WON, Cause.LOST))
        changes = sum(row.change for row in moved if (row.match_id, row.decision) not in undone)
        months = Standing.objects.filter(ladder=ladder).exclude(period=ALL_TIME)
        assert (months.aggregate(sum=Sum("points"))["sum"] or 0) == changes


def many_results(player: User, opponent: User, count: int) -> None:
    """So many finished matches of two players, as rows of the database only; each five end at the same instant."""
    sample = counted(lose(Duel(players=(player, opponent)), 2)).row
    at = int(sample.ended_at.timestamp() * 1000) if sample.ended_at else 0
    ids = [f"x{number:07d}" for number in range(1, count)]
    Match.objects.bulk_create(
        Match(
            **{
                field.attname: getattr(sample, field.attname)
                for field in Match._meta.concrete_fields
                if field.attname not in ("id", "ended_at", "rematch_of_id")
            },
            id=match_id,
            ended_at=store.instant(at - 1000 * (number // 5)),
        )
        for number, match_id in enumerate(ids, start=1)
    )
    copied = [
        Result(
            **{
                field.attname: getattr(result, field.attname)
                for field in Result._meta.concrete_fields
                if field.attname not in ("id", "match_id", "ended_at")
            },
            match_id=match_id,
            ended_at=at - 1000 * (number // 5),
        )
        for result in Result.objects.filter(match=sample)
        for number, match_id in enumerate(ids, start=1)
    ]
    Result.objects.bulk_create(copied)


def many_standings(count: int, points_of: Any = lambda number: 1000 - number // 3) -> list[User]:
    """So many players on the general ladder, in threes with the same points."""
    players = User.objects.bulk_create(
        User(username=f"rival-{number}", name_key=f"rival-{number}", points=points_of(number))
        for number in range(count)
    )
    Standing.objects.bulk_create(
        Standing(player=player, ladder=Ladder.GENERAL, period=ALL_TIME, points=player.points)
        for player in players
    )
    return players
