"""Coming in and going out: signing up, guests who become people, signing in, passwords by letter, limits (D25)."""

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Kind, Session, User
from players.services import issue_token, player_by_token
from tests.builders import Api, Duel, Page, people, person, signed_in, the_one
from tests.players.test_names import CYRILLIC, UNLAWFUL

pytestmark = pytest.mark.django_db

PASSWORD, OTHER = "correct-horse-9", "battery-staple-7"
ELSEWHERE = [
    "//evil.example",
    "https://evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "http:///evil.example",
]


def sign_up(client: Client, name: str = "ada", **fields: str) -> Page:
    return client.post("/account/signup/", {"username": name, "password1": PASSWORD, **fields})


def sign_in(client: Client, login: str = "ada", password: str = PASSWORD, **more: Any) -> Page:
    return client.post(
        "/account/signin/", {"login": login, "password": password, **more.pop("fields", {})}, **more
    )


def signed_in_as(client: Client) -> str | None:
    """Whose page it is, by what the page itself says."""
    found = re.search(r'class="btn bare own" href="/account/">([^<]*)<', client.get("/").content.decode())
    return found[1] if found else None


# Signing up


def test_a_name_and_a_password_are_enough() -> None:
    client = Client()
    assert sign_up(client)["Location"] == "/"
    ada = the_one()
    assert (ada.username, ada.kind, ada.email, ada.is_staff) == ("ada", "human", "", False)
    assert ada.check_password(PASSWORD)
    assert signed_in_as(client) == "ada"


def test_passwords_are_kept_by_argon2() -> None:
    from numbers_site import settings

    assert settings.PASSWORD_HASHERS[0].endswith("Argon2PasswordHasher")


@pytest.mark.parametrize(
    "what", [what for what in UNLAWFUL if what != "half a character"]
)  # no browser sends it
def test_an_unlawful_name_makes_nobody(what: str) -> None:
    """D24, D25. White space round a name is not part of it, and a letter with its accent is one, however typed."""
    answer = sign_up(Client(), UNLAWFUL[what])
    if what in ("a space behind", "a space before", "a tab", "a line end", "an accent of its own"):
        assert the_one().username in ("Mario", "Nicolò")
    else:
        assert 'aria-invalid="true"' in answer.content.decode()
        assert not people()


@pytest.mark.parametrize("other", ["Mario", "mario", "Mario ", "Mario\u200b", CYRILLIC, "Mar1o", "Màrio"])
def test_a_name_that_looks_like_anothers_is_refused(other: str) -> None:
    """D25"""
    person("Mario")
    assert sign_up(Client(), other).status_code == 200
    assert len(people()) == 1


@pytest.mark.parametrize(
    "name", ["Easy", "medium", "HARD", "Facile", "medio", "D1fficile", "admin", "Ädmin", "Moderator"]
)
def test_the_sites_own_names_are_not_to_be_had(name: str) -> None:
    answer = sign_up(Client(), name)
    assert "kept for the site" in answer.content.decode()
    assert not people()


def test_a_name_taken_this_very_moment_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The form found it free; the database knows better."""
    from players import forms

    def late(name: str) -> None:
        person("ADA")

    monkeypatch.setattr(forms, "check_free", late)
    monkeypatch.setattr(forms, "name_key", lambda name: "nobody")
    answer = sign_up(Client())
    assert answer.status_code == 200
    assert "That name is taken" in answer.content.decode()
    assert the_one().username == "ADA"


@pytest.mark.parametrize("password", ["", "12345678", "short", "password", "adalovelace"])
def test_a_weak_password_is_refused_in_words(password: str) -> None:
    answer = Client().post("/account/signup/", {"username": "adalovelace", "password1": password})
    assert answer.status_code == 200
    assert 'id="id_password1_error"' in answer.content.decode()
    assert not people()


def test_a_short_password_is_refused_in_the_readers_language() -> None:
    """D27: Django's own Italian has no words for it."""
    sent = {"username": "ada", "password1": "short"}
    answer = Client().post("/account/signup/", sent, headers={"Accept-Language": "it"}).content.decode()
    assert "troppo corta: servono almeno 8 caratteri" in answer
    assert "too short" not in answer


