"""The daily number: one try a player and day, whatever the clock, however many tabs; secret until that try is over."""

import logging
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bots import daily, export
from bots.core.daily import GUESSES
from bots.models import DailyTry
from players.models import User
from tests.builders import Page, dump, people, person, signed_in

pytestmark = pytest.mark.django_db
DAY = date(2026, 3, 1)
BEFORE = DAY - timedelta(days=1)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOON, tick=False) as coordinates:
        yield coordinates


@pytest.fixture
def ada() -> User:
    return person("ada")


def secret(day: date = DAY) -> str:
    return daily.board_of(day, None).secret


def wrong(n: int = 0, day: date = DAY) -> str:
    """The `n`th of the lawful guesses that are not the number."""
    return [code for code in (f"{number:05d}" for number in range(20)) if code != secret(day)][n]


def guess(client: Client, code: str, n: int | str = "", day: date = DAY, **extra: Any) -> Page:
    return client.post(f"/daily/{day}/guess/", {"code": code, "n": n}, **extra)


def finish(player: User, day: date, taken: int, *, found: bool = True) -> None:
    DailyTry.objects.create(player=player, day=day, taken=taken, found=found)


# The number


def test_it_is_the_same_for_all_and_turns_at_midnight_utc(clock: time_machine.Traveller) -> None:
    today = secret(daily.today())
    clock.move_to(datetime(2026, 3, 1, 23, 59, 59, tzinfo=UTC))
    assert secret(daily.today()) == today
    clock.move_to(datetime(2026, 3, 2, tzinfo=UTC))
    assert daily.today() == DAY + timedelta(days=1)
    assert secret(daily.today()) != today


def test_it_depends_on_the_key_of_the_site(settings: Any) -> None:
    numbers = {secret(BEFORE + timedelta(days=n)) for n in range(5)}
    settings.SECRET_KEY = "another"
    assert numbers.isdisjoint({secret(BEFORE + timedelta(days=n)) for n in range(5)})


def test_it_stands_in_no_row(ada: User) -> None:
    client = signed_in(ada)
    guess(client, wrong())
    assert secret() not in str(dump(("bots_dailytry", "django_session")))


def test_it_does_not_leave_the_server_before_the_own_try_is_over(
    ada: User, caplog: pytest.LogCaptureFixture
) -> None:
    """In no page, fragment, header, cookie or log; nor by anybody else's having found it."""
    caplog.set_level(logging.DEBUG)
    guess(signed_in(person("bob")), secret())
    caplog.clear()
    client = signed_in(ada)
    answers = [
        client.get("/daily/"),
        guess(client, wrong(0), 1),
        guess(client, wrong(1), 2, headers=HTMX),
        guess(client, "x", 3),
        guess(client, wrong(2), 1),
        client.get("/daily/"),
        client.get(f"/daily/{DAY}/"),
        client.get(f"/daily/{BEFORE}/"),
        client.get("/"),
    ]
    for answer in answers:
        told = f"{answer.content.decode()} {answer.headers} {answer.cookies}"
        assert secret() not in told
        assert " ".join(secret()) not in told
    assert secret() not in caplog.text


# One try


def test_looking_makes_no_account_and_neither_does_a_bad_code() -> None:
    client = Client()
    assert client.get("/daily/").status_code == 200
    assert guess(client, "1234").status_code == 422
    assert guess(client, wrong(), day=BEFORE).status_code == 410
    assert not people()
    assert "sessionid" not in client.cookies


def test_the_first_guess_makes_a_guest_whose_try_it_is() -> None:
    client = Client()
    assert guess(client, wrong(), 1)["Location"] == f"/daily/{DAY}/"
    mine = DailyTry.objects.get()
    assert (mine.player.kind, mine.day, mine.guesses, mine.found) == ("guest", DAY, [wrong()], None)
    assert f"Guess 1, {' '.join(wrong())}: exact" in client.get("/daily/").content.decode()


