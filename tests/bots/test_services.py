"""Bots at a real match: they choose, confirm, guess, take every rematch, and know no more than they may (R7)."""

from typing import Any

import pytest
from django.conf import settings

from bots import services
from bots.core.levels import Level
from bots.models import BotGame
from bots.services import NAMES, bot_named
from matches import store
from matches.core.machine import Status
from matches.models import Match
from matches.signals import match_made, match_moved
from numbers_site import wiring
from players.models import Kind, User
from tests.builders import ALL_TERMS, Api, Duel, person, signed_in, terms_of

pytestmark = pytest.mark.django_db(transaction=True)

BOT = 1


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "BOT_DELAY", (0, 0))


def against(level: str = "easy", preset: str = "duel", **asked: Any) -> Duel:
    """Ada against a bot; she moves first."""
    return Duel(preset, players=(person("ada"), bot_named(level)), **asked)


def play_on(duel: Duel) -> Duel:
    """Ada guesses wrong until the bot has won."""
    for _ in range(40):
        if duel.state.status is Status.OVER:
            return duel
        duel.guess(0, duel.wrong())
    raise AssertionError("the bot does not find it")


@pytest.mark.parametrize("level", NAMES)
@pytest.mark.parametrize(("preset", "asked"), ALL_TERMS)
def test_a_whole_match_and_its_rematch(level: str, preset: str, asked: dict[str, Any]) -> None:
    """R7, R5.6"""
    duel = against(level, preset, **asked)
    assert duel.state.seats[BOT].ready
    duel.commit(0)
    if preset == "classic":
        duel.do(0, "confirm")
    assert play_on(duel).ending == ("win", BOT, "broken")
    duel.do(0, "rematch")
    again = duel.follow()
    assert again.players == duel.players
    assert again.state.first == BOT
    assert again.state.seats[BOT].ready
    again.commit(0)
    if preset == "classic":
        again.do(0, "confirm")
    assert len(again.state.seats[BOT].guesses) == 1


def test_a_challenge_seats_the_bot_in_a_public_match() -> None:
    match = services.challenge(person("ada"), Level.HARD, terms_of("probe", length=5))
    players = [seat.player.username for seat in match.seats.select_related("player") if seat.player]
    assert (match.public, players) == (True, ["ada", "Hard"])


def test_a_bot_is_always_connected_and_commits_like_anybody() -> None:
    """R5.3"""
    seat = against().state.seats[BOT]
    assert seat.connected
    assert seat.salt is not None
    assert len(seat.salt) == 16


def test_the_three_are_players_nobody_can_sign_in_as() -> None:
    for level, name in NAMES.items():
        bot = bot_named(level)
        assert (bot.username, bot.kind, bot.has_usable_password()) == (name, Kind.BOT, False)


def test_a_bot_that_was_deleted_is_made_again() -> None:
    User.objects.filter(username="Easy").delete()
    assert bot_named("easy").kind == Kind.BOT


def test_a_move_waits_until_it_is_due_and_then_for_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    duel = against()
    monkeypatch.setattr(settings, "BOT_DELAY", (1, 4))
    duel.commit(0)
    before = store.now_ms()
    duel.guess(0, duel.wrong())
    game = BotGame.objects.get()
    assert game.due_at is not None
    assert 1000 <= game.due_at - before <= 4100
    assert services.sweep() == 0
    BotGame.objects.update(due_at=before)
    assert services.sweep() == 1
    assert len(duel.state.seats[BOT].guesses) == 1
    assert services.sweep() == 0


@pytest.fixture
def deaf() -> Any:
    """Nobody hears of matches: a process that died between the commit and the telling."""
    for signal in (match_made, match_moved):
        signal.disconnect(dispatch_uid="bots")
    yield
    wiring.connect()


def test_what_no_listener_heard_is_mended(deaf: None) -> None:
    """The match made, ada's guess, her wish for a rematch: each found by looking."""
    duel = against(preset="classic")

    def look() -> None:
        services.mend()
        services.sweep()

    look()
    assert duel.state.seats[BOT].ready
    duel.commit(0)
    look()
    duel.do(0, "confirm")
    assert duel.state.status is Status.PLAYING
    duel.guess(0, duel.wrong())
    look()
    assert len(duel.state.seats[BOT].guesses) == 1
    look()
    duel.do(0, "resign")
    duel.do(0, "rematch")
    look()
    assert duel.follow().state.first == BOT


def test_a_match_heard_of_twice_is_noted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """D9"""
    monkeypatch.setattr(settings, "BOT_DELAY", (2, 4))
    duel = against()
    due = BotGame.objects.get().due_at
    for _ in range(3):
        services.hear(duel.id, duel.state)
        services.mend()
    assert BotGame.objects.get().due_at == due


def test_a_match_without_a_bot_leaves_no_row() -> None:
    duel = Duel().start().end()
    services.mend()
    services.sweep()
    assert duel.state.status is Status.OVER
    assert not BotGame.objects.exists()


def test_a_game_is_forgotten_some_time_after_its_match_is_over() -> None:
    duel = against()
    duel.commit(0)
    duel.end()
    services.mend()
    assert BotGame.objects.count() == 1
    Match.objects.filter(pk=duel.id).update(ended_at=store.instant(store.now_ms() - services.FORGET_MS - 1))
    services.mend()
    assert not BotGame.objects.exists()
    duel.do(0, "rematch")
    assert duel.follow().state.seats[BOT].ready


def test_two_bots_play_each_other_by_the_sweep() -> None:
    duel = Duel(players=(bot_named("hard"), bot_named("easy")))
    for _ in range(100):
        services.sweep()
    assert duel.ending is not None
    assert duel.ending[2] == "broken"


def test_a_bot_answers_a_clock_that_is_nearly_down_without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """R7"""
    monkeypatch.setattr(settings, "BOT_DELAY", (1, 4))
    monkeypatch.setattr(settings, "BUDGET_SECONDS", (2,))
    duel = against(clock={"seconds": 2})
    duel.commit(0)
    duel.guess(0, duel.wrong())
    assert len(duel.state.seats[BOT].guesses) == 1


@pytest.mark.parametrize(("language", "said"), [("en", "Easy, bot"), ("it", ", bot")])
def test_the_page_says_who_is_a_bot_and_the_interface_what_it_is(language: str, said: str) -> None:
    duel = against()
    page = signed_in(duel.players[0]).get(f"/m/{duel.id}/", headers={"Accept-Language": language})
    assert said in page.content.decode()
    player = Api(duel.players[0]).get(f"/matches/{duel.id}").body["seats"][BOT]["player"]
    assert (player["name"], player["kind"]) == ("Easy", "bot")
