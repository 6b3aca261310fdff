"""A crash and a start under two people at their browsers (R5.4)."""

import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import DESKTOP
from tests.browser.player import Player
from tests.site import Site

pytestmark = pytest.mark.browser


def seconds(player: Player) -> int:
    text = player.own_seat().locator(".clock").text_content() or ""
    minutes, rest = text.split(":")
    return int(minutes) * 60 + int(rest)


def test_players_find_their_match_as_it_was_and_are_told_how_long_it_took(
    open_context: Callable[..., BrowserContext], site: Site, shots: Path
) -> None:
    """R5.4: no clock is charged, the guess sent meanwhile is taken once, and both are told."""
    host, guest = Player(open_context()), Player(open_context(viewport=DESKTOP))
    guest.accept(host.invite("duel"))
    host.arrive()
    host.choose("0417")
    guest.choose("9071")
    host.phase("playing")
    guest.phase("playing")
    first, second = (host, guest) if host.my_turn() else (guest, host)
    first.guess("5555")
    expect(second.page.locator("ol.far li[data-kind=guess]")).to_have_count(1)
    before = seconds(second)
    site.stop(signal.SIGKILL)
    second.guess("6666")
    time.sleep(5)
    site.start()
    back = time.monotonic()
    expect(second.page.locator("ol.near li[data-kind=guess]")).to_have_count(1, timeout=15_000)
    took = time.monotonic() - back
    expect(first.page.locator("ol.far li[data-kind=guess]")).to_have_count(1, timeout=15_000)
    for player in (first, second):
        expect(player.page.locator("#stage")).to_contain_text(re.compile("Back after [0-9]+ s"))
    # What passed while it was up, and not the outage of five seconds and more.
    assert before - seconds(second) <= took + 2
    first.page.screenshot(path=shots / "back-after-an-outage.png")
    first.guess("7777")
    expect(second.page.locator("ol.far li[data-kind=guess]")).to_have_count(2)
