"""A person at a browser: sees what is on the page, types and presses. Knows no address but the first."""

import re
import time
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, expect

PATIENCE_SECONDS = 20


def until(page: Page, script: str, arg: Any = None) -> None:
    """Wait until `script` gives what is true, or promises it.

    Asked from without: what Playwright polls within the page is text to be run there, which the site's policy forbids,
    and takes a promise itself for true.
    """
    end = time.monotonic() + PATIENCE_SECONDS
    while not page.evaluate(script, arg):
        assert time.monotonic() < end, f"never came true: {script}"
        page.wait_for_timeout(50)


class Player:
    """Without a script, `alive` says nothing of what a page with scripts waits for."""

    def __init__(self, context: BrowserContext, alive: str = "html[data-js]") -> None:
        self.alive = alive
        self.page: Page = context.new_page()
        self.mistakes: list[str] = []
        self.page.on("pageerror", lambda error: self.mistakes.append(str(error)))
        self.page.on("console", self._hear)

    def _hear(self, message: object) -> None:
        if getattr(message, "type", "") == "error":
            self.mistakes.append(str(getattr(message, "text", message)))

    def invite(self, preset: str = "duel", **terms: str) -> str:
        """Press *Play a friend*, choose terms, and read the link."""
        page = self.page
        page.goto("/")
        page.locator("form[action='/invite/'] button").first.click()
        form = page.locator("form:has(input[name=preset])")
        form.wait_for()
        page.wait_for_load_state()  # sooner it may be seen without its style, and what is hidden taken for visible
        form.locator(f"input[name=preset][value={preset}]").check(force=True)
        for details in form.locator("details").all():
            if details.is_visible() and details.get_attribute("open") is None:
                details.locator("summary").click()
        for term, value in terms.items():
            form.locator(f"input[name={preset}-{term}][value='{value}']").check(force=True)
        old = page.url
        form.locator("button:not([type=button])").click()
        page.wait_for_url(lambda url: url != old and "/i/" in url)
        return page.locator("#url").input_value()

    def accept(self, link: str) -> None:
        self.page.goto(link)
        self.page.locator("form[action$='/accept/'] button").click()
        self.page.wait_for_url(re.compile("/m/"))

    def arrive(self) -> None:
        """The page with the link goes to the match by itself, and may be called there as well meanwhile."""
        expect(self.page).to_have_url(re.compile("/m/"), timeout=30_000)
        self.page.locator(self.alive).wait_for()  # sooner a key goes down and nothing hears it

    def phase(self, name: str) -> None:
        expect(self.page.locator(f"{self.alive} #stage[data-phase={name}]")).to_be_visible()

    def choose(self, code: str, *, by: str = "keys") -> None:
        self.enter(code, by=by)
        self.page.locator("#send").click()

    def guess(self, code: str, *, by: str = "keys") -> None:
        """By the keys on the page, or by typing and Enter."""
        expect(self.own_seat()).to_have_class(re.compile(r"\bon\b"))
        self.enter(code, by=by)
        if by == "typing":
            self.page.keyboard.press("Enter")
        else:
            self.page.locator("#send").click()

    def enter(self, code: str, *, by: str = "keys") -> None:
        if by == "typing":
            self.page.keyboard.type(code)
        else:
            self.enter_more(code)
        expect(self.page.locator("#code")).to_have_value(code)

    def enter_more(self, digits: str) -> None:
        """Whoever sees that a key has not gone down presses it again: shown anew under a finger, it takes no press."""
        for digit in digits:
            before = self.page.locator("#code").input_value()
            self.page.locator(f"#key-{digit}").click()
            if self.page.locator("#code").input_value() == before:
                self.page.locator(f"#key-{digit}").click()

    def confirm(self) -> None:
        self.page.locator("form[data-command=confirm] button").click()

    def my_turn(self) -> bool:
        return "on" in (self.own_seat().get_attribute("class") or "").split()

    def own_seat(self) -> Locator:
        return self.page.locator(f"#seat-{self.page.locator('#stage').get_attribute('data-you')}")

    def board(self, look: str) -> list[str]:
        """What each row of a board says to who cannot see it."""
        rows = self.page.locator(f"ol.{look} li[data-kind=guess] .vh")
        return [text.strip() for text in rows.all_text_contents()]
