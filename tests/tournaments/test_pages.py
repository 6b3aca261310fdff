"""Tournaments' pages: plain forms that lead on, and what they never show (D19, D24)."""

from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from players.models import AuditRow, Kind, User
from tests.builders import Api, person, signed_in
from tests.tournaments.builders import Cup, people, play_on
from tournaments import services
from tournaments.models import Tournament, Weekly

pytestmark = pytest.mark.django_db

NASTY = '"><img src=x onerror=alert(1)>'


def form(**fields: Any) -> dict[str, Any]:
    soon = timezone.now() + timedelta(days=2)
    return {
        "name": "Monday knockout",
        "day": soon.strftime("%Y-%m-%d"),
        "hour": "21:00",
        "zone": "Europe/Rome",
        "private": "no",
        "maximum": "8",
        "preset": "duel",
        **fields,
    }


def test_a_form_makes_one_in_its_makers_zone() -> None:
    ada = signed_in(person("ada"))
    assert ada.get("/tournaments/new/").status_code == 200
    answer = ada.post("/tournaments/new/", form(day="2030-07-01", hour="21:00"))
    row = Tournament.objects.get()
    assert answer["Location"] == f"/tournaments/{row.pk}/"
    assert row.starts_at.isoformat() == "2030-07-01T19:00:00+00:00"
    page = ada.get(answer["Location"]).content.decode()
    assert "21:00 (Europe/Rome)" in page
    assert 'datetime="2030-07-01T19:00:00+00:00"' in page


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "ab"},
        {"day": "2020-01-01"},
        {"day": "soon"},
        {"day": ""},
        {"hour": "25:00"},
        {"day": "2030-03-31", "hour": "02:30"},
        {"zone": "Mars/Base"},
        {"maximum": "many"},
        {"maximum": "²"},
        {"preset": "chess"},
    ],
)
def test_what_cannot_be_comes_back_with_the_reason_and_what_was_written(wrong: dict[str, str]) -> None:
    answer = signed_in(person("ada")).post("/tournaments/new/", form(**wrong))
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert not Tournament.objects.exists()


def test_its_maker_changes_and_calls_off_and_nobody_else() -> None:
    cup = Cup(people(1))
    boss, other = signed_in(cup.boss), signed_in(cup.players[0])
    one = f"/tournaments/{cup.id}/"
    assert other.get(f"{one}edit/").status_code == 404
    assert other.post(f"{one}cancel/").status_code == 403
    assert boss.get(f"{one}edit/").status_code == 200
    assert boss.post(f"{one}edit/", form(name="Tuesday", maximum="4")).status_code == 302
    assert (cup.row.name, cup.row.maximum) == ("Tuesday", 4)
    assert boss.post(f"{one}cancel/").status_code == 302
    assert "called off" in boss.get(one).content.decode()


def test_entering_and_leaving_are_forms() -> None:
    cup = Cup([], maximum=2)
    ada, one = signed_in(person("ada")), f"/tournaments/{cup.id}/"
    assert ada.post(f"{one}join/")["Location"] == one
    assert ada.post(f"{one}leave/")["Location"] == one
    assert not cup.row.entries.exists()
    for player in people(2):
        services.join(cup.id, player)
    full = ada.post(f"{one}join/")
    assert (full.status_code, "full" in full.content.decode()) == (409, True)
    guest = signed_in(person("guest", Kind.GUEST))
    assert guest.post(f"{one}join/").status_code == 403
    assert "you need an account" in guest.get(one).content.decode()
    assert signed_in(None).post(f"{one}join/").status_code == 404
    assert ada.post(f"{one}dance/").status_code == 404


def test_a_private_one_is_entered_by_its_code_and_seen_by_nobody_else() -> None:
    """D19"""
    cup = Cup([], private=True, name="Secret do")
    one, bob = f"/tournaments/{cup.id}/", signed_in(person("bob"))
    code = f"{cup.id}-{cup.row.code}"
    assert code in signed_in(cup.boss).get(one).content.decode()
    for address in (one, f"{one}edit/"):
        assert bob.get(address).status_code == 404
    for address in ("/tournaments/", "/"):
        assert "Secret do" not in bob.get(address).content.decode()
    for wrong in (f"{cup.id}-wrong", cup.id, "00000000-00000000", "", "è"):
        assert bob.post("/tournaments/enter/", {"code": wrong}).status_code == 404
    assert bob.post("/tournaments/enter/", {"code": f" {code.upper()} "})["Location"] == one
    page = bob.get(one).content.decode()
    assert ("Secret do" in page, cup.row.code in page) == (True, False)
    assert bob.post(f"{one}leave/")["Location"] == "/tournaments/"
    assert bob.get(one).status_code == 404


