"""Looks of the pages on which much goes on: home, lobby, tournaments, the end of a match and its analysis."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.camera import Camera
from tests.browser.test_looks import Open, camera, language
from tests.site import Site

__all__ = ["camera", "language"]

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Nobody here is at a browser, and no match ends for that."""
    with Site(
        tmp_path_factory.mktemp("site") / "data", GRACE_SECONDS="900", ROUND_PAUSE_SECONDS="0"
    ) as running:
        yield running


@pytest.fixture(scope="module")
def town(site: Site) -> dict[str, str]:
    settled = site.manage("shell", "-v0", "-c", "from tests.browser.town import settle; settle()")
    assert settled.returncode == 0, settled.stderr
    town: dict[str, str] = json.loads(settled.stdout)
    return town


@pytest.fixture
def page(open_context: Open, language: str, site: Site, town: dict[str, str]) -> Iterator[Page]:
    """A page of somebody who plays in all of it; nothing on it may go wrong unseen."""
    context = open_context(locale=language)
    context.add_cookies([{"name": "sessionid", "value": town["session"], "url": site.url}])
    page, mistakes = context.new_page(), list[str]()
    page.on("pageerror", lambda error: mistakes.append(str(error)))
    page.on("console", lambda message: mistakes.append(message.text) if message.type == "error" else None)
    yield page
    assert mistakes == []


def put_away(page: Page) -> None:
    """A challenge stands before all pages until it is closed once; so does, while it is news, a match begun."""
    page.locator("#calls .call").first.wait_for()
    for _ in range(page.locator("#calls .call").count()):
        page.locator("#calls .call [data-dismiss]").first.click()
    expect(page.locator("#calls .call")).to_have_count(0)


def test_home_and_lobby(page: Page, camera: Camera, town: dict[str, str]) -> None:
    page.goto("/")
    page.locator("#calls .call").first.wait_for()
    camera.take(page, "called")
    put_away(page)
    camera.take(page, "home-busy", whole=True)
    page.goto("/lobby/")
    expect(page.locator("#seeks .seek")).to_have_count(4)
    camera.take(page, "lobby", whole=True)
    page.goto(f"/challenge/{town['rival']}/")
    camera.take(page, "challenge", whole=True)


def test_tournaments(page: Page, camera: Camera, town: dict[str, str]) -> None:
    page.goto("/tournaments/")
    put_away(page)
    camera.take(page, "tournaments", whole=True)
    page.locator("#coming a", has_text="Evening knockout").click()
    page.locator("#entrants").wait_for()
    camera.take(page, "tournament-open", whole=True)
    for state in ("running", "ended"):
        page.goto(f"/tournaments/{town[state]}/")
        camera.take(page, f"tournament-{state}", whole=True)
    page.goto("/tournaments/new/")
    camera.take(page, "tournament-new", whole=True)


def test_the_end_of_a_match_and_its_analysis(page: Page, camera: Camera, town: dict[str, str]) -> None:
    page.goto(f"/m/{town['over']}/")
    page.locator("#analysis").wait_for()
    put_away(page)
    camera.take(page, "over-analysed", whole=True)
    page.goto(f"/m/{town['over']}/analysis/")
    camera.take(page, "analysis", whole=True)
