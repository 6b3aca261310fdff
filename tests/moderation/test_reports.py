"""Players tell moderators of players and matches: by a form that needs no script, and not too often (issue 7)."""

import pytest
from django.conf import LazySettings

from bots.core.levels import Level
from bots.services import bot_named
from players import reporting
from players.models import Kind, Report, User
from tests.builders import Duel, Page, person, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return person("ada")


def send(of: User, path: str, **fields: str) -> Page:
    return signed_in(of).post(path, {"why": "cheating", "text": "", **fields})


def test_a_player_is_reported_with_a_reason_and_words(ada: User) -> None:
    bob = person("bob")
    assert signed_in(ada).get("/players/bob/report/").status_code == 200
    assert send(ada, "/players/bob/report/", why="name", text="Rude.").status_code == 302
    told = Report.objects.get()
    assert (told.reporter, told.player, told.match_id, told.why, told.text) == (ada, bob, "", "name", "Rude.")


def test_a_guest_may_report_and_nobody_is_asked_to_sign_in() -> None:
    person("bob")
    assert send(person("Vega-1", Kind.GUEST), "/players/bob/report/").status_code == 302
    assert Report.objects.count() == 1
    assert signed_in(None).get("/players/bob/report/").status_code == 302
    assert Report.objects.count() == 1


def test_the_links_stand_on_the_player_and_in_the_match(ada: User) -> None:
    duel = Duel(players=(ada, person("bob"))).arrive(0, 1)
    assert "/players/bob/report/" in signed_in(ada).get("/players/bob/").content.decode()
    assert f"/m/{duel.id}/report/" in signed_in(ada).get(f"/m/{duel.id}/").content.decode()


def test_from_a_match_the_opponent_is_reported(ada: User) -> None:
    bob = person("bob")
    duel = Duel(players=(ada, bob))
    assert send(ada, f"/m/{duel.id}/report/").status_code == 302
    told = Report.objects.get()
    assert (told.player, told.match_id) == (bob, duel.id)


def test_who_watches_says_whom_of_the_two() -> None:
    duel, cleo = Duel(), person("cleo")
    assert send(cleo, f"/m/{duel.id}/report/").status_code == 422
    bob = duel.players[1]
    assert send(cleo, f"/m/{duel.id}/report/", whom=str(bob.pk)).status_code == 302
    assert Report.objects.get().player == bob
    assert send(cleo, f"/m/{duel.id}/report/", whom=str(cleo.pk)).status_code == 422


def test_a_match_against_a_bot_can_be_reported_itself(ada: User) -> None:
    duel = Duel(players=(ada, bot_named(Level.EASY)))
    assert send(ada, f"/m/{duel.id}/report/").status_code == 302
    assert Report.objects.get().player is None


def test_a_private_match_is_not_there_for_others() -> None:
    duel = Duel(public=False)
    assert send(person("cleo"), f"/m/{duel.id}/report/").status_code == 404


@pytest.mark.parametrize("name", ["ada", "Easy", "nobody-there"])
def test_oneself_bots_of_ours_and_nobody_cannot_be_reported(ada: User, name: str) -> None:
    assert send(ada, f"/players/{name}/report/").status_code == 404
    assert not Report.objects.exists()


@pytest.mark.parametrize("wrong", [{"why": "nothing"}, {"why": ""}, {"text": "x" * 301}, {"text": "a\0b"}])
def test_what_makes_no_sense_is_said_and_changes_nothing(ada: User, wrong: dict[str, str]) -> None:
    person("bob")
    page = send(ada, "/players/bob/report/", **wrong)
    assert page.status_code == 422
    assert 'class="bad' in page.content.decode()
    assert not Report.objects.exists()


def test_the_longest_words_in_any_letters_fit_a_body(ada: User) -> None:
    person("bob")
    assert send(ada, "/players/bob/report/", text="😀" * 300).status_code == 302


def test_said_again_while_it_waits_it_is_one_report(ada: User) -> None:
    person("bob")
    for words in ("Rude.", "Rude again."):
        send(ada, "/players/bob/report/", text=words)
    assert Report.objects.get().text == "Rude again."


def test_too_many_in_an_hour_wait_by_account_and_by_address(
    ada: User, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LIMITS = True
    monkeypatch.setattr(reporting, "BY_ADDRESS", 11)
    for number in range(reporting.BY_PLAYER):
        person(f"bob-{number}")
        assert send(ada, f"/players/bob-{number}/report/").status_code == 302
    person("bob")
    cleo = person("cleo")
    late = send(ada, "/players/bob/report/")
    assert send(cleo, "/players/bob/report/").status_code == 302
    for answer in (late, send(cleo, "/players/ada/report/")):
        assert answer.status_code == 429
        assert int(answer["Retry-After"]) > 0
    assert Report.objects.count() == 11


def test_a_report_outlives_whom_it_speaks_of_and_who_wrote_it(ada: User) -> None:
    bob = person("bob")
    send(ada, "/players/bob/report/")
    bob.delete()
    ada.delete()
    assert Report.objects.get().player is None
