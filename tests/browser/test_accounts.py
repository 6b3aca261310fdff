"""Who one is changes under an open page: on signing up, and when another tab signs out."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.player import Player

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]

SLOW_MS = 1500
"""Longer than it takes a page to hear that its session has ended (players/doors.py looks once a second)."""


def asked(page: Page) -> list[str]:
    """All the pages that this one will have gone for."""
    gone: list[str] = []
    page.on(
        "request",
        lambda request: (
            gone.append(f"{request.method} {request.url.split('/', 3)[3]}")
            if request.is_navigation_request()
            else None
        ),
    )
    return gone


def sign_up(page: Page, name: str, password: str) -> None:
    page.locator("#id_username").fill(name)
    page.locator("#id_password1").fill(password)
    page.locator("main form button").click()


def test_a_guest_who_signs_up_is_brought_on_however_slow_the_answer(open_context: Open) -> None:
    """The guest's session ends before the answer is here: the page that waits for it does not go anywhere itself."""
    guest = Player(open_context(service_workers="block"))
    guest.invite()
    page = guest.page
    page.goto("/account/signup/")
    sign_up(page, "Slow", "12345")
    page.locator(".errorlist, .bad").first.wait_for()

    def slowly(route: Route) -> None:
        answer = route.fetch(max_redirects=0)
        page.wait_for_timeout(SLOW_MS)
        route.fulfill(response=answer)

    page.route("**/account/signup/", slowly)
    gone = asked(page)
    sign_up(page, "Slow", "correct-horse-9")
    expect(page.locator(".own")).to_have_text("Slow")
    expect(page.locator("#notice")).to_contain_text("Welcome, Slow")
    assert gone == ["POST account/signup/", "GET "]


def test_a_page_whose_session_has_ended_is_asked_for_anew_and_sends_no_form_again(open_context: Open) -> None:
    context = open_context(service_workers="block")
    guest = Player(context)
    guest.invite()
    page = guest.page
    page.goto("/account/signup/")
    sign_up(page, "Never", "12345")
    page.locator(".errorlist, .bad").first.wait_for()
    gone = asked(page)
    other = context.new_page()
    other.goto("/account/signout/")
    other.locator("main form button").click()
    other.wait_for_url("**/")
    expect(page.locator("#id_username")).to_have_value("")
    assert gone == ["GET account/signup/"]
