"""Two people who do not know each other meet through the lobby, wherever on the site they are."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import DESKTOP
from tests.browser.player import Player

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]
MATCH = re.compile("/m/")
NEWCOMER_SECONDS = 15


def open_seek(player: Player) -> None:
    player.page.goto("/lobby/")
    player.page.locator("form[action='/seeks/'] button:not([type=button])").click()
    player.page.wait_for_url("**/lobby/")
    expect(player.page.locator("#seeks .seek.own")).to_have_count(1)


def test_the_owner_of_a_seek_is_brought_to_the_match_from_another_page(
    open_context: Open, shots: Path
) -> None:
    """A newcomer is in a match within 15 s of the first page: one click takes what is open."""
    owner, newcomer = Player(open_context()), Player(open_context(viewport=DESKTOP))
    open_seek(owner)
    owner.page.goto("/")
    owner.page.evaluate(
        "new MutationObserver(() => sessionStorage.setItem('rang', document.title))"
        ".observe(document.querySelector('title'), {childList: true})"
    )
    began = time.monotonic()
    newcomer.page.goto("/")
    newcomer.page.locator("#seeks .seek:not(.own) button").first.click()
    newcomer.page.wait_for_url(MATCH)
    newcomer.phase("choosing")
    took = time.monotonic() - began
    owner.page.wait_for_url(MATCH, timeout=3_000)
    owner.phase("choosing")
    assert owner.page.url == newcomer.page.url
    assert "has begun" in owner.page.evaluate("sessionStorage.getItem('rang')")
    assert took < NEWCOMER_SECONDS
    print(f"a newcomer was in a match {took:.1f} s after the first page")  # noqa: T201
    owner.page.screenshot(path=shots / "met-owner.png")
    owner.choose("0417")
    newcomer.choose("9071")
    for player in (owner, newcomer):
        player.phase("playing")
        assert player.mistakes == []


def test_seeks_appear_and_vanish_under_a_readers_eyes(open_context: Open) -> None:
    """Live, over the socket: opened, taken back, and gone when its owner is."""
    reader, owner = Player(open_context(viewport=DESKTOP)), Player(open_context())
    reader.page.goto("/lobby/")
    rows = reader.page.locator("#seeks .seek")
    expect(rows).to_have_count(0)
    open_seek(owner)
    expect(rows).to_have_count(1)
    owner.page.reload()
    expect(owner.page.locator("#seeks .seek.own")).to_have_count(1)
    owner.page.locator("#seeks .seek.own button").click()
    expect(rows).to_have_count(0)
    open_seek(owner)
    expect(rows).to_have_count(1)
    owner.page.close()
    expect(rows).to_have_count(0, timeout=15_500)
    assert reader.mistakes == []


def test_two_tabs_of_one_owner_send_one_of_them_to_the_match(open_context: Open) -> None:
    """D14: the other says where the match is, and stays."""
    context = open_context()
    first, second = Player(context), Player(context)
    open_seek(first)
    second.page.goto("/")
    other = Player(open_context(viewport=DESKTOP))
    other.page.goto("/lobby/")
    other.page.locator("#seeks .seek:not(.own) button").first.click()
    other.page.wait_for_url(MATCH)
    end = time.monotonic() + 6
    tabs = (first, second)
    while not any(MATCH.search(tab.page.url) for tab in tabs):
        assert time.monotonic() < end
        first.page.wait_for_timeout(100)
    first.page.wait_for_timeout(1500)
    assert sum(bool(MATCH.search(tab.page.url)) for tab in tabs) == 1
    (stayed,) = (tab for tab in tabs if not MATCH.search(tab.page.url))
    expect(stayed.page.locator("#calls .call")).to_have_count(1)