def test_an_address_belongs_to_one_account() -> None:
    sign_up(Client(), email="Ada@Example.org")
    assert the_one().email == "ada@example.org"
    answer = sign_up(Client(), "bob", email="ADA@example.org")
    assert "already given that address" in answer.content.decode()
    assert len(people()) == 1


@pytest.mark.parametrize(
    ("asked", "shown", "needed"), [(["email"], True, False), (["email*"], True, True), ([], False, False)]
)
def test_the_operator_says_whether_an_address_is_asked_for(
    settings: Any, asked: list[str], shown: bool, needed: bool
) -> None:
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", *asked, "password1*"]
    client = Client()
    assert ('name="email"' in client.get("/account/signup/").content.decode()) is shown
    assert sign_up(client).status_code == (200 if needed else 302)
    assert sign_up(client, email="ada@example.org").status_code == 302


def test_signing_up_is_limited() -> None:
    answers = [sign_up(Client(), "x").status_code for _ in range(21)]
    assert answers[-1] == 429
    assert set(answers[:-1]) == {200}


# A guest becomes a person


def guest_with_a_duel() -> tuple[Client, User, Duel]:
    guest = person("Vega-4821", Kind.GUEST, password=None)
    return signed_in(guest), guest, Duel(players=(guest, person("bob"))).start()


def test_a_guest_who_signs_up_keeps_matches_tokens_and_place() -> None:
    client, guest, duel = guest_with_a_duel()
    token = issue_token(guest)
    key = client.session.session_key
    assert "Vega-4821" in client.get("/account/signup/").content.decode()
    assert sign_up(client, email="ada@example.org").status_code == 302
    ada = User.objects.get(username="ada")
    assert (ada.pk, ada.kind, ada.email) == (guest.pk, "human", "ada@example.org")
    assert not User.objects.filter(username="Vega-4821").exists()
    assert player_by_token(token) == ada
    assert Api(client=client).get(f"/matches/{duel.id}").body["you"] == 0
    assert signed_in_as(client) == "ada"
    assert client.session.session_key != key
    assert not Session.objects.filter(pk=key).exists()


def test_who_has_signed_up_is_welcomed_once() -> None:
    client = Client()
    sign_up(client)
    assert "Welcome, ada." in client.get("/").content.decode()
    assert "Welcome" not in client.get("/").content.decode()


def test_a_guest_who_signs_in_leaves_the_guests_matches_with_the_guest() -> None:
    client, guest, duel = guest_with_a_duel()
    person("ada", password=PASSWORD)
    assert "stays with Vega-4821" in " ".join(client.get("/account/signin/").content.decode().split())
    sign_in(client)
    assert signed_in_as(client) == "ada"
    assert duel.row.seats.get(index=0).player == guest
    assert Api(client=client).get(f"/matches/{duel.id}").body["you"] is None


def test_a_guest_who_has_expired_becomes_a_new_person() -> None:
    """The page was loaded in time; the row is gone when the form arrives."""
    from players.services import register

    guest = person("Vega-4821", Kind.GUEST)
    User.objects.filter(pk=guest.pk).delete()
    assert register(guest, "ada", PASSWORD, "").username == "ada"


def test_a_member_has_no_second_account_to_make() -> None:
    client = signed_in(person("ada"))
    assert client.get("/account/signup/")["Location"] == "/"
    assert sign_up(client, "eve")["Location"] == "/"
    assert the_one().kind == "human"


# Signing in


@pytest.mark.parametrize(
    "login", ["Mario", "mario", " MARIO ", "Màrio", "Mar1o", "mario@example.org", "MARIO@Example.org"]
)
def test_one_signs_in_by_a_name_as_one_writes_it_or_by_address(login: str) -> None:
    person("Mario", password=PASSWORD, email="mario@example.org")
    client = Client()
    assert sign_in(client, login)["Location"] == "/"
    assert signed_in_as(client) == "Mario"


