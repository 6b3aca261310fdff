"""Suspending a player: what it ends at once, what the player is told, and how it ends itself (R5.7, R8.4)."""

import asyncio
import re
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.apps import apps
from django.test import Client
from django.utils import timezone

from lobby import services as lobby
from lobby.models import Challenge, Invitation, Seek
from matches.core.machine import Refused
from numbers_site.asgi import application
from players import audit, moderation
from players.models import AuditRow, Suspension, User
from players.problems import Problem
from ratings.services import count
from tests.builders import Api, Duel, bearer, person, signed_in, terms_of
from tests.threads import rounds, together

pytestmark = pytest.mark.django_db

PASSWORD = "a fine long password"
WHY = "Plays with a computer at hand."


@pytest.fixture
def ada() -> User:
    return person("ada", password=PASSWORD)


@pytest.fixture
def root() -> User:
    return person("root", is_staff=True, is_superuser=True)


def suspend(player: User, by: User | None = None, **more: Any) -> Suspension:
    return moderation.suspend(player, by, WHY, **more)


def tomorrow() -> Any:
    return timezone.now() + timedelta(days=1)


# What it ends (R5.7)


def test_running_matches_are_decided_for_the_opponent_at_once() -> None:
    duel = Duel().arrive(0, 1)
    suspend(duel.players[0])
    assert duel.ending == ("win", 1, "adjudicated")


def test_what_was_lost_so_moves_the_ladder_as_any_loss_does() -> None:
    duel = Duel().arrive(0, 1).start()
    suspend(duel.players[0])
    count(duel.id)
    assert User.objects.get(username="bob").points == 10


def test_seeks_challenges_and_links_are_withdrawn(ada: User) -> None:
    bob = person("bob")
    lobby.open_seek(ada, terms_of(), lasting=True)
    lobby.challenge(ada, bob, terms_of())
    lobby.challenge(bob, ada, terms_of())
    lobby.invite(ada, terms_of())
    suspend(ada)
    assert not Seek.objects.filter(fate="open").exists()
    assert not Challenge.objects.filter(fate="open").exists()
    assert not Invitation.objects.exists()


def test_nobody_suspended_comes_back_by_a_rematch() -> None:
    duel = Duel().arrive(0, 1).end()
    duel.do(0, "rematch")
    suspend(duel.players[0])
    assert duel.refused(1, "rematch") == "closed"


def test_what_slips_in_beside_a_suspension_is_ended_by_the_next_sweep(ada: User) -> None:
    suspend(ada)
    duel = Duel(players=(ada, person("bob"))).arrive(0, 1)
    moderation.sweep()
    assert duel.ending == ("win", 1, "adjudicated")


