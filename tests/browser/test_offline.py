"""A page without a line, in a real browser with the real service worker."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.player import until
from tests.site import Site

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]
READY = "navigator.serviceWorker.ready.then(() => caches.keys())"
DEAF = "addEventListener('online', (event) => event.stopImmediatePropagation(), true)"
"""As where it is the site that was away, and not the line: then the browser says nothing when it is back."""


@pytest.mark.parametrize("told", [True, False])
def test_who_has_no_line_is_told_so_and_comes_back_by_themselves(
    open_context: Open, site: Site, told: bool
) -> None:
    """In their language and in the theme they have chosen."""
    context = open_context(locale="it-IT")
    if not told:
        context.add_init_script(DEAF)
    context.add_cookies([{"name": "theme", "value": "dark", "url": site.url}])
    page = context.new_page()
    page.goto("/rules/")
    [kept] = page.evaluate(READY)
    until(page, f"caches.open('{kept}').then(cache => cache.match('/offline/it/')).then(Boolean)")
    until(page, "navigator.serviceWorker.controller !== null")
    context.set_offline(True)
    page.goto("/rules/?again")
    expect(page.locator("html")).to_have_attribute("lang", "it")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator(".tile.sent")).to_have_count(3)
    assert page.evaluate("getComputedStyle(document.querySelector('.tile')).borderTopStyle") == "dashed"
    context.set_offline(False)
    expect(page.locator("#try-it")).to_be_visible(timeout=20_000)


def test_nothing_of_anybody_is_kept(open_context: Open, site: Site) -> None:
    """Whatever was visited, the cache holds the shell alone; another language takes the place of the first."""
    page = open_context().new_page()
    page.goto("/")
    page.evaluate(READY)
    page.locator("form[action='/invite/'] button").first.click()
    page.wait_for_url("**/i/**")
    page.goto("/account/")
    page.locator("button.tongue").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "it")
    until(
        page,
        "caches.keys().then(async names => names.length === 1"
        " && Boolean(await caches.match('/offline/it/')) && !(await caches.match('/offline/en/')))",
    )
    kept = page.evaluate(
        "caches.keys().then(([name]) => caches.open(name)).then(cache => cache.keys())"
        ".then(all => all.map(one => new URL(one.url).pathname))"
    )
    assert kept
    assert all(path.startswith(("/static/", "/offline/")) for path in kept)
