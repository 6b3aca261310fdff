"""The moderators' part of the admin: who may do what, what each act leads to, what nobody ever sees (issue 7, D26)."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from bots.core.levels import Level
from bots.services import bot_named
from lobby import services as lobby
from lobby.models import Seek
from matches import services as matches
from matches.models import Match
from players import moderation
from players.export import parts
from players.models import AuditRow, Note, Report, Suspension, User
from players.problems import Problem
from players.services import report
from ratings import services as ratings
from ratings.models import LedgerRow, Result, Standing
from tests.builders import Duel, person, signed_in, terms_of
from tests.moderation.builders import do, moderator, page, superuser

pytestmark = pytest.mark.django_db

LISTS = (
    "players/user/",
    "players/report/",
    "players/suspension/",
    "players/signin/",
    "players/auditrow/",
    "matches/match/",
    "ratings/ledgerrow/",
    "ratings/pattern/",
    "lobby/seek/",
    "lobby/challenge/",
)


@pytest.fixture
def mara() -> User:
    return moderator()


@pytest.fixture
def ada() -> User:
    return person("ada")


def played() -> Duel:
    """Ada has lost to bob, and it counts."""
    duel = Duel().arrive(0, 1).start().end()
    ratings.count(duel.id)
    return duel


# Who may come in


@pytest.mark.parametrize("path", ["", *LISTS])
def test_moderators_and_superusers_see_every_list_and_players_none(path: str, mara: User, ada: User) -> None:
    assert page(mara, path).status_code == 200
    assert page(superuser(), path).status_code == 200
    for other in (ada, None):
        assert page(other, path).status_code == 302


@pytest.mark.parametrize("language", ["en", "it"])
def test_every_page_of_a_row_opens_with_all_its_links(language: str, mara: User) -> None:
    duel = played()
    ada, bob = duel.players
    lobby.open_seek(ada, terms_of(), lasting=True)
    made = lobby.challenge(bob, ada, terms_of())
    told = report(bob, ada, duel.id, "cheating", "Too quick.")
    moderation.note(ada, mara, "Seen before.")
    suspension = moderation.suspend(bob, mara, "Pesters.")
    signed_in(ada).get("/account/")
    rows = {
        "players/user": ada.pk,
        "players/report": told.pk,
        "players/suspension": suspension.pk,
        "players/signin": ada.sign_ins.get().pk,
        "players/auditrow": AuditRow.objects.latest("pk").pk,
        "matches/match": duel.id,
        "ratings/ledgerrow": LedgerRow.objects.latest("pk").pk,
        "lobby/challenge": made.pk,
        "lobby/seek": Seek.objects.get().pk,
    }
    mara.language = language
    mara.save(update_fields=["language"])
    for kind, key in rows.items():
        assert page(mara, f"{kind}/{key}/change/").status_code == 200, kind
    shown = page(mara, f"players/user/{ada.pk}/change/").content.decode()
    for part in (duel.id, "Seen before.", "bob"):
        assert part in shown


def test_moderators_see_neither_addresses_nor_passwords(mara: User) -> None:
    ada = person("ada", email="ada@example.org", password="a fine long password")
    shown = page(mara, f"players/user/{ada.pk}/change/").content.decode()
    assert "ada@example.org" not in shown
    assert "argon2" not in shown
    assert "ada@example.org" in page(superuser(), f"players/user/{ada.pk}/change/").content.decode()
    assert "ada" not in page(mara, "players/user/?q=ada@example.org").context["cl"].result_list


@pytest.mark.parametrize("secretive", ["moderator", "superuser"])
def test_nobody_sees_a_number_under_way(secretive: str) -> None:
    viewer = moderator() if secretive == "moderator" else superuser()
    duel = Duel(length=5).arrive(0, 1).start()
    salts = [seat.salt.hex() for seat in duel.state.seats if seat.salt]
    for path in (
        f"matches/match/{duel.id}/change/",
        "matches/match/",
        f"players/user/{duel.players[0].pk}/change/",
    ):
        shown = page(viewer, path).content.decode()
        for hidden in (duel.secret(0), duel.secret(1), *salts):
            assert hidden not in shown
    duel.end()
    assert duel.secret(0) in page(viewer, f"matches/match/{duel.id}/change/").content.decode()


@pytest.mark.parametrize(
    "asked", ["secrets__contains=90718", "state__contains=9", "seats__player__password__startswith=a"]
)
def test_nothing_hidden_can_be_asked_for_by_a_filter(asked: str, mara: User) -> None:
    Duel()
    assert page(mara, f"matches/match/?{asked}").status_code in (302, 400)


# Acts


def test_suspending_asks_for_a_reason_and_an_end(mara: User, ada: User) -> None:
    assert do(mara, "players/user", ada.pk, "suspend", reason="", length="7").status_code == 422
    assert do(mara, "players/user", ada.pk, "suspend", length="until").status_code == 422
    assert not Suspension.objects.exists()
    assert do(mara, "players/user", ada.pk, "suspend", length="7").status_code == 302
    (suspension,) = Suspension.objects.all()
    assert suspension.until is not None
    assert (suspension.until - timezone.now()).days in (6, 7)
    assert suspension.by == mara
    assert do(mara, "players/user", ada.pk, "suspend", length="good").status_code == 422
    assert do(mara, "players/user", ada.pk, "lift").status_code == 302
    assert do(mara, "players/user", ada.pk, "suspend", length="good").status_code == 302
    assert Suspension.objects.latest("pk").until is None


def test_an_end_can_be_given_to_the_minute(mara: User, ada: User) -> None:
    given = {"length": "until", "until_0": "2031-02-03", "until_1": "04:05"}
    assert do(mara, "players/user", ada.pk, "suspend", **given).status_code == 302
    assert f"{Suspension.objects.get().until:%Y-%m-%d %H:%M}" == "2031-02-03 04:05"


def test_moderators_touch_neither_staff_nor_themselves_nor_bots_of_ours(mara: User) -> None:
    easy = bot_named(Level.EASY)
    for player in (superuser(), moderator("milo"), mara, easy):
        for act, fields in (
            ("suspend", {"length": "7"}),
            ("rename", {"name": "nobody-much"}),
            ("note", {"text": "x"}),
        ):
            assert do(mara, "players/user", player.pk, act, **fields).status_code == 403
    assert not AuditRow.objects.exists()


@pytest.mark.parametrize("act", ["suspend", "rename", "reset", "note"])
def test_players_reach_no_act(act: str, ada: User) -> None:
    bob = person("bob")
    assert do(ada, "players/user", bob.pk, act, length="7", name="cleo", text="x").status_code == 302
    assert not AuditRow.objects.exists()


def test_moderators_edit_no_row(mara: User, ada: User) -> None:
    duel = Duel(players=(ada, person("bob")))
    for path in (f"players/user/{ada.pk}", f"matches/match/{duel.id}"):
        assert signed_in(mara).post(f"/admin/{path}/change/", {"username": "x"}).status_code == 403
        assert signed_in(mara).post(f"/admin/{path}/delete/", {"post": "yes"}).status_code == 403
    assert signed_in(mara).get("/admin/players/user/add/").status_code == 403
    assert signed_in(mara).get(f"/admin/players/user/{ada.pk}/password/").status_code == 403


def test_staff_who_may_edit_players_make_nobody_staff(ada: User) -> None:
    from django.contrib.auth.models import Permission

    clerk = person("cleo", is_staff=True)
    clerk.user_permissions.set(
        Permission.objects.filter(codename__in=("view_user", "change_user", "delete_user"))
    )
    given = {"kind": "human", "is_superuser": "on", "is_staff": "on", "email": ""}
    signed_in(clerk).post(f"/admin/players/user/{ada.pk}/change/", given)
    ada.refresh_from_db()
    assert not ada.is_staff
    assert not ada.is_superuser
    root = superuser()
    for verb in ("change", "delete", "password"):
        path = f"/admin/players/user/{root.pk}/{'password/' if verb == 'password' else verb + '/'}"
        assert signed_in(clerk).post(path, {"post": "yes"}).status_code == 403


def test_renaming_says_what_is_wrong_and_then_does_it(mara: User, ada: User) -> None:
    person("bob")
    assert do(mara, "players/user", ada.pk, "rename", name="bob").status_code == 422
    assert do(mara, "players/user", ada.pk, "rename", name="cleo").status_code == 302
    ada.refresh_from_db()
    assert ada.username == "cleo"
    assert "ada" in str(AuditRow.objects.get().before)


def test_points_are_reset_by_a_further_row(mara: User) -> None:
    duel = played()
    bob = duel.players[1]
    assert do(mara, "players/user", bob.pk, "reset").status_code == 302
    bob.refresh_from_db()
    rows = list(LedgerRow.objects.filter(player=bob).order_by("number"))
    assert [(row.cause, row.change, row.total, row.match_id) for row in rows] == [
        ("won", 10, 10, duel.id),
        ("reset", -10, 0, None),
    ]
    assert bob.points == 0
    assert Standing.objects.get(player=bob, period="", ladder="general").points == 0
    row = AuditRow.objects.get()
    assert (row.before, row.after) == ({"points": 10}, {"points": 0})
    assert do(mara, "players/user", bob.pk, "reset").status_code == 422
    assert signed_in(None).get("/players/bob/").status_code == 200


def test_a_match_that_was_reset_since_can_still_be_taken_back(mara: User) -> None:
    duel = played()
    ratings.reset(duel.players[1], None, "Points were passed.")
    ratings.take_back(duel.id, mara, "The match itself, too.")
    assert User.objects.get(pk=duel.players[1].pk).points == 0
    months = Standing.objects.filter(player=duel.players[1]).exclude(period="")
    assert [(month.points, month.won, month.last) for month in months] == [(0, 0, -10)]


@pytest.mark.parametrize(
    ("act", "ending"), [("first", ("win", 0)), ("second", ("win", 1)), ("void", ("void", None))]
)
def test_a_running_match_is_decided_through_the_one_decider(
    act: str, ending: tuple[Any, ...], mara: User
) -> None:
    duel = Duel().arrive(0, 1).start()
    assert do(mara, "matches/match", duel.id, act).status_code == 302
    assert duel.ending == (*ending, "adjudicated")
    assert AuditRow.objects.get().act == "match.adjudicated"
    assert do(mara, "matches/match", duel.id, act).status_code == 422


def test_a_finished_match_is_taken_out_of_the_record_by_further_rows(mara: User) -> None:
    duel = played()
    assert do(mara, "matches/match", duel.id, "take-back").status_code == 302
    assert {result.outcome for result in Result.objects.all()} == {"void"}
    assert User.objects.get(username="bob").points == 0
    assert LedgerRow.objects.filter(cause="reversed").count() == 2
    assert AuditRow.objects.get().act == "match.taken_back"
    assert do(mara, "matches/match", duel.id, "take-back").status_code == 422


def test_a_finished_match_is_given_to_the_other_side_by_further_rows(mara: User) -> None:
    duel = played()
    assert do(mara, "matches/match", duel.id, "give-second").status_code == 422
    assert do(mara, "matches/match", duel.id, "give-first").status_code == 302
    assert [(row.seat, row.outcome) for row in Result.objects.order_by("seat")] == [(0, "won"), (1, "lost")]
    assert User.objects.get(username="bob").points == 0
    row = AuditRow.objects.get()
    assert (row.act, row.before, row.after) == (
        "match.given",
        {"0": "lost", "1": "won"},
        {"0": "won", "1": "lost"},
    )


def test_what_was_due_stands_though_it_is_too_late_to_decide(mara: User) -> None:
    duel = Duel().arrive(0, 1).start().wait_for_due(1)
    with pytest.raises(Problem, match="match_over"):
        matches.adjudicate(duel.id, 0, mara, "Too late.")
    assert duel.ending is not None
    assert duel.ending[-1] != "adjudicated"
    assert not AuditRow.objects.exists()


def test_nobody_decides_a_match_of_their_own(mara: User, ada: User) -> None:
    duel = Duel(players=(mara, ada)).arrive(0, 1).start()
    assert do(mara, "matches/match", duel.id, "first").status_code == 422
    assert duel.ending is None


def test_a_seek_is_removed(mara: User, ada: User) -> None:
    seek = lobby.open_seek(ada, terms_of(), lasting=True)
    assert do(mara, "lobby/seek", seek.pk, "remove").status_code == 302
    assert Seek.objects.get().fate == "withdrawn"
    assert do(mara, "lobby/seek", seek.pk, "remove").status_code == 422


def test_a_note_is_for_moderators_alone(mara: User, ada: User) -> None:
    assert do(mara, "players/user", ada.pk, "note", text="Watch <b>this</b> one.").status_code == 302
    assert Note.objects.get().by == mara
    assert "&lt;b&gt;this" in page(mara, f"players/user/{ada.pk}/change/").content.decode()
    assert "notes" not in dict(parts(ada))


def test_what_is_not_there_is_not_found(mara: User) -> None:
    assert do(mara, "players/user", 999_999, "suspend").status_code == 404
    assert do(mara, "matches/match", "zzzzzzzz", "void").status_code == 404
    assert do(mara, "matches/match", Duel().id, "nothing").status_code == 404


# The queue of reports


def test_the_queue_shows_what_waits_the_oldest_first(mara: User, ada: User) -> None:
    told = [report(person(f"bob-{number}"), ada, "", "name") for number in range(3)]
    moderation.close(told[1], mara, "dismissed")
    assert [row.pk for row in page(mara, "players/report/").context["cl"].result_list] == [
        told[0].pk,
        told[2].pk,
    ]
    assert len(page(mara, "players/report/?queue=closed").context["cl"].result_list) == 1
    assert len(page(mara, f"players/report/?player={ada.pk}").context["cl"].result_list) == 3
    assert len(page(mara, "players/report/?q=ada").context["cl"].result_list) == 2


def test_a_report_is_claimed_once_and_closed_with_an_outcome(mara: User, ada: User) -> None:
    milo = moderator("milo")
    told = report(person("bob"), ada, "", "cheating")
    assert do(mara, "players/report", told.pk, "claim").status_code == 302
    assert do(milo, "players/report", told.pk, "claim").status_code == 422
    assert do(mara, "players/report", told.pk, "close", outcome="upheld").status_code == 302
    told.refresh_from_db()
    assert (told.state, told.outcome, told.moderator) == (Report.State.CLOSED, "upheld", mara)
    assert do(mara, "players/report", told.pk, "close", outcome="upheld").status_code == 422
    assert [row.act for row in AuditRow.objects.order_by("pk")] == ["report.claimed", "report.closed"]


@pytest.mark.parametrize("act", ["claim", "close"])
def test_nobody_judges_a_report_about_oneself(act: str, mara: User) -> None:
    told = report(person("bob"), mara, "", "cheating")
    assert do(mara, "players/report", told.pk, act, outcome="dismissed").status_code == 422
    told.refresh_from_db()
    assert (told.state, AuditRow.objects.count()) == (Report.State.OPEN, 0)


# The log


@pytest.mark.parametrize("who", ["moderator", "superuser"])
def test_nobody_edits_or_deletes_a_line_of_the_log(who: str, ada: User) -> None:
    viewer = moderator() if who == "moderator" else superuser()
    moderation.rename(ada, None, "cleo", "Offensive.")
    row = AuditRow.objects.get()
    for verb in ("change", "delete"):
        answer = signed_in(viewer).post(
            f"/admin/players/auditrow/{row.pk}/{verb}/", {"post": "yes", "reason": ""}
        )
        assert answer.status_code == 403
    assert signed_in(viewer).get("/admin/players/auditrow/add/").status_code == 403
    assert AuditRow.objects.get().reason == "Offensive."


def test_what_a_form_of_the_admin_does_stands_in_the_log_too(ada: User) -> None:
    root = superuser()
    signed_in(root).post(
        f"/admin/players/user/{ada.pk}/change/", {"kind": "human", "email": "", "is_staff": "on"}
    )
    row = AuditRow.objects.get()
    assert (row.actor, row.act, row.name) == ("root", "form.changed", "ada")
    assert "taff" in str(row.after)


def test_players_deleted_together_leave_a_line_each(ada: User) -> None:
    root, bob = superuser(), person("bob")
    chosen = {"action": "delete_selected", "_selected_action": [ada.pk, bob.pk], "post": "yes"}
    assert signed_in(root).post("/admin/players/user/", chosen).status_code == 302
    assert sorted(AuditRow.objects.values_list("act", "name")) == [
        ("form.deleted", "ada"),
        ("form.deleted", "bob"),
    ]


# Quick


@pytest.mark.parametrize("path", LISTS)
def test_a_list_takes_as_many_queries_for_many_rows_as_for_few(path: str, mara: User) -> None:
    def more(number: int) -> None:
        players = person(f"ada-{number}"), person(f"bob-{number}")
        duel = Duel(players=players).arrive(0, 1).start().end()
        ratings.count(duel.id)
        lobby.open_seek(players[0], terms_of(), lasting=True)
        lobby.challenge(players[0], players[1], terms_of())
        report(players[0], players[1], duel.id, "cheating")
        signed_in(players[0]).get("/account/")
        moderation.suspend(players[1], mara, "Because.")

    def asked() -> int:
        client = signed_in(mara)
        page(client, path)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert page(client, path).status_code == 200
        return len(queries)

    more(0)
    few = asked()
    for number in range(1, 6):
        more(number)
    assert asked() == few


def test_a_list_counts_so_far_and_no_further(mara: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("players.desk.MOST_COUNTED", 3)
    for number in range(5):
        person(f"ada-{number}")
    shown = page(mara, "players/user/")
    assert shown.context["cl"].result_count == 3
    assert "the first 3" in shown.content.decode()


def test_the_admin_speaks_the_moderators_language(mara: User) -> None:
    mara.language = "it"
    mara.save(update_fields=["language"])
    with translation.override("it"):
        assert "Amministrazione" in page(mara, "").content.decode()


@pytest.mark.parametrize(
    "asked", ["player=x", "player=%00", "match_id=%00", "why__exact=%00", "q=%00", "p=x", "o=1.2"]
)
def test_what_makes_no_sense_in_a_lists_address_is_turned_away(asked: str, mara: User) -> None:
    assert page(mara, f"players/report/?{asked}").status_code in (200, 302, 400)


def test_a_match_is_found_by_its_id_and_by_a_players_name(mara: User) -> None:
    duel = Duel().arrive(0, 1)
    Duel(players=(person("cleo"), person("dora")))
    for asked in (duel.id, "ada", "ADA"):
        (found,) = page(mara, f"matches/match/?q={asked}").context["cl"].result_list
        assert found.pk == duel.id
    assert not page(mara, "matches/match/?q=nobody").context["cl"].result_list
    assert Match.objects.count() == 2
