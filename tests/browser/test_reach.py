"""Whole duels without a pointer, and without eyes: in both languages, one of them by day and the other by night."""

import re
from collections.abc import Callable

import pytest
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.player import Player
from tests.site import Site

pytestmark = [
    pytest.mark.browser,
    pytest.mark.parametrize(("locale", "theme"), [("en-GB", "light"), ("it-IT", "dark")]),
]

Open = Callable[..., BrowserContext]

EAR = """
window.heard = [];
document.addEventListener("DOMContentLoaded", () => {
  for (const id of ["say", "alert"]) {
    const region = document.getElementById(id);
    if (region) new MutationObserver(() => region.textContent && heard.push(region.textContent))
      .observe(region, { childList: true, characterData: true, subtree: true });
  }
});
"""
"""All that the match page has its reader's machine read out."""


def tab_to(page: Page, what: str) -> None:
    """By the Tab key alone, as somebody without a pointer comes to a button."""
    for _step in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("what => Boolean(document.activeElement?.matches(what))", what):
            return
    raise AssertionError(f"no Tab leads to {what}")


def keeps_its_place(page: Page) -> None:
    """The focus is on something, and something that is there."""
    expect(page.locator("main :focus, dialog :focus, [popover] :focus")).to_have_count(1)


def test_a_whole_duel_by_keyboard_alone(open_context: Open, site: Site, locale: str, theme: str) -> None:
    """Link, number, phrases, notes, guesses, end and rematch; what is replaced under the focus gives it back."""
    options = {"locale": locale, "color_scheme": theme, "viewport": DESKTOP}
    host, guest = Player(open_context(**options)), Player(open_context(**options))
    page = host.page
    page.goto("/")
    tab_to(page, "form[action='/invite/'] button")
    page.keyboard.press("Enter")
    guest.page.goto(page.locator("#url").input_value())
    tab_to(guest.page, "form[action$='/accept/'] button")
    guest.page.keyboard.press("Enter")
    for player, code in ((host, "0417"), (guest, "9071")):
        player.phase("choosing")
        tab_to(player.page, "#code")
        player.page.keyboard.type(code)
        tab_to(player.page, "#send")
        player.page.keyboard.press("Space")
        keeps_its_place(player.page)
    host.phase("playing")
    guest.phase("playing")
    first, second = (host, guest) if host.my_turn() else (guest, host)
    tab_to(first.page, "#lid-talk")
    first.page.keyboard.press("Enter")
    tab_to(first.page, "[data-say='2']")
    first.page.keyboard.press("Enter")
    expect(second.page.locator("#talk")).not_to_be_empty()
    expect(first.page.locator("#lid-talk")).to_be_focused()
    for player, other in ((first, second), (second, first)):
        player.page.keyboard.type("5678")
        tab_to(player.page, "#send")
        player.page.keyboard.press("Enter")
        expect(other.page.locator("ol.far li[data-kind=guess]")).to_have_count(1)
        expect(player.page.locator("ol.near li[data-kind=guess]")).to_have_count(1)
        keeps_its_place(player.page)
    first.page.keyboard.type("9071" if first is host else "0417")
    first.page.keyboard.press("Enter")
    old = page.url
    for player in (first, second):
        player.phase("over")
        keeps_its_place(player.page)
        tab_to(player.page, "#again-do")
        player.page.keyboard.press("Enter")
        if player is first:
            expect(player.page.locator("#again-do[aria-disabled=true]")).to_be_focused()
    for player in (host, guest):
        expect(player.page).not_to_have_url(old)  # however often the page sets out for there
        expect(player.page).to_have_url(re.compile("/m/"))
        player.phase("choosing")
        assert player.mistakes == []


class Listener:
    """Somebody who has the page read out: finds things by role and name, and knows of the rest what is said."""

    def __init__(self, context: BrowserContext) -> None:
        context.add_init_script(EAR)
        self.player = Player(context)
        self.page = self.player.page

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def enter(self, field: str, code: str) -> None:
        self.page.get_by_role("textbox", name=field).fill(code)

    def hears(self, *sentences: str) -> None:
        """This is all that has been said since the page was loaded: what contains each of these, in this order."""
        for n, sentence in enumerate(sentences):
            for _wait in range(150):
                if len(self.heard()) > n:
                    break
                self.page.wait_for_timeout(100)
            assert sentence in (self.heard()[n:] or ["nothing"])[0], self.heard()
        self.page.wait_for_timeout(200)
        assert len(self.heard()) == len(sentences), self.heard()

    def heard(self) -> list[str]:
        told: list[str] = self.page.evaluate("heard")
        return told


def test_a_whole_duel_by_what_is_read_out(open_context: Open, site: Site, locale: str, theme: str) -> None:
    """By roles, names and the live region alone, each event said once (D28)."""
    options = {"locale": locale, "color_scheme": theme, "viewport": PHONE}
    host, guest = Listener(open_context(**options)), Listener(open_context(**options))
    with translation.override(locale[:2]):
        host.page.goto("/")
        host.page.get_by_role("button", name=_("Play a friend")).click()
        guest.page.goto(host.page.get_by_role("textbox", name=_("Link to your challenge")).input_value())
        guest.press(_("Accept and play"))
        for each in (host, guest):
            expect(each.page.get_by_role("heading", name=_("Choose your number"))).to_be_visible()
            each.page.locator("html[data-js]").wait_for()  # sooner a form would be posted as a form
        seats = host.page.get_by_role("button", name=pgettext("the rival", "Choosing"))
        expect(seats.last).to_be_visible()  # one chooses oneself, and is told so
        host.enter(_("Your number"), "0417")
        host.press(pgettext("verb", "Ready"))
        host.hears(_("You chose your number."))
        guest.hears(_("%(name)s has chosen a number.") % {"name": ""})
        expect(guest.page.get_by_role("button", name=_("Number chosen"))).to_be_visible()
        guest.enter(_("Your number"), "9071")
        guest.press(pgettext("verb", "Ready"))
        for each in (host, guest):
            each.hears("", "")
        mine = _("Your turn.")
        first, second = (host, guest) if host.heard()[-1] == mine else (guest, host)
        assert (first.heard()[-1], second.heard()[-1] == mine) == (mine, False)
        first.enter(_("Your guess"), "1230")
        first.press(pgettext("verb", "Guess"))
        row = "1 2 3 0: "
        first.hears("", "", row)
        second.hears("", "", row)
        assert second.heard()[-1].endswith(mine)
        assert not first.heard()[-1].endswith(mine)
        board = first.page.get_by_role("list", name=_("Your guesses"))
        line = board.get_by_role("listitem").first
        expect(line).to_contain_text(row)
        expect(line).to_contain_text(f"1 {_('present')}, 2 {_('absent')}")
        second.enter(_("Your guess"), "9071" if second is host else "0417")
        second.press(pgettext("verb", "Guess"))
        for each, headline in ((second, _("You won.")), (first, _("You lost."))):
            each.hears("", "", "", headline)
            expect(each.page.get_by_role("heading", name=headline, level=1)).to_be_visible()
            expect(each.page.get_by_role("main")).to_contain_text("0 4 1 7")
            expect(each.page.get_by_role("main")).to_contain_text("9 0 7 1")
        assert host.player.mistakes == guest.player.mistakes == []
