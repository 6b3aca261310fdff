"""Pages that staff and programmers see, and those of mistakes, under the same policy as all others.

Every page that any browser test opens is held to it (conftest.py, `Policy`); here are those that no other test opens.
"""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import DESKTOP, Policy
from tests.site import Site

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]
STAFF = (
    "from players.models import User; from tests.builders import Duel, signed_in; from django.conf import settings; "
    "Duel().start().end(); print(signed_in(User.objects.create_superuser('head', 'head@example.org', 'x'))"
    ".cookies[settings.SESSION_COOKIE_NAME].value)"
)


def test_a_line_within_a_page_is_not_run_and_is_heard_of(
    open_context: Open, policy: Policy, site: Site
) -> None:
    page = open_context().new_page()
    page.goto("/rules/")
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'self.run = 1'}))"
    )
    page.evaluate("document.body.setAttribute('style', 'color: red')")
    page.wait_for_timeout(200)
    assert page.evaluate("self.run") is None
    assert any("script-src-elem inline" in line for line in policy.broken)
    assert any("style-src-attr inline" in line for line in policy.broken)
    policy.broken.clear()


def test_the_page_of_the_interface_works_and_asks_nobody_else(open_context: Open, site: Site) -> None:
    page = open_context(viewport=DESKTOP).new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/api/v1/docs")
    expect(page.locator(".opblock").first).to_be_visible()
    page.locator(".opblock-get", has_text="/presets").locator(".opblock-summary-control").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    assert all(url.startswith((site.url, "data:", "blob:")) for url in asked), asked


@pytest.fixture(scope="module")
def staff(site: Site) -> str:
    made = site.manage("shell", "-v0", "-c", STAFF)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


def test_the_pages_of_staff(open_context: Open, site: Site, staff: str) -> None:
    """Each list, its search, a form to add to it and the first of its rows."""
    page = open_context(viewport=DESKTOP).new_page()
    page.goto("/admin/login/")
    page.context.add_cookies([{"name": "sessionid", "value": staff, "url": site.url}])
    _stands(page, "/admin/")
    lists = _addresses(page, "#content-main tr[class^=model] th a")
    assert lists
    for address in lists:
        _stands(page, address)
        for inner in (
            *_addresses(page, ".object-tools a.addlink"),
            *_addresses(page, "#result_list th a")[:1],
        ):
            _stands(page, inner)


def _stands(page: Page, address: str, status: int = 200) -> None:
    answer = page.goto(address)
    assert answer is not None
    assert (answer.status, page.url.endswith(address)) == (status, True), (address, page.url)


def _addresses(page: Page, selector: str) -> list[str]:
    found: list[str] = page.locator(selector).evaluate_all("links => links.map((link) => link.href)")
    return found


@pytest.mark.parametrize("path", ["/nothing-here/", "/m/nothingx/"])
def test_pages_of_mistakes(open_context: Open, site: Site, path: str) -> None:
    _stands(open_context().new_page(), path, 404)


def test_a_page_of_staff_that_is_none_asks_who_one_is_first(open_context: Open, site: Site) -> None:
    page = open_context().new_page()
    page.goto("/admin/nothing/")
    expect(page).to_have_url(re.compile("/login/"))
