"""Sweeps at once, and workers that die in the middle: a bot moves once (D9, R7)."""

from typing import Any

import pytest
from django.conf import settings

from bots import services
from bots.models import BotGame
from bots.services import bot_named
from matches import services as matches
from matches import store
from tests.builders import Duel, person
from tests.threads import rounds, together

pytestmark = pytest.mark.django_db(transaction=True)

BOT = 1


@pytest.fixture
def duels(monkeypatch: pytest.MonkeyPatch) -> list[Duel]:
    """Matches in which a bot's move is due."""
    monkeypatch.setattr(settings, "BOT_DELAY", (3600, 3600))
    players = (person("ada"), bot_named("medium"))
    duels = [Duel(players=players) for _ in range(4)]
    make_due()
    services.sweep()
    for duel in duels:
        duel.commit(0)
        duel.guess(0, duel.wrong())
    make_due()
    return duels


def make_due() -> None:
    BotGame.objects.update(due_at=store.now_ms())


def moves(duels: list[Duel]) -> list[int]:
    return [len(duel.state.seats[BOT].guesses) for duel in duels]


@rounds(2, 10)
def test_five_sweeps_at_once_play_one_move_a_match(rounds: int, duels: list[Duel]) -> None:
    for n in range(1, rounds + 1):
        outcomes = together(*[services.sweep] * 5, services.mend)
        assert not any(isinstance(outcome, str) for outcome in outcomes), outcomes
        services.sweep()  # a worker passes over what another is at
        assert not BotGame.objects.exclude(due_at=None).exists()
        duels = [duel for duel in duels if duel.ending is None]
        assert moves(duels) == [n] * len(duels)
        for duel in duels:
            duel.guess(0, duel.wrong())
        make_due()


class Killed(BaseException):
    """What no `except Exception` holds up: the worker is gone."""


@pytest.mark.parametrize("after", [False, True], ids=["before the move", "after the move"])
def test_a_worker_that_dies_at_a_move_leaves_one_move(
    after: bool, duels: list[Duel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before its commit nothing has happened; a second try then plays what the first had chosen."""
    chosen: list[Any] = []
    obey = matches.obey

    def obey_and_die(*args: Any) -> Any:
        chosen.append(args)
        if after:
            obey(*args)
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(matches, "obey", obey_and_die)
        with pytest.raises(Killed):
            services.sweep()
    assert moves(duels) == [0] * 4
    services.sweep()
    services.sweep()
    assert moves(duels) == [1] * 4
    match_id, _, order = chosen[0]
    duel = next(duel for duel in duels if duel.id == match_id)
    assert duel.state.seats[BOT].guesses[0].code == order.code


def test_a_worker_that_dies_before_it_noted_its_own_move_moves_no_second_time(duels: list[Duel]) -> None:
    services.sweep()
    BotGame.objects.update(due_at=store.now_ms(), version=0)
    services.sweep()
    services.mend()
    assert moves(duels) == [1] * 4
    assert not BotGame.objects.exclude(due_at=None).exists()
