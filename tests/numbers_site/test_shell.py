"""The site as an app: what a browser is told to install, and what it keeps for when there is no line."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from PIL import Image

from numbers_site.tongues import spoken
from tests.builders import person, signed_in
from tests.site import ROOT

LANGUAGES = [code for code, _ in settings.LANGUAGES]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_icon_of_the_manifest_is_there_in_the_size_it_claims(
    client: Client, language: str, db: None
) -> None:
    told = client.get(f"/app.{language}.webmanifest").json()
    assert told["lang"] == language
    assert (told["start_url"], told["scope"], told["display"]) == ("/", "/", "standalone")
    assert {"192x192", "512x512"} <= {icon["sizes"] for icon in told["icons"]}
    assert "maskable" in [icon.get("purpose") for icon in told["icons"]]
    for icon in told["icons"]:
        path = ROOT / icon["src"].lstrip("/")
        if icon["type"] == "image/png":
            with Image.open(path) as image:
                assert f"{image.width}x{image.height}" == icon["sizes"]
        else:
            assert path.is_file()
    for shortcut in told["shortcuts"]:
        assert client.get(shortcut["url"]).status_code == 200


def test_every_page_leads_to_the_manifest_and_the_worker_of_its_language(client: Client, db: None) -> None:
    for language in LANGUAGES:
        page = client.get("/rules/", headers={"Accept-Language": language}).content.decode()
        assert f'<link rel="manifest" href="/app.{language}.webmanifest">' in page
        assert f'data-worker="/worker.{language}.js"' in page


def test_the_worker_keeps_files_of_the_shell_only_and_they_are_there(client: Client, db: None) -> None:
    """No page with anything of anybody's, no answer of the API."""
    script = client.get("/worker.en.js")
    assert script["Content-Type"] == "text/javascript"
    assert script["Cache-Control"] == "no-cache"
    kept = re.findall(r'"([^"]+)"', re.search(r"const SHELL = \[(.*?)\]", script.content.decode())[1])  # type: ignore[index]
    assert kept[0] == "/offline/en/"
    for path in kept:
        assert path == kept[0] or path.startswith("/static/")
        assert client.get(path).status_code == 200


def test_the_offline_page_says_nothing_of_who_asks(db: None) -> None:
    page = signed_in(person("ada")).get("/offline/en/").content.decode()
    assert page == Client().get("/offline/en/").content.decode()
    assert "ada" not in page
    assert "csrf" not in page


def test_the_worker_of_another_shell_has_another_name(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a browser throws away what it kept of the old one."""

    def name() -> str:
        found = re.search(r"PREFIX\}(\w+)`", client.get("/worker.en.js").content.decode())
        assert found is not None
        return found[1]

    before = name()
    assert name() == before
    monkeypatch.setattr("numbers_site.shell._offline", lambda language: "<p>Another page.</p>")
    assert name() != before


@pytest.mark.parametrize("path", ["/app.xx.webmanifest", "/worker.xx.js", "/offline/xx/", "/offline/../"])
def test_there_is_none_in_a_language_nobody_speaks_here(client: Client, db: None, path: str) -> None:
    assert client.get(path).status_code == 404


def test_adding_a_language_is_one_folder(tmp_path: Path) -> None:
    for folder in ("it", "fr", "pt_BR", "no-such-language"):
        (tmp_path / folder / "LC_MESSAGES").mkdir(parents=True)
        (tmp_path / folder / "LC_MESSAGES" / "django.mo").touch()
    (tmp_path / "de").mkdir()
    assert spoken(tmp_path) == [
        ("en", "English"),
        ("fr", "Français"),
        ("it", "Italiano"),
        ("pt-br", "Português brasileiro"),
    ]
