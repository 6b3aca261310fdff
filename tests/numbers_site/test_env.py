"""Settings are read from the environment, and a wrong one is named in one line."""

from pathlib import Path

import pytest

from numbers_site import env
from tests.site import run

WRONG = [
    ("PORT", "0"), ("PORT", "65536"), ("PORT", "http"), ("PORT", "٣"), ("PORT", "80.5"), ("PORT", "-1"),
    ("HOST", "300.1.1.1"), ("HOST", "two words"), ("ALLOWED_HOSTS", "https://example.org"),
    ("DEBUG", "perhaps"), ("LIMITS", "2"),
    ("DATABASE_URL", "mysql://somewhere/numbers"), ("DATABASE_URL", "postgres://somewhere"), ("REDIS_URL", "localhost"),
    ("BUDGET_SECONDS", "60,soon"), ("BUDGET_SECONDS", "0"), ("BUDGET_SECONDS", "60,,300"), ("MOVE_SECONDS", "1.5"),
    ("GRACE_SECONDS", "0"), ("CHOOSE_SECONDS", "-5"), ("CONFIRM_SECONDS", "x"), ("ROUND_PAUSE_SECONDS", "99999999999"),
    ("SIGNUP_EMAIL", "perhaps"), ("PROXIES", "-1"), ("PROXIES", "10"), ("TLS", "perhaps"), ("TLS", "on"),
    ("EMAIL_URL", "mail.example.org"), ("EMAIL_URL", "http://mail.example.org"), ("EMAIL_URL", "smtp://"),
    ("EMAIL_URL", "smtp://mail.example.org:port"), ("EMAIL_URL", "smtp://mail.example.org/path"),
    ("BOT_DELAY", "4-1"), ("BOT_DELAY", "1"), ("BOT_DELAY", "0-7200"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_value_that_makes_no_sense_stops_the_start_in_one_line(
    name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import runpy

    from numbers_site import settings

    monkeypatch.setenv("DATA", str(tmp_path))
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as refusal:
        runpy.run_path(settings.__file__)
    line = str(refusal.value)
    assert line.startswith(f"{name} takes ")
    assert "\n" not in line


def test_any_command_stops_without_a_traceback(tmp_path: Path) -> None:
    ended = run("check", DATA=str(tmp_path), BUDGET_SECONDS="soon")
    assert ended.returncode != 0
    assert ended.stdout == ""
    assert ended.stderr.startswith("BUDGET_SECONDS takes whole seconds")
    assert ended.stderr.count("\n") == 1


def test_a_password_in_a_url_is_not_repeated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DATABASE_URL", "mysql://ada:hush@somewhere/numbers")
    with pytest.raises(SystemExit) as refusal:
        env.database("DATABASE_URL", tmp_path)
    assert "hush" not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "port", "starttls", "tls"),
    [
        ("smtp://mail.example.org", 25, False, False),
        ("smtp+tls://mail.example.org", 587, True, False),
        ("smtps://mail.example.org", 465, False, True),
        ("smtps://mail.example.org:4465/", 4465, False, True),
    ],
)
def test_letters_leave_as_the_url_says(
    url: str, port: int, starttls: bool, tls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMAIL_URL", url)
    mail = env.mail("EMAIL_URL")
    assert (mail.sends, mail.host, mail.port, mail.starttls, mail.tls) == (
        True, "mail.example.org", port, starttls, tls,
    )  # fmt: skip


def test_a_name_and_a_password_for_the_post_office_may_hold_any_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMAIL_URL", "smtp+tls://ada%40example.org:p%2Fw%3A1@mail.example.org")
    mail = env.mail("EMAIL_URL")
    assert (mail.user, mail.password) == ("ada@example.org", "p/w:1")
    monkeypatch.setenv("EMAIL_URL", "smtp+tls://ada:hush@mail.example.org:x")
    with pytest.raises(SystemExit) as refusal:
        env.mail("EMAIL_URL")
    assert "hush" not in str(refusal.value)


def test_without_a_post_office_no_letter_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMAIL_URL", raising=False)
    assert not env.mail("EMAIL_URL").sends


def test_empty_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUDGET_SECONDS", "")
    assert env.seconds("BUDGET_SECONDS", 60, 180) == (60, 180)


def test_a_menu_of_clocks_keeps_its_order_and_holds_none_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOVE_SECONDS", "300, 60,300")
    assert env.seconds("MOVE_SECONDS", 1) == (300, 60)


def test_a_bot_may_answer_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_DELAY", "0-0")
    assert env.delay("BOT_DELAY", 1, 4) == (0, 0)


def test_the_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    first = env.secret_key("UNSET_KEY", tmp_path)
    assert env.secret_key("UNSET_KEY", tmp_path) == first
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600


def test_the_key_for_push_services_is_made_once_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = env.vapid_key("VAPID_KEY", tmp_path)
    assert env.vapid_key("VAPID_KEY", tmp_path) == first
    assert (tmp_path / "vapid_key").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("VAPID_KEY", "hush")
    with pytest.raises(SystemExit, match="VAPID_KEY takes") as refusal:
        env.vapid_key("VAPID_KEY", tmp_path)
    assert "hush" not in str(refusal.value)


def test_push_services_are_origins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUSH_SERVICES", "https://push.example.org, https://*.example.net:8443/")
    assert env.origins("PUSH_SERVICES") == ("https://push.example.org", "https://*.example.net:8443")
    monkeypatch.setenv("PUSH_SERVICES", "push.example.org")
    with pytest.raises(SystemExit, match="PUSH_SERVICES takes"):
        env.origins("PUSH_SERVICES")


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DATA", str(tmp_path / "file"))
    with pytest.raises(SystemExit, match="DATA takes a folder"):
        env.folder("DATA", tmp_path)


def test_listening_everywhere_admits_the_machines_own_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env, "own_addresses", lambda host: ["192.0.2.7"])
    assert "192.0.2.7" in env.allowed_hosts("ALLOWED_HOSTS", "0.0.0.0")
    assert "192.0.2.7" not in env.allowed_hosts("ALLOWED_HOSTS", "127.0.0.1")


def test_the_hosts_named_are_the_hosts_admitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", "play.example.org, .example.net")
    assert env.allowed_hosts("ALLOWED_HOSTS", "127.0.0.1") == ["play.example.org", ".example.net"]
