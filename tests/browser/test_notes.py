"""The pencil grid: a player's own notes on the match page, seen by nobody else."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.player import Player
from tests.site import Site

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]


def note(page: Page, digit: int, place: int) -> str:
    """What a square says, as it is read out."""
    return page.locator(f"#note-{digit}-{place}").get_attribute("aria-label") or ""


def test_notes_are_made_by_keyboard_outlast_a_reload_and_stay_in_this_browser(
    open_context: Open, site: Site
) -> None:
    host, guest = Player(open_context()), Player(open_context())
    guest.accept(host.invite("duel", length="4"))
    host.arrive()
    host.choose("0417")
    guest.choose("9071")
    host.phase("playing")
    guest.phase("playing")
    page, sent = host.page, list[str]()
    page.on("request", lambda request: sent.append(request.url))
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    page.get_by_role("button", name="Your notes").press("Enter")
    expect(page.get_by_role("grid", name="Your notes")).to_be_visible()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "Space", *["ArrowDown"] * 4, "Enter", "Enter"):
        page.keyboard.press(key)
    assert note(page, 3, 2) == "Digit 3, place 2: ruled out"
    assert note(page, 7, 2) == "Digit 7, place 2: perhaps"
    expect(page.locator("#pencil [role=status]")).to_have_text("Digit 7, place 2: perhaps")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Your notes")).to_be_focused()
    assert sent == []
    page.reload()
    guest.page.get_by_role("button", name="Your notes").click()
    page.get_by_role("button", name="Your notes").click()
    assert note(page, 3, 2) == "Digit 3, place 2: ruled out"
    assert note(guest.page, 3, 2) == "Digit 3, place 2: no note"
    mover, waits = (host, guest) if host.my_turn() else (guest, host)
    mover.guess("9071" if mover is host else "0417", by="typing")
    for player in (mover, waits):
        player.phase("over")
        expect(player.page.locator("#pencil")).to_be_hidden()
    assert (host.mistakes, guest.mistakes) == ([], [])
