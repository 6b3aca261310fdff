"""Tournaments for tests, made and moved by the site's own verbs."""

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

from django.utils import timezone

from matches import services as matches
from matches import store as match_rows
from matches.core.machine import Refused, Resign
from matches.models import Match
from players.models import User
from tests.builders import person, terms_of
from tournaments import queries, services
from tournaments.core.machine import State
from tournaments.models import Entry, Pairing, Tournament
from tournaments.services import Plan


def people(count: int, prefix: str = "player") -> list[User]:
    return [person(f"{prefix}-{number}") for number in range(count)]


def plan(name: str = "Monday knockout", *, ahead: float = 600, preset: str = "duel", **fields: Any) -> Plan:
    return Plan(name, terms_of(preset), timezone.now() + timedelta(seconds=ahead), **fields)


class Cup:
    """A tournament with these entered, moved by its sweep. `boss` has made it and does not play."""

    def __init__(self, players: list[User], boss: User | None = None, **fields: Any) -> None:
        self.boss = boss or person("boss")
        self.players = players
        self.id = services.make(self.boss, plan(**fields)).pk
        for player in players:
            services.join(self.id, player, self.row.code)

    @property
    def row(self) -> Tournament:
        return Tournament.objects.get(pk=self.id)

    @property
    def state(self) -> State:
        return queries.load(self.id).state

    def hour_comes(self) -> "Cup":
        """Its start is now, as if the time till then had passed."""
        now = match_rows.now_ms()
        row = Tournament.objects.filter(pk=self.id)
        row.update(starts_at=match_rows.instant(now - 1), due_at=now - 1)
        return self

    def start(self) -> "Cup":
        self.hour_comes()
        services.sweep()
        return self

    def pairings(self) -> list[Pairing]:
        """Those of the current round."""
        rows = Pairing.objects.filter(round__tournament=self.id).select_related("match", "round")
        rounds = self.row.rounds.count()
        return list(rows.filter(round__number=rounds).prefetch_related("places__entry__player"))

    def open_pairings(self) -> list[Pairing]:
        return [pairing for pairing in self.pairings() if not pairing.decided]

    def entry(self, player: User) -> Entry:
        return Entry.objects.get(tournament=self.id, player=player)

    def pairing_of(self, player: User) -> tuple[Pairing, int]:
        """Where this player plays now, and in which seat."""
        for pairing in self.pairings():
            for place in pairing.places.all():
                if place.entry.player_id == player.pk:
                    return pairing, place.seat
        raise AssertionError(f"{player} is not drawn")

    def champion(self) -> User | None:
        champion = self.row.champion
        return champion.player if champion else None


def lose(match_id: str, seat: int) -> None:
    matches.act(match_id, Resign(seat))


def lose_if_on(match_id: str, seat: int) -> None:
    try:
        lose(match_id, seat)
    except Refused:
        return


def play_on(cup: Cup, chance: Random, lose: Callable[[str, int], None] = lose) -> None:
    """Every match that is on is lost by one of the two; against the bot, the bot loses."""
    for pairing in cup.open_pairings():
        assert pairing.match_id is not None
        lose(pairing.match_id, 1 if pairing.against_bot else chance.randrange(2))


def live_matches(cup: Cup) -> int:
    return Match.objects.filter(pairing__round__tournament=cup.id).exclude(status="over").count()
