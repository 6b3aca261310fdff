"""Your turn, told to who is not there: by Web Push to a real endpoint, and by letter."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256
from django.conf import settings as site
from django.core import mail
from django.test import Client
from pytest_django import Settings

from lobby.calls import push, services, tasks
from lobby.calls.models import Called, Device, Letters
from matches import services as matches
from players.models import Kind, User
from players.services import sign_out_elsewhere
from tests.builders import Duel, person, signed_in
from tests.lobby.calls.endpoint import Browser, Service

pytestmark = pytest.mark.django_db

HOUR = {"kind": "move", "seconds": 3600}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker in the test's own thread: what is asked of it is done at once."""
    monkeypatch.setattr(tasks.call, "apply_async", lambda arguments, **_: tasks.call(*arguments))


def agree(client: Client, browser: Browser, endpoint: str, **headers: Any) -> int:
    return client.post("/account/calls/device/", browser.agreement(endpoint), headers=headers).status_code


def duel(*, seconds: int = 3600) -> Duel:
    """Ada moves first; nobody is there."""
    return Duel("classic", clock={"kind": "move", "seconds": seconds}).start()


def test_who_is_away_is_called_when_the_turn_comes(push_service: Service) -> None:
    """And what the service carries can be read by that browser alone, signed with the site's key (RFC 8291, 8292)."""
    match, browser = duel(), Browser()
    assert agree(signed_in(match.players[1]), browser, f"{push_service.url}/bob") == 204
    match.guess(0)
    [(path, headers, body)] = push_service.taken
    assert path == "/bob"
    told = json.loads(browser.read(body))
    assert told == {
        "title": "Your turn against ada",
        "body": "59 minutes left for this move.",
        "url": f"/m/{match.id}/",
        "tag": f"match-{match.id}",
        "lang": "en",
    }
    assert b"ada" not in body
    assert 3400 < int(headers["ttl"]) <= 3600
    _signed(headers["authorization"], push_service.url)


def _signed(authorization: str, audience: str) -> None:
    parts = dict(part.split("=", 1) for part in authorization.removeprefix("vapid ").split(","))
    assert parts["k"] == push.public_key()
    head, claims, signature = parts["t"].split(".")
    raw = _decoded(signature)
    numbers = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(parts["k"]))
    key.verify(numbers, f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))
    assert json.loads(_decoded(claims))["aud"] == audience


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_the_call_speaks_the_players_language(push_service: Service) -> None:
    match, browser = duel(), Browser()
    agree(signed_in(match.players[1]), browser, push_service.url, Accept_Language="it")
    match.guess(0)
    assert json.loads(browser.read(push_service.taken[0][2]))["lang"] == "it"
    User.objects.filter(pk=match.players[1].pk).update(language="en")
    match.guess(1)
    match.guess(0)
    assert json.loads(browser.read(push_service.taken[1][2]))["lang"] == "en"


def test_a_turn_is_called_out_once_however_often_it_is_asked(push_service: Service) -> None:
    match = duel()
    agree(signed_in(match.players[1]), Browser(), push_service.url)
    match.guess(0)
    for _ in range(2):
        tasks.call(match.id)
        tasks.sweep()
    match.do(0, "say", phrase=1)
    assert len(push_service.taken) == 1
    match.guess(1)
    match.guess(0)
    assert len(push_service.taken) == 2


def test_who_is_there_is_not_called_nor_when_they_go_to_think(push_service: Service) -> None:
    match = duel()
    agree(signed_in(match.players[1]), Browser(), push_service.url)
    matches.connect(match.id, 1, "there")
    match.guess(0)
    matches.disconnect(match.id, 1, "there")
    tasks.sweep()
    assert push_service.taken == []


