"""How much comes over the wire before a page stands, from whom, and that nothing on it moves (ui.md, Weight)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, CDPSession, Page

from tests.browser.player import Player
from tests.site import Site

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]
FIRST_PAGE, MATCH_PAGE = 100_000, 130_000
STILL = 0.01
SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
LOOKS = (("en-GB", "light", "phone"), ("it-IT", "dark", "desk"))
SCREENS = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1280, "height": 800}}


@dataclass
class Wire:
    """What one page has loaded: bytes as they came, headers included, and what was asked of whom."""

    session: CDPSession
    total: int = 0
    hosts: set[str] = field(default_factory=set)
    answers: dict[str, dict[str, str]] = field(default_factory=dict)

    def listen(self) -> None:
        self.session.send("Network.enable")
        self.session.on("Network.requestWillBeSent", self._asked)
        self.session.on("Network.responseReceived", self._answered)
        self.session.on("Network.loadingFinished", self._came)

    def _asked(self, event: dict[str, dict[str, str]]) -> None:
        url = urlsplit(event["request"]["url"])
        if url.scheme not in ("data", "blob"):
            self.hosts.add(url.netloc)

    def _answered(self, event: dict[str, dict[str, dict[str, str]]]) -> None:
        response = event["response"]
        self.answers[str(response["url"])] = {
            name.lower(): told for name, told in response["headers"].items()
        }

    def _came(self, event: dict[str, int]) -> None:
        self.total += event["encodedDataLength"]


def weighed(page: Page) -> Wire:
    page.add_init_script(SHIFTS)
    wire = Wire(page.context.new_cdp_session(page))
    wire.listen()
    return wire


def settled(page: Page, wire: Wire) -> None:
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)


@pytest.mark.parametrize(("language", "theme", "screen"), LOOKS)
def test_the_first_page_is_light_still_and_all_ours(
    open_context: Open, site: Site, language: str, theme: str, screen: str
) -> None:
    page = open_context(locale=language, color_scheme=theme, viewport=SCREENS[screen]).new_page()
    wire = weighed(page)
    page.goto("/")
    settled(page, wire)
    assert wire.total < FIRST_PAGE
    assert wire.hosts == {urlsplit(site.url).netloc}
    assert page.evaluate("shifted") < STILL
    _kept_for_a_year(wire)


@pytest.mark.parametrize(("language", "theme", "screen"), LOOKS)
def test_a_match_page_is_light_and_nothing_on_it_moves(
    open_context: Open, site: Site, language: str, theme: str, screen: str
) -> None:
    """Not from the first digit to a mark either: room is reserved before it is filled."""
    look = {"locale": language, "color_scheme": theme, "viewport": SCREENS[screen]}
    host, guest = Player(open_context(**look)), Player(open_context(**look))
    guest.accept(host.invite("duel", length="5", repeats="no"))
    host.arrive()
    host.choose("04172")
    guest.choose("90718")
    host.phase("playing")
    first, second = (host, guest) if host.my_turn() else (guest, host)
    page = open_context(**look, storage_state=first.page.context.storage_state()).new_page()
    wire = weighed(page)
    page.goto(first.page.url)
    settled(page, wire)
    assert wire.total < MATCH_PAGE
    assert wire.hosts == {urlsplit(site.url).netloc}
    first.guess("51328")
    second.guess("15087")
    page.locator("li[data-kind=guess]").nth(1).wait_for()
    page.wait_for_timeout(600)  # tiles have turned
    assert page.evaluate("shifted") < STILL
    _kept_for_a_year(wire)


def _kept_for_a_year(wire: Wire) -> None:
    """Files under names that change with their content: compressed, and never asked for again."""
    files = {url: told for url, told in wire.answers.items() if "/static/" in url}
    assert files
    for url, told in files.items():
        assert "immutable" in told["cache-control"], url
        assert int(told["cache-control"].partition("max-age=")[2].partition(",")[0]) >= 31_536_000, url
        if url.endswith((".css", ".js")) and int(told.get("content-length", "0")) > 1_000:
            assert told.get("content-encoding") in ("br", "gzip"), url