def test_a_try_has_ten_guesses(ada: User) -> None:
    client = signed_in(ada)
    for n in range(GUESSES):
        assert guess(client, wrong(n), n + 1).status_code == 302
    page = client.get("/daily/").content.decode()
    assert "Not found." in page
    assert " ".join(secret()) in page
    assert guess(client, secret(), GUESSES + 1).status_code == 409
    assert (DailyTry.objects.get().found, DailyTry.objects.get().taken) == (False, GUESSES)


def test_what_is_found_is_over_for_that_day(ada: User) -> None:
    client = signed_in(ada)
    guess(client, wrong(), 1)
    guess(client, secret(), 2)
    page = client.get("/daily/").content.decode()
    assert "Found on guess 2." in page
    assert 'name="code"' not in page
    assert guess(client, wrong(), 1).status_code == 302  # the guess that stands there already
    assert guess(client, wrong(3), 1).status_code == 409
    assert DailyTry.objects.get().guesses == [wrong(), secret()]


@pytest.mark.parametrize("code", ["", "1", "123456", "1234a", "１２３４1"])
def test_a_bad_code_is_refused_in_words_and_costs_nothing(ada: User, code: str) -> None:
    """R1.2"""
    client = signed_in(ada)
    for headers in ({}, HTMX):
        response = guess(client, code, headers=headers)
        assert response.status_code == 422
        assert "exactly 5 digits from 0 to 9." in response.content.decode()
    assert not DailyTry.objects.exists()


def test_a_form_sent_twice_costs_one_guess_and_a_stale_tab_none(ada: User) -> None:
    client = signed_in(ada)
    for _ in range(2):
        assert guess(client, wrong(), 1).status_code == 302
    stale = guess(client, wrong(1), 1)
    assert stale.status_code == 409
    assert "moved on elsewhere" in stale.content.decode()
    assert DailyTry.objects.get().guesses == [wrong()]


def test_the_database_keeps_a_second_try_out(ada: User) -> None:
    finish(ada, DAY, 3)
    with pytest.raises(IntegrityError), transaction.atomic():
        finish(ada, DAY, 4)
    with pytest.raises(IntegrityError), transaction.atomic():
        finish(ada, BEFORE, GUESSES + 1)


@pytest.mark.django_db(transaction=True)
def test_tabs_that_begin_at_once_share_one_try_and_no_guess_is_lost(ada: User) -> None:
    def begin(n: int) -> int:
        try:
            return int(guess(signed_in(ada), wrong(n)).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(begin, range(4))) == {302}
    assert sorted(DailyTry.objects.get().guesses) == [wrong(n) for n in range(4)]


# Midnight


def test_a_try_begun_before_midnight_is_finished_on_its_own_date(
    ada: User, clock: time_machine.Traveller
) -> None:
    client = signed_in(ada)
    clock.move_to(datetime(2026, 3, 1, 23, 59, tzinfo=UTC))
    guess(client, wrong(), 1)
    clock.move_to(datetime(2026, 3, 2, 0, 1, tzinfo=UTC))
    assert "Finish yesterday’s" in client.get("/daily/").content.decode()
    assert " ".join(secret()) not in client.get(f"/daily/{DAY}/").content.decode()
    assert guess(client, secret(), 2)["Location"] == f"/daily/{DAY}/"
    assert "Found on guess 2." in client.get(f"/daily/{DAY}/").content.decode()
    mine = DailyTry.objects.get()
    assert (mine.day, mine.found) == (DAY, True)


def test_a_try_left_open_for_a_whole_day_is_closed(ada: User, clock: time_machine.Traveller) -> None:
    client = signed_in(ada)
    guess(client, wrong(), 1)
    clock.move_to(NOON + timedelta(days=2))
    late = guess(client, secret(), 2)
    assert late.status_code == 410
    assert "can no longer be guessed" in late.content.decode()
    assert DailyTry.objects.get().guesses == [wrong()]


def test_a_page_opened_before_midnight_begins_no_try_after_it(clock: time_machine.Traveller) -> None:
    client = Client()
    client.get("/daily/")
    clock.move_to(datetime(2026, 3, 2, 0, 0, 1, tzinfo=UTC))
    late = guess(client, wrong(), 1)
    assert late.status_code == 410
    assert "/daily/2026-03-02/guess/" in late.content.decode()
    assert not DailyTry.objects.exists()


