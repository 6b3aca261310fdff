"""Practice and the daily number in a real browser: by keys and by typing, without a script, and how it all looks."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.camera import Camera
from tests.browser.player import Player

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]


def begin(page: Page) -> None:
    """Take the terms as they are chosen; what is typed before the scripts have come would be lost."""
    page.locator(".terms-form button").click()
    page.locator("[data-js] #try").wait_for()


def guess(page: Page, code: str, *, by: str = "keys") -> None:
    """Enter a guess, send it, and wait for its row."""
    n = page.locator("#n").input_value()
    if by == "typing":
        page.keyboard.type(code)
        page.keyboard.press("Enter")
    else:
        for digit in code:
            page.locator(f"#key-{digit}").click()
        page.locator("#send").click()
    expect(page.locator(f".board li[data-kind=guess] .n:text-is('{n}')")).to_be_visible()


def possible(page: Page) -> int:
    return int(re.sub(r"\D", "", page.locator("#possible .clock").inner_text()))


@pytest.fixture(params=["en-GB", "it-IT"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_practice_board_is_played_counted_given_up_and_begun_again(open_context: Open) -> None:
    player = Player(open_context())
    page = player.page
    page.goto("/practice/")
    page.locator("input[name=counted][value=yes]").check(force=True)
    begin(page)
    assert possible(page) == 10_000
    page.evaluate("window.same = true")
    guess(page, "0123")
    after_one = possible(page)
    guess(page, "4567", by="typing")
    assert possible(page) <= after_one < 10_000
    assert page.evaluate("window.same"), "the page was not loaded anew"
    expect(page.locator("#say")).to_contain_text("Guess 2, 4 5 6 7")
    page.keyboard.type("12")
    expect(page.locator("#send")).to_be_disabled()
    page.locator(".lid button[popovertarget=sheet]").click()
    page.locator("#ask summary").click()
    page.locator("#ask button").click()
    expect(page.locator("h1")).to_have_text("Not found.")
    page.locator("form:has(.wide-go) button").click()
    expect(page.locator("#n")).to_have_value("1")
    assert player.mistakes == []


def test_a_refused_guess_is_told_and_can_be_put_right(open_context: Open) -> None:
    page = Player(open_context()).page
    page.goto("/practice/")
    page.locator("input[name=preset][value=classic]").check(force=True)
    begin(page)
    page.keyboard.type("11234")
    page.keyboard.press("Enter")
    expect(page.locator("#note")).to_contain_text("all different")
    expect(page.locator("#code")).to_have_value("11234")
    page.keyboard.press("Backspace")
    expect(page.locator("#note")).to_be_hidden()


def test_a_day_is_played_to_its_end_and_shared(open_context: Open) -> None:
    player = Player(open_context(permissions=["clipboard-read", "clipboard-write"]))
    page = player.page
    page.goto("/daily/")
    page.locator("[data-js] #try").wait_for()
    for n in range(9):
        guess(page, f"{n}{n}{n}01")
    for digit in "99901":
        page.locator(f"#key-{digit}").click()
    page.locator("#send").click()
    expect(page.locator("#stage[data-phase=over] h1")).to_be_focused()
    page.locator("[data-copy]").click()
    expect(page.locator("[data-copy]")).to_have_text("Copied")
    rows = page.evaluate("navigator.clipboard.readText()").splitlines()[2:-1]
    assert len(rows) == 10
    assert set("".join(rows)) <= set("■○– ")
    page.goto("/daily/")
    expect(page.locator("#code")).to_have_count(0)
    assert player.mistakes == []


def test_without_a_script_the_forms_do_it_all(open_context: Open) -> None:
    page = open_context(java_script_enabled=False).new_page()
    page.goto("/practice/")
    page.locator(".terms-form button").click()
    page.locator("#code").fill("0123")
    page.locator("#send").click()
    expect(page.locator(".board li[data-kind=guess]")).to_have_count(1)
    page.goto("/daily/")
    page.locator("#code").fill("01234")
    page.locator("#send").click()
    expect(page.locator(".board li[data-kind=guess]")).to_have_count(1)


def test_how_it_looks(open_context: Open, language: str, shots: Path) -> None:
    """D28"""
    page, camera = open_context(locale=language).new_page(), Camera(shots, language[:2])
    page.goto("/practice/")
    camera.take(page, "practice-begin", whole=True)
    page.locator("input[name=counted][value=yes]").check(force=True)
    begin(page)
    for code in ("0123", "4567", "8901"):
        guess(page, code)
    camera.take(page, "practice")
    page.locator(".lid button[popovertarget=sheet]").click()
    camera.take(page, "practice-sheet")
    page.locator("#ask summary").click()
    page.locator("#ask button").click()
    camera.take(page, "practice-over", whole=True)
    page.goto("/daily/")
    page.locator("[data-js] #try").wait_for()
    for n in range(9):
        guess(page, f"{n}{n}{n}12")
    camera.take(page, "daily")
    for digit in "99912":
        page.locator(f"#key-{digit}").click()
    page.locator("#send").click()
    page.locator("#stage[data-phase=over]").wait_for()
    page.wait_for_timeout(900)
    camera.take(page, "daily-over", whole=True)
