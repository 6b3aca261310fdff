"""Fair play one can check, by a person at a browser: the fingerprint from the start, and the sum done at the end."""

import hashlib
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.player import Player
from tests.site import Site

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]


def fingerprints(page: Page, where: str) -> list[str]:
    return page.locator(f"{where} .seal dd:first-of-type code").all_text_contents()


def test_both_see_each_fingerprint_from_the_start_and_check_it_at_the_end(
    open_context: Open, site: Site
) -> None:
    host, guest = Player(open_context()), Player(open_context())
    guest.accept(host.invite("duel", length="5", repeats="no"))
    host.arrive()
    host.choose("04172")
    guest.page.locator("#seals summary").wait_for(state="attached")  # told at once, without a reload
    published = fingerprints(guest.page, "#seals")
    assert [len(one) for one in published] == [64]
    guest.choose("90718")
    for player in (host, guest):
        player.phase("playing")
        expect(player.page.locator("#seals .seal")).to_have_count(2)
    assert published[0] in fingerprints(host.page, "#seals")
    host.page.locator(".lid button[popovertarget=sheet]").click()
    host.page.locator("#seals summary").click()
    expect(host.page.locator("#seals .seal code").first).to_be_visible()
    expect(host.page.locator("#seals button")).to_have_count(0)  # nothing to check it by yet
    host.page.locator("#ask summary").click()
    host.page.locator("#ask button:not([type=button])").click()
    guest.phase("over")
    page = guest.page
    page.reload()  # as whoever comes back to an old match
    page.locator("#seals-over summary").click()
    assert published[0] in fingerprints(page, "#seals-over")
    for seal in page.locator("#seals-over .seal").all():
        commitment, salt, code = seal.locator("code").all_text_contents()
        assert hashlib.sha256(bytes.fromhex(salt) + code.encode()).hexdigest() == commitment
        seal.locator("button").click()
        expect(seal.locator("output")).to_have_text("They belong together: the number was not changed.")
    last = page.locator("#seals-over .seal").last
    last.locator("button").evaluate("(button) => button.dataset.code = '04173'")
    last.locator("button").click()
    expect(last.locator("output")).to_have_text("They do not belong together.")
    host.page.locator("#again-do").click()
    expect(page.locator("#again")).to_contain_text("offers a rematch")
    expect(last.locator("output")).to_have_text("They do not belong together.")  # news fold nothing up
    page.locator("#seals-over a").click()
    expect(page.locator("#fair h2")).to_be_in_viewport()
    assert host.mistakes == guest.mistakes == []


def test_they_stand_there_too_while_both_are_asked_to_begin(open_context: Open, site: Site) -> None:
    host, guest = Player(open_context()), Player(open_context())
    guest.accept(host.invite("classic"))
    host.arrive()
    host.choose("04172")
    guest.choose("90718")
    for player in (host, guest):
        player.phase("confirming")
        expect(player.page.locator("#seals .seal")).to_have_count(2)
        assert player.mistakes == []


def test_a_bots_number_is_sealed_too(open_context: Open, site: Site) -> None:
    player = Player(open_context())
    player.page.goto("/")
    player.page.locator("button[name=level][value=easy]").click()
    player.phase("choosing")
    player.choose("0417")
    expect(player.page.locator("#seals .seal")).to_have_count(
        2, timeout=20_000
    )  # it takes its time, as people do
