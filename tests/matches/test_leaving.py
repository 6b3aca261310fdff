"""Players who go for good: live matches end, finished ones stay for the others (R5.7, D26); guests are forgotten."""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from bots.core.levels import Level
from bots.services import bot_named
from lobby import services as lobby
from lobby.models import Challenge, Invitation, Seek
from matches import services
from matches.models import Match, Seat
from players.models import Kind, User
from players.services import IDLE, seen
from tests.builders import (
    Api,
    Duel,
    Page,
    bearer,
    invitation_of,
    people,
    person,
    signed_in,
    terms_of,
    the_one,
)
from tests.matches.conftest import Dial
from tests.matches.lines import by_cookie
from tests.threads import together

pytestmark = pytest.mark.django_db
PASSWORD = "correct-horse-9"


def leave(player: User, client: Client | None = None) -> Page:
    fields = {"name": player.username} if player.kind == Kind.GUEST else {"password": PASSWORD}
    return (client or signed_in(player)).post("/account/delete/", fields)


def by_page(player: User) -> None:
    assert leave(player)["Location"] == "/account/"


def one_by_one(player: User) -> None:
    admin = signed_in(person("root", is_staff=True, is_superuser=True))
    assert admin.post(f"/admin/players/user/{player.pk}/delete/", {"post": "yes"}).status_code == 302


def in_bulk(player: User) -> None:
    admin = signed_in(person("root", is_staff=True, is_superuser=True))
    chosen = {"action": "delete_selected", "_selected_action": [player.pk, person("eve").pk], "post": "yes"}
    assert admin.post("/admin/players/user/", chosen).status_code == 302
    assert not User.objects.filter(username="eve").exists()


WAYS = pytest.mark.parametrize("go", [by_page, one_by_one, in_bulk])


@WAYS
@pytest.mark.parametrize("stage", ["choosing", "confirming", "playing"])
def test_live_matches_are_won_by_the_opponent(go: Callable[[User], None], stage: str) -> None:
    """R5.7, D26: whoever deletes the player, and at whatever stage."""
    ada, bob = person("ada", password=PASSWORD), person("bob")
    duel = Duel("classic", players=(ada, bob))
    if stage == "confirming":
        duel.commit(0)
        duel.commit(1)
    if stage == "playing":
        duel.start()
    other = Duel(players=(bob, ada))
    go(ada)
    assert not User.objects.filter(username="ada").exists()
    assert (duel.ending, other.ending) == (("win", 1, "resigned"), ("win", 0, "resigned"))


@WAYS
def test_finished_matches_stay_for_the_others(go: Callable[[User], None]) -> None:
    """D26: bob's matches stand as they were, with ada as a deleted player."""
    ada, bob = person("ada", password=PASSWORD), person("bob")
    duels = [Duel(players=(ada, bob), public=False).start().end() for _ in range(3)]
    before = [Api(bob).get(f"/matches/{duel.id}").body for duel in duels]
    go(ada)
    for duel, was in zip(duels, before, strict=True):
        now = Api(bob).get(f"/matches/{duel.id}").body
        assert now["result"] == was["result"]
        assert now["seats"][0] == {
            **was["seats"][0],
            "player": {"name": "deleted player", "kind": "human", "points": 0},
        }
        page = signed_in(bob).get(f"/m/{duel.id}/")
        assert page.status_code == 200
        assert "deleted player" in page.content.decode()


def test_a_page_names_a_deleted_player_in_its_own_language() -> None:
    from matches.presenters import DELETED, Face

    with translation.override("it"):
        assert Face("ada", "human", 0).shown == "ada"
        assert Face(DELETED, "human", 0).shown == translation.gettext("deleted player")


@WAYS
def test_links_seeks_and_challenges_lead_nowhere_any_more_and_the_name_is_free(
    go: Callable[[User], None],
) -> None:
    ada = person("ada", password=PASSWORD)
    link, headers, client = invitation_of(ada), bearer(ada), signed_in(ada)
    cleo = person("cleo")
    lobby.open_seek(ada, terms_of(), lasting=True)
    lobby.challenge(ada, cleo, terms_of())
    lobby.challenge(cleo, ada, terms_of())
    go(ada)
    assert not Seek.objects.exists()
    assert not Challenge.objects.exists()
    assert Client().get(f"/i/{link.token}/").status_code == 404
    assert not Invitation.objects.exists()
    assert Api(client=Client(headers=headers)).get("/matches?mine=live").status == 401
    assert client.get("/account/tokens/").status_code == 302
    assert person("ada").pk != ada.pk


def test_the_admin_shows_no_key_of_what_it_deletes() -> None:
    """A session's key is as good as a password."""
    ada = person("ada")
    key = signed_in(ada).session.session_key
    admin = signed_in(person("root", is_staff=True, is_superuser=True))
    page = admin.get(f"/admin/players/user/{ada.pk}/delete/").content.decode()
    assert "Are you sure" in page
    assert str(key) not in page


def test_only_the_owner_deletes_an_account() -> None:
    ada = person("ada", password=PASSWORD)
    client = signed_in(ada)
    for wrong in ({}, {"password": ""}, {"password": "wrong"}, {"name": "ada"}):
        assert client.post("/account/delete/", wrong).status_code == 200
    assert client.get("/account/delete/").status_code == 200
    assert the_one() == ada


def test_a_guest_confirms_by_typing_the_name() -> None:
    guest = person("Vega-4821", Kind.GUEST)
    client = signed_in(guest)
    for wrong in ("", "vega", "Vega-4822"):
        assert client.post("/account/delete/", {"name": wrong}).status_code == 200
    assert leave(guest, client).status_code == 302
    assert not people()