@pytest.mark.parametrize("login", ["mario", "nobody", "", "mario@example.org", "@", "x\x00y", "m" * 3000])
def test_a_wrong_password_opens_nothing_and_says_nothing_of_who_exists(login: str) -> None:
    person("Mario", password=PASSWORD)
    client = Client()
    assert sign_in(client, login, "wrong").status_code == 200
    assert signed_in_as(client) is None


def test_neither_guests_nor_bots_can_be_signed_in_as() -> None:
    person("Vega-4821", Kind.GUEST)
    for name in ("Vega-4821", "Easy"):
        for password in ("", "!", "x"):
            assert sign_in(Client(), name, password).status_code == 200


def test_a_suspended_player_does_not_get_in() -> None:
    person("ada", password=PASSWORD, is_active=False)
    client = Client()
    assert sign_in(client).status_code == 200
    assert signed_in_as(client) is None


def test_signing_in_renews_the_session() -> None:
    person("ada", password=PASSWORD)
    client = Client()
    client.cookies["sessionid"] = "a" * 32
    sign_in(client)
    assert client.session.session_key != "a" * 32


def test_thirty_wrong_logins_are_slowed_whatever_address_they_claim() -> None:
    """D25: a header resets nothing, nor does another spelling, nor another Host."""
    person("Mario", password=PASSWORD, email="mario@example.org")
    spellings = ["Mario", "mario", "Màrio", "Mar1o", "MARIO", "mario@example.org"]
    answers = [
        sign_in(
            Client(),
            spellings[number % len(spellings)],
            "wrong",
            headers={"X-Forwarded-For": f"203.0.113.{number}", "Host": f"localhost:{8000 + number}"},
        )
        for number in range(30)
    ]
    assert sum("Too many attempts" in answer.content.decode() for answer in answers) == 25
    right = sign_in(Client(), "Mario", REMOTE_ADDR="203.0.113.99")
    assert "Too many attempts" in right.content.decode()


def test_one_account_under_attack_shuts_no_other_out() -> None:
    person("Mario", password=PASSWORD)
    person("ada", password=PASSWORD)
    for number in range(6):
        sign_in(Client(), "Mario", "wrong", REMOTE_ADDR=f"203.0.113.{number}")
    assert sign_in(Client(), "ada").status_code == 302


def test_behind_our_proxies_the_address_they_saw_counts(settings: Any) -> None:
    """What the client wrote into the header stands left of it."""
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    answers = [
        sign_in(
            Client(), f"nobody{number}", "wrong", headers={"X-Forwarded-For": f"10.0.0.{number}, 203.0.113.9"}
        )
        for number in range(12)
    ]
    assert "Too many attempts" in answers[-1].content.decode()
    other = sign_in(Client(), "nobody", "wrong", headers={"X-Forwarded-For": "203.0.113.9, 203.0.113.10"})
    assert "Too many attempts" not in other.content.decode()


