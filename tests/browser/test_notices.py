"""Notifications of the system: asked for by a button alone, shown for what concerns a player who looks elsewhere."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.player import Player, until
from tests.browser.test_whole import sign_up
from tests.lobby.calls.endpoint import Browser
from tests.site import Site

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]

WITNESS = """
window.asked = 0; window.told = [];
const Own = window.Notification;
window.Notification = class extends Own {
  constructor(title, options) { super(title, options); told.push(title); }
  static requestPermission() { asked += 1; return Own.requestPermission(); }
};
const worker = window.ServiceWorkerRegistration.prototype;
const show = worker.showNotification;
worker.showNotification = function (title, options) { told.push(title); return show.call(this, title, options); };
"""
"""The browser's own notifications, the page's and the worker's, with a list of what was shown and asked."""
STANDING = "navigator.serviceWorker.ready.then(worker => worker.getNotifications()).then(all => all.length)"


def watched(context: BrowserContext) -> Player:
    context.add_init_script(WITNESS)
    return Player(context)


def look_away(page: Page) -> None:
    """As a page in a hidden tab sees itself; a browser without a window hides none."""
    until(page, "navigator.serviceWorker.ready.then(worker => worker.active.state === 'activated')")
    page.evaluate(
        "Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })"
    )


def look_back(page: Page) -> None:
    page.evaluate("delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))")


def told(page: Page, number: int) -> list[str]:
    """What was shown, once there is so much of it."""
    until(page, "number => told.length >= number", number)
    titles: list[str] = page.evaluate("told")
    return titles


def test_who_looks_elsewhere_is_told_of_the_turn_the_end_and_the_rematch(
    open_context: Open, site: Site
) -> None:
    host = watched(open_context(permissions=["notifications"]))
    guest = Player(open_context())
    guest.accept(host.invite("duel"))
    host.arrive()
    host.choose("0417")
    host.page.locator("#stage [data-notify]").wait_for()  # where one waits, it is offered
    look_away(host.page)
    guest.choose("9071")
    expect(host.page.locator("#stage[data-phase=playing]")).to_be_attached()
    begun = host.page.title().split(" · ")[0]
    assert told(host.page, 1) == [begun]
    if host.my_turn():
        host.guess("5555")
    guest.guess("6666")
    expect(host.page.locator("ol.far li[data-kind=guess]")).to_have_count(1)
    host.guess("7777")
    guest.guess("0417")
    guest.phase("over")
    guest.page.locator("form[data-command=rematch] button").click()
    expect(host.page.locator("#again")).to_contain_text("offers a rematch")
    news = told(host.page, 4)[1:]
    assert news[:-1] == ["Your turn", "You lost"]
    assert "offers a rematch" in news[-1]
    assert host.page.evaluate("asked") == 0
    until(host.page, f"{STANDING}.then(number => number === 1)")  # of one match the latest alone
    look_back(host.page)
    until(host.page, f"{STANDING}.then(number => number === 0)")
    assert host.mistakes == []


def test_nothing_is_asked_before_the_button_and_nothing_shown_to_who_looks(
    open_context: Open, site: Site
) -> None:
    host = watched(open_context(permissions=["notifications"]))
    guest = Player(open_context())
    link = host.invite("duel")
    expect(host.page.locator("[data-notify]")).to_have_attribute("aria-pressed", "true")
    host.page.locator("[data-notify]").click()
    expect(host.page.locator("[data-notify]")).to_have_attribute("aria-pressed", "false")
    host.page.locator("[data-notify]").click()
    expect(host.page.locator("[data-notify]")).to_have_attribute("aria-pressed", "true")
    guest.accept(link)
    host.arrive()
    host.choose("0417")
    guest.choose("9071")
    host.phase("playing")
    assert (told(host.page, 0), host.page.evaluate("asked")) == ([], 0)


def test_a_call_that_the_browser_has_let_go_is_taken_back_and_said_to_be_none(
    open_context: Open, site: Site
) -> None:
    """The server thinks this device is called; its browser knows of no agreement."""
    player = Player(open_context())
    sign_up(player, "dora")
    player.page.goto("/account/")
    card = player.page.locator("[data-push]")
    agreement = Browser().agreement("https://fcm.googleapis.com/gone")
    answer = player.page.request.post(
        f"{site.url}/account/calls/device/",
        form={**agreement},
        headers={
            "X-CSRFToken": player.page.locator("[name=csrfmiddlewaretoken]").first.input_value(),
            "Referer": site.url,
        },
    )
    assert answer.status == 204
    assert 'data-on="1"' in player.page.request.get(player.page.url).text()
    player.page.reload()
    expect(card.locator("[role=status]")).to_have_text("This device is not notified.")
    expect(card).to_have_attribute("data-on", "")
    assert 'data-on=""' in player.page.request.get(player.page.url).text()
    assert player.mistakes == []