def test_a_deletion_that_fails_leaves_every_match_as_it_was() -> None:
    ada = person("ada")
    duel = Duel(players=(ada, person("bob"))).start()
    with transaction.atomic():
        ada.delete()
        transaction.set_rollback(True)
    assert duel.ending is None
    assert User.objects.filter(username="ada").exists()


@pytest.mark.django_db(transaction=True)
def test_the_opponent_sees_the_end_and_open_sockets_of_the_deleted_break_nothing(dial: Dial) -> None:
    ada, bob = person("ada", password=PASSWORD), person("bob")
    duel = Duel(players=(ada, bob)).start()
    hers, his = dial(duel, ada), dial(duel, bob)
    hers.next("match")
    his.next("match")
    by_page(ada)
    over = his.event("over")
    assert (over["result"]["reason"], over["result"]["winner"]) == ("resigned", 1)
    assert his.ask("rematch")["type"] == "ok"
    assert hers.ask("rematch")["type"] in ("ok", "refused")
    hers.close()
    assert his.ask("say", phrase=1)["type"] in ("ok", "refused")
    assert Match.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_both_leaving_at_once_end_their_matches_once() -> None:
    ada, bob = person("ada"), person("bob")
    duels = [Duel(players=(ada, bob)).start() for _ in range(5)]
    assert together(ada.delete, bob.delete)[0]
    for duel in duels:
        ending = duel.ending
        assert ending is not None
        assert (ending[0], ending[2]) == ("win", "resigned")
        assert duel.kinds.count("over") == 1
    assert not people()


def test_opponents_of_what_is_still_to_be_counted_are_locked_too() -> None:
    """It is counted for both on the way out: in one order with all who leave meanwhile."""
    ada, bob, cleo, dan = (person(name) for name in ("ada", "bob", "cleo", "dan"))
    Duel(players=(ada, bob)).start().end()
    counted = Duel(players=(dan, ada)).start().end()
    Match.objects.filter(pk=counted.id).update(counted=True)
    Duel(players=(cleo, ada)).start()
    with CaptureQueriesContext(connection) as asked, transaction.atomic():
        services.lock_with_opponents(ada)
    (locking,) = [query["sql"] for query in asked if "players_user" in query["sql"]]
    among = re.findall(r"IN \(([\d, ]+)\)", locking)
    assert {int(key) for key in among[-1].split(",")} == {ada.pk, bob.pk, cleo.pk}


# Guests who are forgotten


def guest(name: str, days: float) -> User:
    return person(name, Kind.GUEST, last_seen_at=timezone.now() - timedelta(days=days))


def names() -> set[str]:
    return {one.username for one in people()}


def test_a_guest_who_has_been_away_for_thirty_days_is_forgotten_and_nobody_else() -> None:
    guest("Vega-1000", IDLE.days + 1)
    guest("Vega-2000", IDLE.days - 1)
    person("ada", last_seen_at=timezone.now() - timedelta(days=900))
    for level in Level:
        bot_named(level)
    User.objects.filter(kind=Kind.BOT).update(last_seen_at=timezone.now() - timedelta(days=900))
    assert services.forget_guests() == 1
    assert User.objects.filter(kind=Kind.BOT).count() == 3
    assert names() == {"Vega-2000", "ada"}


def test_a_guest_who_is_playing_is_kept_and_the_match_with_one_who_is_not() -> None:
    playing, played = guest("Vega-1000", 31), guest("Vega-2000", 31)
    live = Duel(players=(playing, person("bob"))).start()
    over = Duel(players=(played, User.objects.get(username="bob"))).start().end()
    services.forget_guests()
    assert names() == {"Vega-1000", "bob"}
    assert live.ending is None
    assert Api(User.objects.get(username="bob")).get(f"/matches/{over.id}").body["seats"][0]["player"][
        "name"
    ] == ("deleted player")
    live.end()
    services.forget_guests()
    assert names() == {"bob"}


def test_the_longest_away_go_first_a_few_at_a_time() -> None:
    for number in range(25):
        guest(f"Vega-{1000 + number}", 31 + number)
    assert services.forget_guests() == 20
    assert names() == {f"Vega-{1000 + number}" for number in range(5)}
    assert services.forget_guests() == 5
    with CaptureQueriesContext(connection) as asked:
        assert services.forget_guests() == 0
    assert len(asked) == 1


@pytest.mark.django_db(transaction=True)
def test_a_seat_that_an_older_program_has_left_running_keeps_nobody() -> None:
    gone = guest("Vega-1111", days=31)
    duel = Duel(players=(gone, person("cleo"))).start()
    going_on = Duel().start()
    duel.end()
    Seat.objects.filter(match=duel.id).update(live=True)
    User.objects.filter(pk=gone.pk).update(last_seen_at=timezone.now() - timedelta(days=31))
    assert services.mend_seats() == 2
    assert services.forget_guests() == 1
    assert set(Seat.objects.filter(live=True).values_list("match", flat=True)) == {going_on.id}


def test_a_socket_is_a_sign_of_life(dial: Dial) -> None:
    """By cookie as by token."""
    back, token = guest("Vega-1000", 31), guest("Vega-2000", 31)
    duel = Duel(players=(back, token))
    dial(duel, headers=by_cookie(back)).next("match")
    dial(duel, token).next("match")
    assert not User.objects.filter(last_seen_at__lt=timezone.now() - timedelta(minutes=1)).exists()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_guest_who_comes_back_this_moment_stays_or_knows_to_be_gone() -> None:
    """Never half: seen, and deleted all the same."""
    for number in range(20):
        back = guest(f"Vega-{1000 + number}", 31)
        stayed, forgotten = together(partial(seen, back), services.forget_guests)
        assert stayed is not bool(forgotten)
        assert User.objects.filter(pk=back.pk).exists() is stayed
