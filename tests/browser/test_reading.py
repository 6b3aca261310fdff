"""What is read rather than played: a match stepped through, and the rules tried out."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.player import Player
from tests.site import Site

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]


def finished(open_context: Open, **asked: Any) -> Player:
    """A duel of two guesses each, and a fifth that names the number; the host's page."""
    host, guest = Player(open_context(**asked)), Player(open_context())
    guest.accept(host.invite("duel", length="4"))
    host.arrive()
    host.choose("0417")
    guest.choose("9071")
    for player in (host, guest):
        player.phase("playing")
    first, second = (host, guest) if host.my_turn() else (guest, host)
    for code in ("1234", "5678"):
        first.guess(code)
        second.guess(code)
    first.guess("9071" if first is host else "0417")
    host.phase("over")
    return host


def guesses(page: Page) -> int:
    return page.locator("li[data-kind=guess]").count()


def test_a_match_is_stepped_through_by_the_arrow_keys(open_context: Open, site: Site) -> None:
    """Issue 4: no page is loaded anew, each step is read out once, and Back leads to the result."""
    player = finished(open_context)
    page, over = player.page, player.page.url
    page.locator("a[href$='/at/1/']").click()
    page.wait_for_url("**/at/1/")
    page.evaluate("window.stayed = true")
    for step in range(2, 6):
        page.keyboard.press("ArrowRight")
        page.wait_for_url(f"**/at/{step}/")
    expect(page.locator("#happened")).to_contain_text("Guess 1, 1 2 3 4")
    expect(page.locator("#say")).to_have_text(page.locator("#happened").inner_text())
    assert guesses(page) == 1
    page.locator("#step-next").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/at/6/")
    expect(page.locator("#step-next")).to_be_focused()
    page.keyboard.press("End")
    page.wait_for_url("**/at/10/")
    assert guesses(page) == 5
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/at/9/")
    page.keyboard.press("Home")
    page.wait_for_url("**/at/1/")
    assert guesses(page) == 0
    assert page.evaluate("window.stayed")
    page.go_back()
    page.wait_for_url(over)
    expect(page.locator("#stage[data-phase=over]")).to_be_visible()
    assert player.mistakes == []


def test_a_match_is_stepped_through_and_the_rules_tried_without_a_script(
    open_context: Open, site: Site
) -> None:
    player = finished(open_context)
    bare = open_context(java_script_enabled=False, storage_state=player.page.context.storage_state())
    page = bare.new_page()
    page.goto(player.page.url)
    page.locator("a[href$='/at/1/']").click()
    for _ in range(5):
        page.locator("#step-next").click()
    assert (page.url.rsplit("/", 3)[1:3], guesses(page)) == (["at", "6"], 2)
    page.goto("/rules/")
    page.locator("[name=guess]").fill("51111")
    page.locator("#try-it button").click()
    assert "51111" not in page.url
    expect(page.locator("#tried li[data-kind=guess]")).to_have_count(2)


def test_the_rules_are_tried_where_they_stand(open_context: Open, site: Site) -> None:
    """A refusal in words, then a row; what was typed stays, and nothing is loaded anew."""
    page = open_context().new_page()
    page.goto("/rules/")
    page.evaluate("window.stayed = true")
    guess = page.locator("#try-it [name=guess]")
    guess.fill("5")
    guess.press("Enter")
    expect(page.locator("#tried .note")).to_contain_text("exactly 5 digits")
    expect(page.locator("#tried-say")).to_contain_text("exactly 5 digits")
    guess.fill("51111")
    guess.press("Enter")
    expect(page.locator("#tried-say")).to_contain_text("Guess 2, 5 1 1 1 1: exact 1, present 1.")
    expect(page.locator("#tried .note")).to_have_count(0)
    expect(guess).to_be_focused()
    assert page.evaluate("window.stayed")