def test_a_call_that_was_never_made_is_made_by_the_sweep(
    push_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = duel()
    agree(signed_in(match.players[1]), Browser(), push_service.url)
    monkeypatch.setattr(tasks.call, "apply_async", lambda *_, **__: None)
    match.guess(0)
    assert push_service.taken == []
    tasks.sweep()
    assert len(push_service.taken) == 1


def test_nobody_is_called_to_a_quick_move_or_a_match_that_is_over(push_service: Service) -> None:
    quick = duel(seconds=60)
    agree(signed_in(quick.players[1]), Browser(), push_service.url)
    quick.guess(0)
    over = Duel("classic", clock=HOUR, players=quick.players).start().end()
    tasks.call(over.id)
    tasks.call("no-match")
    assert push_service.taken == []


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_has_withdrawn_is_forgotten(push_service: Service, status: int) -> None:
    match = duel()
    agree(signed_in(match.players[1]), Browser(), push_service.url)
    push_service.status = status
    match.guess(0)
    assert not Device.objects.exists()


@pytest.mark.parametrize("status", [429, 500, 302])
def test_a_service_that_refuses_is_asked_again_at_the_next_turn_and_leads_nowhere(
    push_service: Service, status: int
) -> None:
    """A redirect is not followed: it could lead to what no page may reach."""
    match = duel()
    agree(signed_in(match.players[1]), Browser(), f"{push_service.url}/here")
    push_service.status = status
    match.guess(0)
    assert [path for path, _, _ in push_service.taken] == ["/here"]
    assert Device.objects.count() == 1


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://fcm.googleapis.com/fcm/send/x",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://169.254.169.254/latest/meta-data/",
        "https://fcm.googleapis.com.evil.example/x",
        "https://evil.example/fcm.googleapis.com",
        "https://evil.example\\.push.apple.com/x",
        "https://evil.example#.push.apple.com",
        "https://user@fcm.googleapis.com/x",
        "https://fcm.googleapis.com:8443/x",
        "https://web.push.apple.com.evil.example/x",
        "https://evilpush.apple.com/x",
        "https://fcm.googleapis.com:x/",
        "https://fcm.googleapis.com/" + "x" * 700,
        "file:///etc/passwd",
        "",
    ],
)
def test_no_address_is_taken_but_of_the_known_push_services(endpoint: str) -> None:
    """D25: the site posts to none that a stranger makes up."""
    assert agree(signed_in(person("ada")), Browser(), endpoint) == 400
    assert not Device.objects.exists()


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://fcm.googleapis.com/fcm/send/x:y",
        "https://updates.push.services.mozilla.com/wpush/v2/x",
        "https://web.push.apple.com/x",
        "https://wns2-par02p.notify.windows.com/w/?token=x",
    ],
)
def test_the_push_services_of_the_browsers_are_known(endpoint: str) -> None:
    assert agree(signed_in(person("ada")), Browser(), endpoint) == 204


def test_what_was_lawful_once_is_asked_again_before_it_is_written_to(
    push_service: Service, settings: Settings
) -> None:
    match = duel()
    agree(signed_in(match.players[1]), Browser(), push_service.url)
    settings.PUSH_SERVICES = ()
    match.guess(0)
    assert push_service.taken == []
    assert not Device.objects.exists()


@pytest.mark.parametrize("broken", [{"p256dh": "AAAA"}, {"p256dh": "é"}, {"auth": "AAAA"}, {"auth": ""}])
def test_keys_that_nothing_can_be_written_with_are_refused(broken: dict[str, str]) -> None:
    fields = {**Browser().agreement("https://fcm.googleapis.com/x"), **broken}
    assert signed_in(person("ada")).post("/account/calls/device/", fields).status_code == 400


def test_nobody_agrees_who_is_nobody() -> None:
    assert agree(Client(), Browser(), "https://fcm.googleapis.com/x") == 401
    assert Client().post("/account/calls/forget/").status_code == 401
    assert Client(enforce_csrf_checks=True).post("/account/calls/device/").status_code == 403


def test_a_device_calls_whoever_agreed_on_it_last() -> None:
    ada, bob = person("ada"), person("bob")
    for player in (ada, bob):
        agree(signed_in(player), Browser(), "https://fcm.googleapis.com/x")
    assert Device.objects.get().player == bob


def test_a_player_has_so_many_devices_the_latest() -> None:
    client = signed_in(person("ada"))
    for n in range(services.MOST_DEVICES + 2):
        agree(client, Browser(), f"https://fcm.googleapis.com/{n}")
    assert Device.objects.count() == services.MOST_DEVICES
    assert not Device.objects.filter(endpoint="https://fcm.googleapis.com/0").exists()