def test_limits_can_be_off(settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = False
    person("ada", password=PASSWORD)
    for _ in range(40):
        sign_in(Client(), "ada", "wrong")
    assert sign_in(Client()).status_code == 302


def test_the_admins_door_is_counted_with_the_other() -> None:
    person("root", password=PASSWORD, is_staff=True, is_superuser=True)
    fields = {"username": "root", "password": "wrong"}
    answers = [Client().post("/admin/login/", fields) for _ in range(6)]
    assert "Too many attempts" in answers[-1].content.decode()


def test_a_superuser_gets_into_the_admin() -> None:
    person("root", password=PASSWORD, is_staff=True, is_superuser=True)
    client = Client()
    answer = client.post("/admin/login/?next=/admin/", {"username": "ROOT", "password": PASSWORD})
    assert answer["Location"] == "/admin/"
    assert client.get("/admin/players/user/").status_code == 200
    person("ada", password=PASSWORD)
    assert Client().post("/admin/login/", {"username": "ada", "password": PASSWORD}).status_code == 200


# Where one ends up


@pytest.mark.parametrize("target", ELSEWHERE)
def test_nobody_is_sent_elsewhere(target: str) -> None:
    """D25: on signing in, up and out, and on the language switch."""
    person("ada", password=PASSWORD)
    client = Client()
    answers = [
        client.post("/i18n/setlang/", {"language": "it", "next": target}),
        sign_up(client, "eve", next=target),
        client.post("/account/signout/", {"next": target}),
        sign_in(client, fields={"next": target}),
        client.get("/account/signin/", {"next": target}),
        client.post("/players/eve/block/", {"next": target}),
    ]
    for answer in answers:
        assert answer.status_code == 302
        assert answer["Location"].startswith("/")
        assert "evil" not in answer["Location"]


def test_one_is_brought_back_to_where_one_wanted_to_go() -> None:
    person("ada", password=PASSWORD)
    client = Client()
    sent = client.get("/account/tokens/")["Location"]
    assert sent == "/account/signin/?next=/account/tokens/"
    assert 'name="next" value="/account/tokens/"' in client.get(sent).content.decode()
    assert sign_in(client, fields={"next": "/account/tokens/"})["Location"] == "/account/tokens/"


def test_a_link_signs_nobody_out() -> None:
    """D25: by GET one is asked; by POST without its token, refused."""
    client = signed_in(person("ada"), enforce_csrf_checks=True)
    assert client.get("/account/signout/").status_code == 200
    assert client.post("/account/signout/").status_code == 403
    assert signed_in_as(client) == "ada"
    lenient = signed_in(the_one())
    assert lenient.post("/account/signout/")["Location"] == "/"
    assert signed_in_as(lenient) is None


def test_a_guest_is_told_that_signing_out_is_for_good() -> None:
    page = signed_in(person("Vega-4821", Kind.GUEST)).get("/account/signout/").content.decode()
    assert "nobody can play as Vega-4821 again" in page


# Passwords


def ask_for_link(client: Client, email: str) -> str:
    assert client.post("/account/password/reset/", {"email": email}).status_code == 302
    found = re.search(r"http://testserver(/account/password/reset/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return found[1]


def test_a_new_password_comes_by_letter_once() -> None:
    ada = person("ada", password=PASSWORD, email="ada@example.org")
    elsewhere = signed_in(ada)
    client = Client()
    link = ask_for_link(client, "ADA@example.org")
    assert "ada" in str(mail.outbox[0].body)
    assert mail.outbox[0].to == ["ada@example.org"]
    form = client.get(link)["Location"]
    assert "set-password" in form
    assert client.get(form).status_code == 200
    assert client.post(form, {"password1": OTHER, "password2": OTHER}).status_code == 302
    assert sign_in(Client(), password=PASSWORD).status_code == 200
    assert sign_in(Client(), password=OTHER).status_code == 302
    assert signed_in_as(elsewhere) is None
    assert "used up" in Client().get(link).content.decode()


def test_a_letter_to_nobody_is_not_sent_and_not_told() -> None:
    person("ada", email="ada@example.org", password=PASSWORD)
    answers = [
        Client().post("/account/password/reset/", {"email": email})
        for email in ("ada@example.org", "x@example.org")
    ]
    assert len({answer["Location"] for answer in answers}) == 1
    assert len(mail.outbox) == 1


def test_a_site_without_mail_says_so(settings: Any) -> None:
    assert "sends no mail" in Client().get("/account/password/reset/").content.decode()
    assert "sends no mail" in Client().get("/account/password/reset/sent/").content.decode()
    settings.MAIL = type(settings.MAIL)(sends=True)
    assert "sends no mail" not in Client().get("/account/password/reset/").content.decode()


def test_a_post_office_that_is_closed_breaks_nothing(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    person("ada", email="ada@example.org", password=PASSWORD)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    assert Client().post("/account/password/reset/", {"email": "ada@example.org"}).status_code == 302


def test_a_password_is_changed_by_who_knows_it_and_signs_out_everywhere_else() -> None:
    ada = person("ada", password=PASSWORD)
    here, there = signed_in(ada), signed_in(ada)
    there.get("/")
    wrong = {"oldpassword": "wrong", "password1": OTHER, "password2": OTHER}
    assert "not your password" in here.post("/account/password/", wrong).content.decode()
    assert here.post("/account/password/", {**wrong, "oldpassword": PASSWORD})["Location"] == "/account/"
    assert (signed_in_as(here), signed_in_as(there)) == ("ada", None)
    assert Session.objects.filter(user=ada).count() == 1
    assert sign_in(Client(), password=OTHER).status_code == 302


def test_who_has_no_password_is_led_to_where_one_is_had() -> None:
    """As staff may make people."""
    ada = person("ada")
    ada.set_unusable_password()
    ada.save(update_fields=["password"])
    page = signed_in(ada).get("/account/password/")
    assert (page.status_code, page["Location"]) == (302, "/account/password/reset/")


def test_an_address_is_changed_with_the_password_and_the_old_one_opens_nothing() -> None:
    sign_up(client := Client(), email="old@example.org")
    assert (
        "not your password"
        in client.post("/account/email/", {"email": "new@example.org", "password": "x"}).content.decode()
    )
    assert (
        client.post("/account/email/", {"email": "New@example.org", "password": PASSWORD}).status_code == 302
    )
    assert the_one().email == "new@example.org"
    Client().post("/account/password/reset/", {"email": "old@example.org"})
    assert not mail.outbox
    ask_for_link(Client(), "new@example.org")
    assert client.post("/account/email/", {"email": "", "password": PASSWORD}).status_code == 302
    assert not EmailAddress.objects.exists()


def test_an_address_taken_away_in_the_admin_opens_nothing() -> None:
    root = person("root", is_staff=True, is_superuser=True)
    sign_up(Client(), email="old@example.org")
    ada = User.objects.get(username="ada")
    page = signed_in(root).get(f"/admin/players/user/{ada.pk}/change/")
    fields = {
        name: value
        for name, value in page.context["adminform"].form.initial.items()
        if value not in (None, False)
    }
    fields |= {"email": "new@example.org", "is_active": "on", "groups": [], "user_permissions": []}
    assert signed_in(root).post(f"/admin/players/user/{ada.pk}/change/", fields).status_code == 302
    Client().post("/account/password/reset/", {"email": "old@example.org"})
    assert not mail.outbox


# All of it in our dress


@pytest.mark.parametrize(
    "path",
    [
        "",
        "signin/",
        "signup/",
        "inactive/",
        "password/reset/",
        "password/reset/sent/",
        "password/reset/done/",
        "password/reset/1-x/",
    ],
)
@pytest.mark.parametrize("language", ["en", "it"])
def test_every_page_of_accounts_is_one_of_ours(path: str, language: str) -> None:
    page = Client(headers={"Accept-Language": language}).get(f"/account/{path}").content.decode()
    assert f'<html lang="{language}"' in page
    assert "css/components.css" in page
    assert "placeholder" not in page


@pytest.mark.parametrize(
    "path", ["email/verify", "reauthenticate/", "login/", "login/code/", "password/set/", "confirm-email/"]
)
def test_nothing_of_allauth_is_reached_beside_them(path: str) -> None:
    assert Client().get(f"/account/{path}").status_code == 404


def test_a_page_costs_a_player_two_queries_to_be_known() -> None:
    """Session and player; the note of the day is taken once."""
    client = signed_in(person("ada"))
    client.get("/account/signup/")
    with CaptureQueriesContext(connection) as seen:
        client.get("/account/signup/")
    assert len(seen) == 2
