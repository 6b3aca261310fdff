"""Real Chromium, and players who see and press what people see and press."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, ViewportSize, sync_playwright

from tests.site import Site

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator[Browser]:
    """Not for longer than a module: while it is open, its loop runs in this thread, and no test can run its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One running site for the tests of a module; long graces, since machines under test may be slow."""
    with Site(tmp_path_factory.mktemp("site") / "data", CONFIRM_SECONDS="60") as running:
        yield running


HEED = """
document.addEventListener("securitypolicyviolation", (event) => console.error(
  `Against the policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile ?? ""} ${event.sample}`));
"""


class Policy:
    """What pages have tried against the site's content security policy, in whatever context or frame."""

    def __init__(self) -> None:
        self.broken: list[str] = []

    def heed(self, context: BrowserContext) -> None:
        context.add_init_script(HEED)
        context.on("console", self._hear)

    def _hear(self, message: ConsoleMessage) -> None:
        if "Against the policy" in message.text or "Content Security Policy" in message.text:
            self.broken.append(f"{message.page.url if message.page else ''}: {message.text}")


@pytest.fixture
def policy() -> Iterator[Policy]:
    """Kept by every page that any of these tests opens."""
    policy = Policy()
    yield policy
    assert policy.broken == []


@pytest.fixture
def open_context(chromium: Browser, site: Site, policy: Policy) -> Iterator[Callable[..., BrowserContext]]:
    """A browser of somebody's own: cookies, screen, language and theme."""
    opened: list[BrowserContext] = []

    def open_one(**options: Any) -> BrowserContext:
        settings: dict[str, Any] = {
            "viewport": PHONE,
            "locale": "en-GB",
            "color_scheme": "light",
            "base_url": site.url,
            **options,
        }
        context = chromium.new_context(**settings)
        context.set_default_timeout(10_000)
        policy.heed(context)
        opened.append(context)
        return context

    yield open_one
    for context in opened:
        context.close()


@pytest.fixture
def shots(artifacts: Path) -> Path:
    folder = artifacts / "shots"
    folder.mkdir(exist_ok=True)
    return folder