def test_one_that_fails_keeps_no_other_from_its_end(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    bob, until = person("bob"), timezone.now() + timedelta(hours=1)
    for player in (ada, bob):
        suspend(player, until=until)
    Suspension.objects.update(until=timezone.now())
    lock = moderation._lock

    def broken(player_id: int) -> User:
        if player_id == ada.pk:
            raise RuntimeError("not this one")
        return lock(player_id)

    monkeypatch.setattr(moderation, "_lock", broken)
    moderation.sweep()
    assert [User.objects.get(pk=player.pk).is_active for player in (ada, bob)] == [False, True]


def test_who_was_closed_before_suspensions_were_kept_can_be_let_in_again(ada: User) -> None:
    bob = person("bob")
    suspend(bob)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    import_module("players.migrations.0005_closed_before").write_down(apps, None)
    assert Suspension.objects.filter(player=bob).count() == 1
    moderation.lift(ada, None, "Long ago.")
    assert User.objects.get(pk=ada.pk).is_active


@pytest.mark.django_db(transaction=True)
@rounds(3, 20)
def test_a_guess_and_a_suspension_at_once_leave_one_end_and_a_lost_match(rounds: int) -> None:
    for number in range(rounds):
        players = person(f"ada-{number}"), person(f"bob-{number}")
        duel = Duel(players=players).arrive(0, 1).start()
        outcomes = together(
            partial(duel.guess, 0, duel.secret(1)),
            partial(suspend, players[0]),
        )
        assert not [found for found in outcomes if isinstance(found, str) and found != "match_over"]
        assert duel.kinds.count("over") == 1
        assert duel.ending in (("win", 0, "broken"), ("win", 1, "adjudicated"))
        assert not User.objects.get(pk=players[0].pk).is_active


@pytest.mark.django_db(transaction=True)
@rounds(3, 15)
def test_two_who_play_each_other_can_be_suspended_at_once(rounds: int) -> None:
    for number in range(rounds):
        players = person(f"ada-{number}"), person(f"bob-{number}")
        duel = Duel(players=players).arrive(0, 1).start()
        outcomes = together(*(partial(suspend, player) for player in players))
        assert all(isinstance(found, Suspension) for found in outcomes), outcomes
        assert duel.kinds.count("over") == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_moderators_at_once_one_suspends(ada: User) -> None:
    outcomes = together(lambda: suspend(ada), lambda: suspend(ada))
    assert sorted(isinstance(found, Suspension) for found in outcomes) == [False, True]
    assert "already_ready" in outcomes
    assert AuditRow.objects.filter(act=moderation.SUSPENDED).count() == 1


# What the player is told


def test_a_token_is_refused_with_the_reason_and_the_end(ada: User) -> None:
    api = Api(ada)
    until = timezone.now().replace(2030, 5, 17, 9, 30)
    suspend(ada, until=until)
    for answer in (api.get("/account"), api.get("/matches?mine=live"), api.post("/seeks", {})):
        assert (answer.status, answer.code) == (403, "suspended")
        assert WHY in answer.body["detail"]
        assert "17 May 2030, 09:30 UTC" in answer.body["detail"]


def test_an_account_that_is_closed_without_a_suspension_is_nobodys(ada: User) -> None:
    api = Api(ada)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert api.get("/account").code == "not_signed_in"


async def open_status(headers: list[tuple[bytes, bytes]], path: str) -> bool:
    communicator = WebsocketCommunicator(application, path, headers)
    opened, _ = await communicator.connect()
    await communicator.disconnect()
    return bool(opened)


@pytest.mark.django_db(transaction=True)
async def test_a_token_of_a_suspended_player_opens_no_socket() -> None:
    ada = await asyncio.to_thread(person, "ada")
    token = (await asyncio.to_thread(bearer, ada))["Authorization"].encode()
    await asyncio.to_thread(suspend, ada)
    assert not await open_status([(b"authorization", token)], "/ws/v1/lobby/")


def sign_in(client: Client, password: str = PASSWORD) -> str:
    return client.post("/account/signin/", {"login": "ada", "password": password}).content.decode()


def test_signing_in_says_why_and_until_when(ada: User) -> None:
    until = timezone.now().replace(2030, 5, 17, 9, 30)
    suspend(ada, until=until)
    page = sign_in(Client())
    assert WHY in page
    assert "17 May 2030, 09:30 UTC" in page
    assert "_auth_user_id" not in Client().session


def test_who_does_not_know_the_password_learns_nothing_of_the_suspension(ada: User) -> None:
    suspend(ada)
    assert WHY not in sign_in(Client(), "something else entirely")


def test_a_page_that_is_open_says_so_too_whatever_is_asked_and_can_be_left(ada: User) -> None:
    client = signed_in(ada)
    suspend(ada)
    for path in ("/", "/account/", "/lobby/", "/rules/"):
        page = client.get(path)
        assert page.status_code == 403
        assert WHY in page.content.decode()
    assert client.post("/account/signout/").status_code == 302
    assert client.get("/").status_code == 200


def test_a_pages_cookie_is_refused_by_the_interface_as_well(ada: User) -> None:
    client = signed_in(ada)
    suspend(ada)
    assert Api(client=client).get("/account").code == "suspended"


def test_a_reason_is_shown_as_text(ada: User) -> None:
    client = signed_in(ada)
    moderation.suspend(ada, None, "<img src=x onerror=alert(1)>")
    assert "<img src=x" not in client.get("/").content.decode()


# How it ends


def test_it_ends_by_itself_and_the_session_goes_on(ada: User) -> None:
    client = signed_in(ada)
    suspension = suspend(ada, until=tomorrow())
    Suspension.objects.filter(pk=suspension.pk).update(until=timezone.now() - timedelta(seconds=1))
    moderation.sweep()
    assert User.objects.get(pk=ada.pk).is_active
    assert client.get("/account/").context["player"] == ada


def test_whoever_comes_before_the_sweep_is_let_in_all_the_same(ada: User) -> None:
    suspension = suspend(ada, until=tomorrow())
    Suspension.objects.filter(pk=suspension.pk).update(until=timezone.now() - timedelta(seconds=1))
    assert moderation.suspension_of(ada.pk) is None
    assert User.objects.get(pk=ada.pk).is_active


def test_one_for_good_stays_until_it_is_lifted(ada: User, root: User) -> None:
    suspend(ada, root)
    moderation.sweep()
    assert not User.objects.get(pk=ada.pk).is_active
    moderation.lift(ada, root, "A mistake.")
    assert User.objects.get(pk=ada.pk).is_active
    with pytest.raises(Problem, match="closed"):
        moderation.lift(ada, root, "Once more.")


@pytest.mark.parametrize("seconds", [0, -1])
def test_an_end_in_the_past_is_none(ada: User, seconds: int) -> None:
    with pytest.raises(Problem, match="invalid"):
        suspend(ada, until=timezone.now() + timedelta(seconds=seconds))


# Who may, and the log


def test_nobody_suspends_staff_bots_of_ours_or_themselves(ada: User, root: User) -> None:
    easy = User.objects.filter(username="Easy").first() or person("Easy", kind="bot")  # type: ignore[arg-type]
    staff = person("cleo", is_staff=True)
    for player, by in ((root, staff), (easy, root), (root, root), (ada, staff), (ada, ada)):
        with pytest.raises(Problem, match="forbidden"):
            suspend(player, by)
    suspend(staff, root)


def test_an_act_is_logged_with_who_what_why_and_when(ada: User, root: User) -> None:
    until = tomorrow()
    suspend(ada, root, until=until)
    row = AuditRow.objects.get()
    assert (row.actor, row.act, row.kind, row.key, row.name, row.reason) == (
        *("root", "suspended", "players.user", str(ada.pk), "ada", WHY),
    )
    assert row.after == {"until": until.isoformat()}


def test_the_log_only_grows(ada: User) -> None:
    row = audit.record(None, moderation.NOTED, ada)
    for change in (
        lambda: row.save(),
        lambda: row.delete(),
        lambda: AuditRow.objects.update(reason="none"),
        lambda: AuditRow.objects.all().delete(),
    ):
        with pytest.raises(TypeError):
            change()


@pytest.mark.postgres
@pytest.mark.parametrize(
    "statement", ["UPDATE players_auditrow SET reason = ''", "DELETE FROM players_auditrow"]
)
def test_nor_can_it_be_changed_past_the_program(ada: User, statement: str) -> None:
    from django.db import DatabaseError, connection, transaction

    audit.record(None, moderation.NOTED, ada)
    with (
        pytest.raises(DatabaseError, match="only grows"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


def test_what_is_logged_outlives_player_and_moderator(ada: User, root: User) -> None:
    suspend(ada, root)
    ada.delete()
    root.delete()
    assert AuditRow.objects.get().name == "ada"


def test_a_refused_act_is_not_logged(ada: User) -> None:
    with pytest.raises(Problem):
        moderation.rename(ada, None, "no good name", "")
    assert not AuditRow.objects.exists()


# Names


def test_a_new_name_is_checked_as_at_sign_up_and_the_old_one_noted(ada: User, root: User) -> None:
    person("bob")
    for name, code in (("b0b", "taken"), ("x", "invalid"), ("admin", "invalid"), ("a b", "invalid")):
        with pytest.raises(Problem, match=code):
            moderation.rename(ada, root, name, "Offensive.")
        assert ada.username == "ada"
    moderation.rename(ada, root, "cleo", "Offensive.")
    assert User.objects.get(pk=ada.pk).username == "cleo"
    row = AuditRow.objects.get()
    assert (row.before, row.after) == ({"name": "ada"}, {"name": "cleo"})


# Sign-ins


def test_the_first_request_of_a_day_is_noted_and_its_address_cannot_be_read(ada: User) -> None:
    client = signed_in(ada, headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"})
    for _ in range(2):
        client.get("/account/", REMOTE_ADDR="203.0.113.7")
    (noted,) = ada.sign_ins.all()
    assert noted.device == "Firefox, Linux"
    assert re.fullmatch("[0-9a-f]{16}", noted.address)


def test_one_address_is_one_and_a_household_of_ipv6_is_one_too(ada: User) -> None:
    for address in ("203.0.113.7", "203.0.113.7", "203.0.113.8", "2001:db8:1:2::1", "2001:db8:1:2::9", "odd"):
        signed_in(ada).get("/account/", REMOTE_ADDR=address)
    found = list(ada.sign_ins.order_by("pk").values_list("address", flat=True))
    assert found[0] == found[1] != found[2]
    assert found[3] == found[4]


def test_sign_ins_are_forgotten_after_ninety_days(ada: User) -> None:
    from players.tasks import forget_sessions

    signed_in(ada).get("/account/")
    signed_in(ada).get("/account/")
    old = ada.sign_ins.earliest("pk")
    ada.sign_ins.filter(pk=old.pk).update(at=timezone.now() - timedelta(days=91))
    forget_sessions()
    assert list(ada.sign_ins.all()) == [ada.sign_ins.latest("pk")]


def test_a_match_that_is_over_stays_as_it_ended() -> None:
    duel = Duel().arrive(0, 1).end()
    ending = duel.ending
    suspend(duel.players[0])
    assert duel.ending == ending
    with pytest.raises(Refused):
        duel.do(0, "resign")
