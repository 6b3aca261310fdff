"""How often: by account and by address, told with 429 and how long to wait; the right address behind a proxy (D25)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from players import limits
from players.limits import Limit, Pace
from players.models import User
from players.problems import Problem
from tests.builders import Api, Duel, people, person, signed_in
from tests.matches.lines import by_token
from tests.players.conftest import Dial

pytestmark = pytest.mark.django_db

TERMS = {"preset": "duel", "length": 5}
FORM = {"preset": "duel", "duel-length": "5"}


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of anything by one player, five from one address; in a window that does not end in the middle of a test."""
    monkeypatch.setattr(limits, "MINUTE", 3_600_000_000)
    monkeypatch.setattr(limits, "MOST", {what: Limit(5, 3) for what in limits.MOST})
    monkeypatch.setattr(limits, "commands", Pace(Limit(5, 3)))


Ask = Callable[[User], Any]


def over_api(path: str, body: Any) -> Ask:
    return lambda user: Api(user).post(path, body).response


def on_page(path: str, form: dict[str, str]) -> Ask:
    return lambda user: signed_in(user).post(path, form)


@pytest.mark.parametrize(
    "ask",
    [
        over_api("/seeks", TERMS), on_page("/seeks/", FORM), on_page("/play-now/", {}),
        over_api("/challenges", {"opponent": "nobody-here", "terms": TERMS}), on_page("/challenge/Rival/", FORM),
        over_api("/challenges", {"opponent": "bot:easy", "terms": TERMS}), on_page("/play-bot/", {"level": "easy"}),
        over_api("/invitations", {"terms": TERMS}), on_page("/invite/", FORM),
    ],
)  # fmt: skip
def test_what_is_offered_is_counted_by_player_and_by_address(ask: Ask) -> None:
    person("Rival")
    ada, bob, cleo = person("ada"), person("bob"), person("cleo")
    assert 429 not in [ask(ada).status_code for _ in range(3)]
    refused = ask(ada)
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 0
    assert 429 not in [ask(bob).status_code for _ in range(2)]
    assert ask(cleo).status_code == 429  # nobody has asked as cleo, but five times from here


@pytest.mark.parametrize("path", ["/api/v1/guest", "/invite/", "/play-now/", "/play-bot/"])
def test_guests_are_counted_by_address_and_none_too_many_is_made(path: str) -> None:
    for _ in range(5):
        assert Client().post(path, {"level": "easy"}).status_code in (201, 302)
    refused = Client().post(path, {"level": "easy"})
    assert (refused.status_code, len(people())) == (429, 5)
    assert refused["Retry-After"]


def test_a_header_changes_no_address_unless_a_proxy_of_ours_has_written_it(settings: Any) -> None:
    def guest(*forwarded: str) -> int:
        return int(
            Client().post("/api/v1/guest", headers={"X-Forwarded-For": ", ".join(forwarded)}).status_code
        )

    assert [guest(f"192.0.2.{n}") for n in range(6)] == [201] * 5 + [429]
    settings.PROXIES = settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    assert [guest("203.0.113.9", f"192.0.2.{n}") for n in range(6)] == [201] * 6
    assert [guest(f"203.0.113.{n}", "198.51.100.7") for n in range(6)] == [201] * 5 + [429]


def test_a_socket_comes_from_where_its_request_would(settings: Any) -> None:
    scope: dict[str, Any] = {
        "client": ("127.0.0.1", 5),
        "headers": [(b"x-forwarded-for", b"203.0.113.9, 192.0.2.1")],
    }
    assert limits.address_at(scope) == "127.0.0.1"
    settings.PROXIES = 1
    assert limits.address_at(scope) == "192.0.2.1"
    settings.PROXIES = 2
    assert limits.address_at(scope) == "203.0.113.9"
    settings.PROXIES = 3
    assert limits.address_at(scope) == "127.0.0.1"
    assert limits.address_at({"headers": []}) == ""
    settings.PROXIES = 1
    twice = {**scope, "headers": [*scope["headers"], (b"x-forwarded-for", b"198.51.100.7")]}
    assert limits.address_at(twice) == "198.51.100.7"
    settings.PROXIES = 3
    assert limits.address_at(twice) == "203.0.113.9"