def test_a_name_is_text_wherever_it_stands() -> None:
    """D24"""
    boss = person("boss", is_staff=True, is_superuser=True)
    cup = Cup(people(2), boss, name=NASTY)
    client = signed_in(boss)
    admin = [
        reverse("admin:tournaments_tournament_changelist"),
        reverse("admin:tournaments_entry_changelist"),
    ]
    for address in (f"/tournaments/{cup.id}/", f"/tournaments/{cup.id}/edit/", "/tournaments/", *admin):
        page = client.get(address)
        assert page.status_code == 200
        assert "<img src=x" not in page.content.decode()


@pytest.mark.parametrize("count", [2, 3, 7, 50])
def test_the_page_shows_every_stage(count: int) -> None:
    cup = Cup(people(count))
    one, ada = f"/tournaments/{cup.id}/", signed_in(cup.players[0])
    assert "You are in" in ada.get(one).content.decode()
    cup.start()
    page = ada.get(one).content.decode()
    assert f'href="/m/{cup.pairing_of(cup.players[0])[0].match_id}/"' in page
    assert page.count('id="pairing-1-') == -(-count // 2)
    while cup.row.status == "running":
        play_on(cup, Random(1))
        services.sweep()
        assert ada.get(one).status_code == 200
    champion = cup.champion()
    assert champion is not None
    seen = signed_in(None).get(one).content.decode()
    assert f"{champion.username} is the champion." in seen
    assert f"{champion.username} won Monday knockout" in seen  # what a shared link says


def test_the_bot_is_called_in_the_readers_language() -> None:
    """R8.3, D27: on pages; the interface keeps the name it has everywhere."""
    cup = Cup(people(3)).start()
    html = signed_in(None).get(f"/tournaments/{cup.id}/", headers={"Accept-Language": "it"}).content.decode()
    assert "Facile" in html
    assert "Easy" not in html
    assert "Easy" in str(Api().get(f"/tournaments/{cup.id}").body["rounds"])


def test_lists_neither_repeat_nor_skip() -> None:
    boss = person("boss")
    ids = {Cup([], boss, ahead=600 + number // 3).id for number in range(23)}
    first = signed_in(boss).get("/tournaments/").context
    second = signed_in(boss).get(f"/tournaments/?after={first['after']}").context
    seen = [line["row"].pk for line in (*first["coming"], *second["coming"])]
    assert (len(seen), set(seen), second["after"]) == (23, ids, None)
    assert signed_in(None).get("/tournaments/?after=nowhere").status_code == 404


# Staff


def test_what_staff_do_goes_through_the_verbs_and_into_the_log() -> None:
    boss = person("boss", is_staff=True, is_superuser=True)
    cup = Cup(people(4), boss)
    admin = signed_in(boss)

    def act(model: str, name: str, pk: object, answered: int = 302) -> None:
        address = reverse(f"admin:tournaments_{model}_act", args=[pk, name])
        assert admin.post(address, {"reason": f"why {name}"}).status_code == answered

    act("tournament", "start", cup.id)
    assert cup.row.status == "running"
    first, second = cup.pairings()
    old = first.match_id
    act("pairing", "void", first.pk)
    first.refresh_from_db()
    assert first.match_id not in (None, old)
    act("pairing", "second", first.pk)
    act("entry", "disqualify", second.places.all()[0].entry_id)
    assert [pairing.through for pairing in (cup.row.rounds.get(number=1).pairings.all())] == [1, 1]
    written = [
        ("tournament.started", "why start"),
        ("tournament.disqualified", "why disqualify"),
    ]
    assert in_log(cup, boss) == written
    decided = AuditRow.objects.filter(actor_id=boss.pk, kind="matches.match").order_by("pk")
    assert list(decided.values_list("key", "reason")) == [
        (old, "why void"),
        (first.match_id, "why second"),
    ]
    act("tournament", "call-off", cup.id, 422)  # too late: refused, and not in the log
    assert in_log(cup, boss) == written
    for model in ("tournament", "entry", "pairing"):
        assert admin.get(reverse(f"admin:tournaments_{model}_changelist")).status_code == 200
        assert admin.get(reverse(f"admin:tournaments_{model}_add")).status_code == 403
    change = admin.get(reverse("admin:tournaments_tournament_change", args=[cup.id]))
    assert (change.status_code, cup.row.code in change.content.decode()) == (200, False)


def test_staff_find_their_way_from_a_player_and_a_match_to_the_bracket() -> None:
    boss = person("boss", is_staff=True, is_superuser=True)
    cup = Cup(people(3), boss).start()
    admin, pairing = signed_in(boss), cup.pairings()[0]
    player, match_id = pairing.places.all()[0].entry.player, pairing.match_id
    assert player is not None
    assert match_id is not None
    one = reverse("admin:tournaments_tournament_change", args=[cup.id])
    for page in (
        reverse("admin:players_user_change", args=[player.pk]),
        reverse("admin:matches_match_change", args=[match_id]),
        reverse("admin:tournaments_entry_change", args=[pairing.places.all()[0].entry_id]),
        reverse("admin:tournaments_pairing_change", args=[pairing.pk]),
    ):
        assert f'href="{one}"' in admin.get(page).content.decode()
    shown = admin.get(one).content.decode()
    for linked in (
        reverse("admin:tournaments_pairing_change", args=[pairing.pk]),
        reverse("admin:matches_match_change", args=[match_id]),
        reverse("admin:players_user_change", args=[player.pk]),
    ):
        assert f'href="{linked}"' in shown
    for asked, found in ((cup.id, 1), (cup.row.name, 1), ("nothing", 0)):
        listed = admin.get(reverse("admin:tournaments_tournament_changelist"), {"q": asked})
        assert listed.context["cl"].result_count == found
    for model, asked, found in (
        ("entry", player.username, 1),
        ("entry", cup.id, 3),
        ("pairing", cup.id, 2),
        ("pairing", match_id, 1),
    ):
        listed = admin.get(reverse(f"admin:tournaments_{model}_changelist"), {"q": asked})
        assert listed.context["cl"].result_count == found


def in_log(cup: Cup, by: User) -> list[tuple[str, str]]:
    rows = AuditRow.objects.filter(actor_id=by.pk, kind="tournaments.tournament", key=cup.id)
    return list(rows.order_by("pk").values_list("act", "reason"))


def test_staff_change_and_call_off_what_others_have_made_and_it_is_written_down() -> None:
    """By the site's own pages, as its maker does, whose acts are nobody's business."""
    chief, cup = person("chief", is_staff=True), Cup([])
    one = f"/tournaments/{cup.id}/"
    assert signed_in(cup.boss).post(f"{one}edit/", form(name="Tuesday")).status_code == 302
    assert signed_in(chief).post(f"{one}edit/", form(name="Wednesday")).status_code == 302
    (row,) = AuditRow.objects.filter(kind="tournaments.tournament")
    assert (row.actor, row.act) == ("chief", "tournament.changed")
    assert (row.before["name"], row.after["name"]) == ("Tuesday", "Wednesday")
    assert signed_in(chief).post(f"{one}cancel/").status_code == 302
    assert in_log(cup, chief) == [("tournament.changed", ""), ("tournament.called_off", "")]


def test_a_weekly_one_is_made_in_the_admin_on_terms_as_the_interface_takes_them() -> None:
    admin = signed_in(person("boss", is_staff=True, is_superuser=True))
    address = reverse("admin:tournaments_weekly_add")
    fields = {"name": "Friday", "weekday": "4", "hour": "21:00", "zone": "Europe/Rome", "maximum": "50"}
    assert admin.get(address).status_code == 200
    for wrong in ('{"preset": "chess"}', "[]", "7"):
        assert admin.post(address, {**fields, "terms": wrong, "active": "on"}).status_code == 200
    assert (
        admin.post(address, {**fields, "terms": '{"preset": "classic"}', "active": "on"}).status_code == 302
    )
    assert (
        admin.get(reverse("admin:tournaments_weekly_change", args=[Weekly.objects.get().pk])).status_code
        == 200
    )
    (row,) = AuditRow.objects.filter(kind="tournaments.weekly")
    assert (row.actor, row.act) == ("boss", "form.added")
    services.plan_weeklies()
    assert Tournament.objects.get().terms["preset"] == "classic"
