"""The clocks as a person sees them (D8): always those of the server, whatever the page has slept through."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.player import Player
from tests.site import Site

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]


def shown(player: Player) -> list[int]:
    """Seconds on the clocks of both seats, in the order of the seats."""
    texts = [player.page.locator(f"#seat-{seat} .clock").text_content() or "" for seat in (0, 1)]
    return [int(minutes) * 60 + int(seconds) for minutes, seconds in (text.split(":") for text in texts)]


def begun(open_context: Open) -> tuple[Player, Player]:
    """A match in play; the first of the two has the move."""
    host, guest = Player(open_context()), Player(open_context())
    guest.accept(host.invite("duel"))
    host.arrive()
    host.choose("0417")
    guest.choose("9071")
    host.phase("playing")
    guest.phase("playing")
    return (host, guest) if host.my_turn() else (guest, host)


def test_a_page_that_was_frozen_shows_the_right_time_once_it_wakes(open_context: Open, site: Site) -> None:
    mover, rival = begun(open_context)
    session = mover.page.context.new_cdp_session(mover.page)
    before = shown(rival)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    rival.page.wait_for_timeout(6000)
    session.send("Page.setWebLifecycleState", {"state": "active"})
    mover.page.wait_for_timeout(300)
    pairs = list(zip(shown(mover), shown(rival), strict=True))
    assert all(abs(mine - theirs) <= 1 for mine, theirs in pairs), pairs
    assert sum(before) - sum(shown(rival)) >= 5  # one clock has run all the while, and only one
    assert sum(before) - sum(shown(rival)) <= 12


def test_one_players_absence_leaves_the_others_clock_alone(open_context: Open, site: Site) -> None:
    mover, rival = begun(open_context)
    waiting = int(rival.page.locator("#stage").get_attribute("data-you") or 0)
    before = shown(mover)[waiting]
    rival.page.context.close()
    mover.page.locator(".seat.away").wait_for()
    mover.page.wait_for_timeout(2000)
    assert shown(mover)[waiting] == before


def test_after_the_end_no_clock_goes_on(open_context: Open, site: Site) -> None:
    mover, rival = begun(open_context)
    mover.guess("9071" if mover.page.locator("#stage").get_attribute("data-you") == "0" else "0417")
    for player in (mover, rival):
        player.phase("over")
        expect(player.page.locator("[data-running]")).to_have_count(0)
    expect(rival.page.locator("#analysis .chart")).to_be_visible()  # what comes a moment later
    text = rival.page.locator("#stage").inner_text()
    rival.page.wait_for_timeout(2500)
    assert rival.page.locator("#stage").inner_text() == text
