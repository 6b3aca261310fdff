"""A socket lasts no longer than what has let it in, whoever ends that and wherever."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.test import Client

from players import doors, looking, moderation, services, sessions
from players.models import ApiToken, Session, User
from tests.builders import ORIGIN, Duel, bearer, person, signed_in
from tests.matches.lines import Line
from tests.players.conftest import Dial, Lossy
from tests.tournaments.builders import Cup

PASSWORD = "correct-horse-9"


@pytest.fixture
def ada(transactional_db: None) -> User:
    return person("ada", password=PASSWORD)


@pytest.fixture
def browser(ada: User) -> Client:
    return signed_in(ada)


def sent_by(client: Client) -> dict[str, str]:
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    return {"Cookie": f"{settings.SESSION_COOKIE_NAME}={cookie}", "Origin": ORIGIN}


@pytest.fixture
def line(dial: Dial, browser: Client) -> Line:
    """Of a page in ada's browser."""
    return dial("/ws/lobby/", sent_by(browser))


def sign_out(browser: Client, ada: User) -> None:
    browser.post("/account/signout/")


def change_password(browser: Client, ada: User) -> None:
    """On another device."""
    asked = {"oldpassword": PASSWORD, "password1": "another-horse-9", "password2": "another-horse-9"}
    assert signed_in(ada).post("/account/password/", asked).status_code == 302


def end_others(browser: Client, ada: User) -> None:
    """On another device, on the page that lists them."""
    assert signed_in(ada).post("/account/sessions/end/").status_code == 302


def delete_account(browser: Client, ada: User) -> None:
    assert browser.post("/account/delete/", {"password": PASSWORD, "sure": "on"}).status_code == 302
    assert not User.objects.filter(pk=ada.pk).exists()


def change_password_by_command(browser: Client, ada: User) -> None:
    """As staff do in the admin, and `manage.py changepassword`."""
    ada.set_password("another-horse-9")
    ada.save()


def shut_account(browser: Client, ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(is_active=False)


def suspend(browser: Client, ada: User) -> None:
    moderation.suspend(ada, None, "plays for two")


def expire(browser: Client, ada: User) -> None:
    Session.objects.filter(user=ada).update(expire_date="2020-01-01T00:00Z")


@pytest.mark.parametrize(
    "end",
    [
        sign_out, change_password, end_others, delete_account, change_password_by_command, shut_account, expire,
        suspend,
    ],
)  # fmt: skip
def test_what_ends_a_session_ends_its_socket(
    end: Callable[[Client, User], None], line: Line, browser: Client, ada: User
) -> None:
    end(browser, ada)
    assert line.ending() == doors.NO_LONGER_IN


@pytest.mark.parametrize("end", [sign_out, change_password, delete_account, suspend])
def test_it_is_told_at_once_and_not_at_the_next_look(
    end: Callable[[Client, User], None],
    browser: Client,
    ada: User,
    dial: Dial,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(looking, "LOOK_SECONDS", 3600)
    line = dial("/ws/lobby/", sent_by(browser))
    line.next("open")
    end(browser, ada)
    assert line.ending() == doors.NO_LONGER_IN


def test_where_that_message_is_lost_the_next_look_finds_it(
    line: Line, browser: Client, ada: User, lossy: Lossy
) -> None:
    """The promise is two seconds: a look a second keeps it."""
    assert looking.LOOK_SECONDS <= 1.5
    sign_out(browser, ada)
    assert line.ending() == doors.NO_LONGER_IN


def paths(duel: Duel, cup: Cup) -> list[str]:
    rooms = (f"matches/{duel.id}/", "lobby/", f"tournaments/{cup.id}/")
    return [f"/ws/{kind}{room}" for kind in ("", "v1/") for room in rooms]


def test_every_kind_of_socket_is_closed_by_cookie_and_by_token(
    dial: Dial, ada: User, browser: Client
) -> None:
    bob = person("bob")
    duel, cup = Duel(players=(ada, bob)), Cup([], ada)
    token = bearer(ada)
    lines = [dial(path, headers) for path in paths(duel, cup) for headers in (sent_by(browser), token)]
    sign_out(browser, ada)
    services.revoke_token(ada, ApiToken.objects.get().pk)
    assert [line.ending() for line in lines] == [doors.NO_LONGER_IN] * len(lines)


def test_nobody_elses_socket_is_closed(dial: Dial, line: Line, browser: Client, ada: User) -> None:
    """The same player's on another device and by token, another player's, and nobody's."""
    others: list[dict[str, str]] = [
        sent_by(signed_in(ada)), bearer(ada), sent_by(signed_in(person("bob"))), {"Origin": ORIGIN},
    ]  # fmt: skip
    kept = [dial("/ws/v1/lobby/", headers) for headers in others]
    sign_out(browser, ada)
    assert line.ending() == doors.NO_LONGER_IN
    for one in kept:
        one.rest()
        one.send({"type": "nothing", "ref": "still-here"})
        assert one.until(lambda frame: frame.get("ref") == "still-here")


def test_who_changes_the_own_password_stays_signed_in(ada: User, browser: Client) -> None:
    asked = {"oldpassword": PASSWORD, "password1": "another-horse-9", "password2": "another-horse-9"}
    assert browser.post("/account/password/", asked).status_code == 302
    assert browser.get("/account/email/").status_code == 200


def test_one_look_asks_each_table_for_its_own_keys_however_many(
    ada: User, browser: Client, django_assert_num_queries: Any
) -> None:
    token = services.digest(bearer(ada)["Authorization"].removeprefix("Bearer "))
    session = browser.cookies[settings.SESSION_COOKIE_NAME].value
    good: set[tuple[doors.Kind, str]] = {(Session, session), (ApiToken, token)}
    wrong: set[tuple[doors.Kind, str]] = {(ApiToken, session), (Session, token), (Session, "gone")}
    with django_assert_num_queries(2):
        assert doors.still_good(good) == good
    with django_assert_num_queries(4):  # which of them has ended is asked once it is known that one has
        assert doors.still_good(good | wrong) == good
    with django_assert_num_queries(3):
        assert doors.still_good(good | {(Session, str(n)) for n in range(40_000)}) == good


@pytest.mark.django_db(transaction=True)
def test_many_that_end_together_are_told_once_and_what_has_expired_not_at_all(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(doors, "nudge", told.append)
    monkeypatch.setattr(sessions, "SLICE", 2)
    for _ in range(5):
        signed_in(ada)
    Session.objects.update(expire_date="2020-01-01T00:00Z")
    signed_in(ada)
    sessions.SessionStore.clear_expired()
    assert (told, Session.objects.count()) == ([], 1)
    signed_in(ada)
    with transaction.atomic():
        Session.objects.all().delete()
        services.issue_token(ada, "")
        ApiToken.objects.all().delete()
        assert told == []
    assert told == [doors.GROUP]
    assert AnonymousUser().pk is None
