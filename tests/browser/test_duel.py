"""Whole duels, two people at two browsers, one of them on a phone (R4, R5)."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.player import Player
from tests.site import Site

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]


def meet(open_context: Open, preset: str, **terms: str) -> tuple[Player, Player]:
    """One at a desk invites, the other on a phone follows the link."""
    host = Player(open_context(viewport=DESKTOP))
    guest = Player(open_context(viewport=PHONE, has_touch=True, is_mobile=True))
    guest.accept(host.invite(preset, **terms))
    host.arrive()
    return host, guest


def play(first: Player, second: Player, rounds: list[tuple[str, str]]) -> None:
    for mine, theirs in rounds:
        first.guess(mine, by="typing")
        second.guess(theirs)


def in_order(host: Player, guest: Player) -> tuple[Player, Player]:
    """Who moves first, and the other."""
    host.phase("playing")
    guest.phase("playing")
    return (host, guest) if host.my_turn() else (guest, host)


def nothing_broke(site: Site, *players: Player) -> None:
    assert [player.mistakes for player in players] == [[] for _ in players]
    assert "Traceback" not in site.errors()


@pytest.mark.parametrize(
    ("preset", "terms", "misses"),
    [
        ("duel", {"length": "5", "repeats": "no"}, ["12345", "67890"]),
        ("duel", {"length": "4", "repeats": "yes", "feedback": "totals"}, ["1122", "3344"]),
        ("probe", {"length": "4", "repeats": "no"}, ["1111", "2234"]),
        ("classic", {}, ["12345", "67890"]),
    ],
)
def test_a_whole_duel_by_clicking_and_typing(
    open_context: Open, site: Site, preset: str, terms: dict[str, str], misses: list[str]
) -> None:
    """R4, R5.5: two browsers, a secret that starts with 0, to the last guess; both see the same end."""
    host, guest = meet(open_context, preset, **terms)
    length = len(misses[0])
    numbers = {host: "04172"[:length], guest: "90718"[:length]}
    host.phase("choosing")
    host.choose(numbers[host], by="typing")
    guest.choose(numbers[guest])
    if preset == "classic":
        host.phase("confirming")
        host.confirm()
        guest.confirm()
    first, second = in_order(host, guest)
    play(first, second, [(miss, miss) for miss in misses])
    assert len(first.board("near")) == len(second.board("far")) == 2
    first.guess(numbers[second], by="typing")
    for player in (first, second):
        player.phase("over")
        for number in numbers.values():
            expect(player.page.locator("#stage")).to_contain_text(" ".join(number))
    expect(first.page.locator("h1")).to_have_text("You won.")
    expect(second.page.locator("h1")).to_have_text("You lost.")
    nothing_broke(site, host, guest)


def test_a_rematch_takes_both_to_a_new_match_with_the_other_first(open_context: Open, site: Site) -> None:
    """R5.6, R4.1"""
    host, guest = meet(open_context, "duel")
    host.choose("0417")
    guest.choose("9071")
    first, second = in_order(host, guest)
    old = first.page.url
    first.guess("9071" if first is host else "0417")
    for player in (host, guest):
        player.phase("over")
        player.page.locator("form[data-command=rematch] button").click()
    for player in (host, guest):
        player.page.wait_for_url(lambda url: url != old and "/m/" in url)
        player.phase("choosing")
    host.choose("1234")
    guest.choose("5678")
    assert in_order(host, guest) == (second, first)
    nothing_broke(site, host, guest)


def test_a_reload_and_a_second_tab_show_the_true_state_at_once(open_context: Open, site: Site) -> None:
    """D12: nothing is shown only to who was there."""
    host, guest = meet(open_context, "duel")
    host.choose("0417")
    guest.choose("9071")
    first, second = in_order(host, guest)
    tab = first.page.context.new_page()
    tab.goto(first.page.url)
    first.guess("5555")
    expect(tab.locator("ol.near li[data-kind=guess]")).to_have_count(1)
    second.page.reload()
    expect(second.page.locator("ol.far li[data-kind=guess]")).to_have_count(1)
    second.guess("6666")
    expect(tab.locator("ol.far li[data-kind=guess]")).to_have_count(1)
    first.page.go_back()
    first.page.go_forward()
    expect(first.page.locator("ol.far li[data-kind=guess]")).to_have_count(1)
    nothing_broke(site, host, guest)


def test_a_guess_sent_while_the_line_is_down_is_neither_lost_nor_doubled(
    open_context: Open, site: Site
) -> None:
    """D5, D12: it stands there pending, and is marked once the line is back."""
    host, guest = meet(open_context, "duel")
    host.choose("0417")
    guest.choose("9071")
    first, second = in_order(host, guest)
    first.page.context.set_offline(True)
    first.page.evaluate("window.dispatchEvent(new Event('offline'))")
    first.guess("5555")
    expect(first.page.locator(".tile.sent").first).to_be_visible()
    first.page.context.set_offline(False)
    expect(first.page.locator("ol.near li[data-kind=guess]")).to_have_count(1)
    expect(second.page.locator("ol.far li[data-kind=guess]")).to_have_count(1)
    second.guess("6666")
    expect(first.page.locator("ol.near li[data-kind=guess]")).to_have_count(1)
    nothing_broke(site, second)


def test_resigning_asks_once_and_ends_the_match(open_context: Open, site: Site) -> None:
    """R5 resigned"""
    host, guest = meet(open_context, "duel")
    host.choose("0417")
    host.page.locator(".lid button[popovertarget=sheet]").click()
    host.page.locator("#ask summary").click()
    host.page.locator("form[data-command=resign] button:not([type=button])").click()
    host.phase("over")
    guest.phase("over")
    expect(guest.page.locator("h1")).to_have_text("You won.")
    nothing_broke(site, host, guest)


def test_a_bad_number_is_refused_in_words_and_the_digits_come_back(open_context: Open, site: Site) -> None:
    """R2.3, D3: nothing is lost, the turn stays, and the next guess is taken."""
    host, guest = meet(open_context, "duel", length="5", repeats="no")
    host.choose("04172")
    guest.choose("90718")
    first, second = in_order(host, guest)
    first.guess("00417")
    expect(first.page.locator("#note")).to_contain_text("all different")
    expect(first.page.locator("#code")).to_have_value("00417")
    assert first.my_turn()
    for _ in range(5):
        first.page.keyboard.press("Backspace")
    first.guess("01234")
    expect(second.page.locator("ol.far li[data-kind=guess]")).to_have_count(1)
    nothing_broke(site, host, guest)


def test_without_a_script_every_step_is_a_form(open_context: Open, site: Site, shots: Path) -> None:
    """Forms are forms: choose, guess and win with JavaScript off."""
    host = Player(open_context(viewport=DESKTOP))
    bare = Player(open_context(java_script_enabled=False), alive="html")
    bare.accept(host.invite("duel"))
    host.arrive()
    host.choose("0417")
    bare.page.locator("#code").fill("9071")
    bare.page.locator("#send").click()
    bare.phase("playing")
    if not bare.my_turn():
        host.guess("5555")
        expect(host.page.locator("ol.near li[data-kind=guess]")).to_have_count(1)
        bare.page.reload()
    bare.page.locator("#code").fill("0417")
    bare.page.screenshot(path=shots / "play-no-script.png")
    bare.page.locator("#send").click()
    bare.phase("over")
    expect(bare.page.locator("h1")).to_have_text("You won.")
    host.phase("over")
