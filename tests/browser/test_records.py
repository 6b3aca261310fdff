"""The ladder, a player's page and a history in a real browser: how they look, and that htmx carries the history."""

import json
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.camera import Camera
from tests.browser.test_looks import Open, camera, language
from tests.ratings.season import MATCHES
from tests.site import Site

__all__ = ["camera", "language"]

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def season(site: Site) -> dict[str, Any]:
    played = site.manage("shell", "-v0", "-c", "from tests.ratings.season import play; play()")
    assert played.returncode == 0, played.stderr
    season: dict[str, Any] = json.loads(played.stdout)
    return season


def reader(context: BrowserContext, site: Site, season: dict[str, Any]) -> Page:
    context.add_cookies([{"name": "sessionid", "value": season["session"], "url": site.url}])
    return context.new_page()


def test_ladder_player_and_history(
    open_context: Open, language: str, camera: Camera, site: Site, season: dict[str, Any]
) -> None:
    """D28, ui.md: fit down to 320 px, and axe finds nothing."""
    page = reader(open_context(locale=language), site, season)
    page.goto("/ladder/")
    expect(page.locator("tr.me")).to_be_visible()
    camera.take(page, "ladder", whole=True)
    page.goto("/ladder/tournaments/")
    camera.take(page, "ladder-empty", whole=True)
    page.goto(f"/players/{season['top']}/")
    camera.take(page, "player", whole=True)
    page.goto(f"/players/{season['top']}/matches/")
    camera.take(page, "history", whole=True)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_a_history_is_filtered_and_read_to_its_end(
    scripts: bool, open_context: Open, site: Site, season: dict[str, Any]
) -> None:
    """With htmx older matches join those there are; without a script each page is one of its own."""
    page = reader(open_context(java_script_enabled=scripts), site, season)
    mistakes: list[str] = []
    page.on("console", lambda message: mistakes.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: mistakes.append(str(error)))
    page.goto(f"/players/{season['top']}/matches/")
    lines = page.locator("#matches time")
    expect(lines).to_have_count(20)
    page.locator("select[name=outcome]").select_option("won")
    page.locator("input[name=opponent]").fill("marta")
    page.locator("form.filter button").click()
    page.wait_for_url("**outcome=won**")
    expect(page.locator("#matches li").first).to_contain_text("Marta")
    expect(lines).to_have_count(20)
    page.locator(".older a").click()
    if scripts:
        expect(lines).to_have_count(40)
    else:
        page.wait_for_url("**after=**")
        expect(lines).to_have_count(20)
    page.locator(".older a").click()
    expect(page.locator(".older")).to_have_count(0)
    if scripts:
        assert lines.count() >= MATCHES
        page.go_back()
        page.wait_for_url("**opponent=")
        expect(lines).to_have_count(20)
    assert mistakes == []