def test_yesterdays_number_is_told_once_it_has_turned(ada: User) -> None:
    assert "Yesterday’s number" in Client().get("/daily/").content.decode()
    for client in (Client(), signed_in(ada)):
        page = client.get(f"/daily/{BEFORE}/").content.decode()
        assert " ".join(secret(BEFORE)) in page
        assert "You did not try this one." in page


@pytest.mark.parametrize("day", ["2026-03-02", "2026-02-27", "2026-02-30", "0000-00-00", "9999-12-31", "x"])
def test_there_is_no_other_day(day: str) -> None:
    assert Client().get(f"/daily/{day}/").status_code == 404
    assert Client().post(f"/daily/{day}/guess/", {"code": "12345"}).status_code in (404, 410)
    assert not DailyTry.objects.exists()


# What came of it


def test_the_distribution_counts_tries_that_are_over(ada: User) -> None:
    for n, taken in enumerate([3, 3, 5]):
        finish(person(f"p{n}"), DAY, taken)
    finish(person("late"), DAY, GUESSES, found=False)
    finish(person("other"), BEFORE, 1)
    DailyTry.objects.create(player=ada, day=DAY, taken=4)
    bars = {bar.n: (bar.tries, bar.percent) for bar in daily.of_day(DAY)}
    assert (bars[3], bars[4], bars[5], bars[None]) == ((2, 100), (0, 0), (1, 50), (1, 50))
    assert bars[1] == (0, 0)


def test_of_no_tries_there_is_a_distribution_too() -> None:
    assert {bar.tries for bar in daily.of_day(DAY)} == {0}


def test_a_players_figures_and_days_in_a_row(ada: User) -> None:
    for n, taken in enumerate([4, 6, 5], start=1):
        finish(ada, DAY - timedelta(days=n), taken)
    finish(ada, DAY - timedelta(days=4), GUESSES, found=False)
    figures = daily.of_player(ada.pk)
    assert (figures.played, figures.found, figures.streak) == (4, 3, 3)
    finish(ada, DAY, GUESSES, found=False)
    assert daily.of_player(ada.pk).streak == 0


def test_a_late_try_keeps_the_row_of_days(ada: User, clock: time_machine.Traveller) -> None:
    finish(ada, BEFORE, 3)
    guess(signed_in(ada), wrong(), 1)
    clock.move_to(NOON + timedelta(days=1))
    assert daily.of_player(ada.pk).streak == 1
    guess(signed_in(ada), secret(), 2)
    assert daily.of_player(ada.pk).streak == 2


def test_a_result_is_shared_without_a_digit_of_what_was_guessed(ada: User) -> None:
    client = signed_in(ada)
    guess(client, "55555" if secret() != "55555" else "66666", 1)
    guess(client, secret(), 2)
    page = client.get("/daily/").content.decode()
    found = re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)
    assert found
    title, result, first, last, address = found[1].split("\n")
    assert title == "The Numbers · 2026-03-01"
    assert result == "found on guess 2 of 10"
    assert not re.search(r"\d", first + last)
    assert last == "■ ■ ■ ■ ■"
    assert address == "http://testserver/daily/"


def test_the_page_costs_the_same_queries_with_one_try_and_with_fifty(ada: User) -> None:
    client = signed_in(ada)
    finish(ada, DAY, 3)

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get("/daily/")
        return len(queries)

    asked()  # the first page of a day also writes down that the player was seen
    before = asked()
    for n in range(1, 50):
        finish(ada, DAY - timedelta(days=n), 4)
        finish(person(f"p{n}"), DAY, 1 + n % GUESSES)
    assert asked() == before


def test_tries_are_in_their_players_own_file(ada: User) -> None:
    """D26"""
    guess(signed_in(ada), wrong())
    (own,) = dict(export.parts(ada))["daily"]
    assert own == {"day": DAY, "guesses": [wrong()], "found": None}


def test_tries_go_with_their_player(ada: User) -> None:
    """D26"""
    finish(ada, DAY, 3)
    ada.delete()
    assert not DailyTry.objects.exists()