def test_a_household_of_ipv6_is_one_address(settings: Any) -> None:
    def guest(address: str) -> int:
        return int(Client().post("/api/v1/guest", REMOTE_ADDR=address).status_code)

    assert [guest(f"2001:db8:1:2::{n}") for n in range(6)] == [201] * 5 + [429]
    assert guest("2001:db8:1:3::1") == 201
    assert limits.address_at({"client": ("2001:db8:1:2::9", 5), "headers": []}) == "2001:db8:1:2::/64"
    assert limits.household("::ffff:192.0.2.1") == "192.0.2.1"


def test_commands_in_matches_are_counted_over_http() -> None:
    duel = Duel().start()
    api, path = Api(duel.players[0]), f"/matches/{duel.id}/guesses"
    assert [api.post(path, {"code": "24680"}).status for _ in range(3)] == [201, 409, 409]
    refused = api.post(path, {"code": "24680"})
    assert (refused.code, bool(refused.response["Retry-After"])) == ("too_many", True)
    page = signed_in(duel.players[0]).post(f"/m/{duel.id}/guess/", {"code": "24680"})
    assert (page.status_code, bool(page["Retry-After"])) == (429, True)


@pytest.mark.django_db(transaction=True)
def test_commands_in_matches_are_counted_on_sockets_frames_that_are_none_included(dial: Dial) -> None:
    duel = Duel().start()
    line = dial(f"/ws/v1/matches/{duel.id}/", by_token(duel.players[0]))
    codes = [line.ask(verb, code="24680").get("code") for verb in ("guess", "nothing", "guess", "guess")]
    assert codes == [None, "bad_request", "out_of_turn", "too_many"]


def test_the_site_can_do_without(settings: Any) -> None:
    settings.LIMITS = False
    assert [Client().post("/api/v1/guest").status_code for _ in range(7)] == [201] * 7


@pytest.mark.parametrize(("path", "field"), [("/account/signin/", "login"), ("/admin/login/", "username")])
def test_wrong_passwords_end_in_429_at_either_door(path: str, field: str) -> None:
    person("ada", password="correct-horse-9", is_staff=True)
    client = Client()
    said = [client.post(path, {field: "ada", "password": f"wrong-{n}"}) for n in range(6)]
    assert [answer.status_code for answer in said] == [200] * 5 + [429]
    assert said[-1]["Retry-After"] == "300"
    assert client.post(path, {field: "ada", "password": "correct-horse-9"}).status_code == 429


def test_accounts_are_made_only_so_fast_from_one_address() -> None:
    form = {"password1": "correct-horse-9"}
    said = [Client().post("/account/signup/", {**form, "username": f"player{n}"}) for n in range(21)]
    assert {answer.status_code for answer in said[:20]} == {302}
    assert said[-1].status_code == 429
    assert said[-1]["Retry-After"]


def test_what_a_process_counts_it_forgets_with_the_window(time_machine: Any) -> None:
    time_machine.move_to("2026-03-01T12:00:30Z", tick=False)
    pace = Pace(Limit(address=2, player=1))
    pace.spend("here", 1)
    for address, player in (("here", 1), ("elsewhere", 1)):
        with pytest.raises(Problem):
            pace.spend(address, player)
    pace.spend("here", 2)
    with pytest.raises(Problem):
        pace.spend("here", 3)
    time_machine.shift(limits.MINUTE)
    pace.spend("here", 1)
    assert len(pace._counts) == 2


def test_callers_who_are_nobody_share_no_count_but_their_address() -> None:
    pace = Pace(Limit(address=2, player=1))
    for address in ("here", "here", "elsewhere"):
        pace.spend(address, None)
    with pytest.raises(Problem):
        pace.spend("here", None)
