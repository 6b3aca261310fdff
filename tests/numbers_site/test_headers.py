"""What every answer carries: a policy for scripts and styles, and behind TLS the promise to come by it alone."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from numbers_site import nginx
from tests.site import ROOT, run

pytestmark = pytest.mark.django_db

TLS_SITE = {"TLS": "on", "PROXIES": "1", "ALLOWED_HOSTS": "play.example.org"}


def policy(answer: Any) -> dict[str, list[str]]:
    directives = (part.split() for part in answer["Content-Security-Policy"].split(";"))
    return {name: sources for name, *sources in directives}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200), ("/nothing-here/", 404), ("/account/signin/", 200), ("/admin/login/", 200), ("/api/v1/docs", 200),
        ("/api/v1/openapi.json", 200), ("/api/v1/account", 401), ("/healthz", 200), ("/lobby", 301),
    ],
)  # fmt: skip
def test_every_answer_carries_a_policy_that_runs_no_line_of_a_page(
    client: Client, path: str, status: int
) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    said = policy(answer)
    assert said["default-src"] == ["'none'"]
    assert said["script-src"] == said["style-src"] == said["connect-src"] == ["'self'"]
    assert said["frame-ancestors"] == said["base-uri"] == ["'none'"]
    assert "unsafe" not in answer["Content-Security-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_page_that_breaks_carries_it_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numbers_site.pages.render", lambda *given: 1 / 0)
    client.raise_request_exception = False
    answer = client.get("/")
    assert answer.status_code == 500
    assert policy(answer)["script-src"] == ["'self'"]


def test_a_body_too_large_is_turned_away_under_it(client: Client) -> None:
    answer = client.post("/account/signin/", {"login": "x" * 5000})
    assert answer.status_code == 413
    assert policy(answer)["script-src"] == ["'self'"]


def test_no_template_of_ours_holds_a_script_a_style_or_an_act_of_its_own() -> None:
    inline = re.compile(
        r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|\shx-on|javascript:|\shx-vals=.js:",
        re.IGNORECASE,
    )
    for template in (ROOT / "templates").rglob("*.html"):
        assert not inline.search(template.read_text()), template


def test_the_page_of_the_interface_loads_nothing_from_elsewhere(client: Client) -> None:
    page = client.get("/api/v1/docs").content.decode()
    assert "https://" not in page.replace("https://swagger.io", "")
    assert '"validatorUrl": null' in page


def test_behind_tls_cookies_are_for_tls_and_http_is_led_to_it(settings: Any, client: Client) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = settings.LANGUAGE_COOKIE_SECURE = True
    settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS = True, 31_536_000
    plain = Client().get("/lobby/")
    assert (plain.status_code, plain["Location"]) == (301, "https://testserver/lobby/")
    assert Client().get("/healthz").status_code == 200
    safe = Client(headers={"X-Forwarded-Proto": "https", "Referer": "https://testserver/"})
    answer = safe.get("/account/signin/")
    assert answer["Strict-Transport-Security"] == "max-age=31536000"
    invited = safe.post("/invite/")
    assert invited.status_code == 302
    spoken = safe.post("/i18n/setlang/", {"language": "it", "next": "/"})
    for cookie in [*answer.cookies.values(), *invited.cookies.values(), *spoken.cookies.values()]:
        assert cookie["secure"], cookie
        assert cookie["samesite"] == "Lax"


def test_the_settings_of_a_site_behind_tls_leave_nothing_to_warn_of(tmp_path: Path) -> None:
    checked = run("check", "--deploy", "--fail-level", "WARNING", DATA=str(tmp_path), **TLS_SITE)
    assert checked.returncode == 0, checked.stderr


def test_tls_without_a_proxy_to_end_it_stops_the_start(tmp_path: Path) -> None:
    ended = run("check", DATA=str(tmp_path), TLS="on")
    assert ended.returncode != 0
    assert ended.stderr == "TLS takes on only where a proxy of yours ends TLS and PROXIES counts it.\n"


def test_a_word_of_https_counts_only_where_a_proxy_is_told_of() -> None:
    assert settings.PROXIES == 0
    assert settings.SECURE_PROXY_SSL_HEADER is None


def test_the_scaled_shape_passes_on_how_a_request_came_to_the_proxies_before_it() -> None:
    written = [nginx.config("127.0.0.1:80", [8001], Path("/d"), Path("/s"), proxies) for proxies in (0, 1)]
    assert "X-Forwarded-Proto $scheme;" in written[0]
    assert "X-Forwarded-Proto $http_x_forwarded_proto;" in written[1]