@pytest.mark.parametrize("how", ["withdraws", "signs out", "is signed out elsewhere"])
def test_a_browser_that_is_signed_out_is_called_no_more(push_service: Service, how: str) -> None:
    match = duel()
    client = signed_in(match.players[1])
    agree(client, Browser(), push_service.url)
    if how == "withdraws":
        assert client.post("/account/calls/forget/").status_code == 204
    elif how == "signs out":
        client.logout()
    else:
        sign_out_elsewhere(match.players[1], None)
    match.guess(0)
    assert push_service.taken == []
    assert not Device.objects.exists()


def test_a_suspended_player_is_not_called(push_service: Service) -> None:
    match = duel()
    agree(signed_in(match.players[1]), Browser(), push_service.url)
    User.objects.filter(pk=match.players[1].pk).update(is_active=False)
    match.guess(0)
    assert push_service.taken == []


# Letters


@pytest.fixture
def post_office(transactional_db: None, settings: Settings) -> None:
    settings.MAIL = replace(site.MAIL, sends=True)


def reader() -> User:
    return person("bob", email="bob@example.org", language="it")


def test_a_letter_goes_out_to_who_wants_it(post_office: None) -> None:
    bob = reader()
    client = signed_in(bob)
    client.post("/account/calls/letters/", {"letters": "on"})
    match = Duel("classic", clock=HOUR, players=(person("ada"), bob)).start()
    match.guess(0)
    [letter] = mail.outbox
    assert letter.to == ["bob@example.org"]
    assert f"http://testserver/m/{match.id}/" in letter.body
    assert "http://testserver/account/" in letter.body
    assert "ada" in letter.subject
    client.post("/account/calls/letters/", {"letters": "off"})
    match.guess(1)
    match.guess(0)
    assert len(mail.outbox) == 1


def test_no_letter_is_offered_where_none_can_go(settings: Settings) -> None:
    client = signed_in(reader())
    assert "calls/letters" not in client.get("/account/").content.decode()
    client.post("/account/calls/letters/", {"letters": "on"})
    settings.MAIL = replace(site.MAIL, sends=True)
    assert "calls/letters" in client.get("/account/").content.decode()
    addressless, guest = signed_in(person("ada")), signed_in(person("Vega-1", Kind.GUEST))
    for other in (addressless, guest):
        assert "calls/letters" not in other.get("/account/").content.decode()
        other.post("/account/calls/letters/", {"letters": "on"})
    assert not Letters.objects.exists()


def test_a_post_office_that_is_closed_keeps_nobody_from_a_move(post_office: None, settings: Settings) -> None:
    bob = reader()
    signed_in(bob).post("/account/calls/letters/", {"letters": "on"})
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    match = Duel("classic", clock=HOUR, players=(person("ada"), bob)).start()
    match.guess(0)
    assert match.state.moves == 1


# Pages


def test_a_match_of_long_moves_offers_it_and_others_do_not() -> None:
    match = duel()
    client = signed_in(match.players[0])
    assert f'data-push="{push.public_key()}"' in client.get(f"/m/{match.id}/").content.decode()
    quick = Duel("classic", clock={"kind": "move", "seconds": 60}, players=match.players)
    assert "data-push" not in client.get(f"/m/{quick.id}/").content.decode()
    assert "data-push" not in Client().get(f"/m/{match.id}/").content.decode()
    assert "data-push" in client.get("/account/").content.decode()


def test_the_page_says_whether_this_very_browser_is_called() -> None:
    ada = person("ada")
    here, there = signed_in(ada), signed_in(ada)
    agree(here, Browser(), "https://fcm.googleapis.com/x")
    assert 'data-on="1"' in here.get("/account/").content.decode()
    assert 'data-on=""' in there.get("/account/").content.decode()


@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators")
def test_the_export_says_that_a_device_agreed_and_not_where_it_is() -> None:
    client = signed_in(person("ada"))
    agree(client, Browser(), "https://fcm.googleapis.com/secret-address")
    answer: Any = client.get("/account/export/")
    text = b"".join(answer).decode()
    assert len(json.loads(text)["devices"]) == 1
    assert "secret-address" not in text


def test_calls_go_with_their_player(push_service: Service) -> None:
    match = duel()
    agree(signed_in(match.players[1]), Browser(), push_service.url)
    match.guess(0)
    assert Called.objects.count() == 1
    match.players[1].delete()
    assert not Device.objects.exists()
