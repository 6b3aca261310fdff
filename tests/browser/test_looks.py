"""Every page and state is looked at (`camera`): it fits every screen, axe finds nothing, a thumb finds all (D28).

`make shots` takes pictures on the way.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.camera import Camera
from tests.browser.player import Player
from tests.site import Site

pytestmark = pytest.mark.browser

Open = Callable[..., BrowserContext]


@pytest.fixture(params=["en-GB", "it-IT"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def camera(shots: Path, language: str) -> Camera:
    return Camera(shots, language[:2])


@pytest.fixture
def pair(open_context: Open, language: str) -> tuple[Player, Player]:
    return Player(open_context(locale=language)), Player(open_context(locale=language))


def begin(
    host: Player, guest: Player, preset: str, numbers: tuple[str, str], **terms: str
) -> tuple[Player, Player]:
    guest.accept(host.invite(preset, **terms))
    host.arrive()
    host.choose(numbers[0])
    guest.choose(numbers[1])
    if preset == "classic":
        host.confirm()
        guest.confirm()
    host.phase("playing")
    guest.phase("playing")
    return (host, guest) if host.my_turn() else (guest, host)


def test_home_invitation_and_lost_pages(pair: tuple[Player, Player], camera: Camera, site: Site) -> None:
    host, guest = pair
    host.page.goto("/")
    camera.take(host.page, "home", whole=True)
    link = host.invite("duel", length="5", repeats="no")
    camera.take(host.page, "invitation-owner", whole=True)
    guest.page.goto(link)
    camera.take(guest.page, "invitation-visitor")
    host.page.locator("form[action$='/withdraw/'] button").click()
    guest.page.reload()
    camera.take(guest.page, "invitation-withdrawn")
    guest.page.goto("/nothing-here/")
    camera.take(guest.page, "lost")
    guest.page.goto(f"/offline/{camera.language}/")
    camera.take(guest.page, "offline")


def test_accounts(pair: tuple[Player, Player], camera: Camera, site: Site) -> None:
    page = pair[0].page
    for name in ("signin", "signup", "password/reset"):
        page.goto(f"/account/{name}/")
        camera.take(page, name.replace("/", "-"), whole=True)
    pair[0].invite()
    for name in ("", "signin", "signup", "signout", "delete"):
        page.goto(f"/account/{name}{'/' if name else ''}")
        camera.take(page, f"guest-{name or 'account'}", whole=True)
    page.goto("/account/signup/")
    page.locator("#id_username").fill(f"Nicolò-{camera.language}")
    page.locator("#id_password1").fill("12345")
    page.locator("main form button").click()
    camera.take(page, "signup-refused", whole=True)
    page.locator("#id_password1").fill("correct-horse-9")
    page.locator("main form button").click()
    page.locator(".own", has_text="Nicolò").click()
    camera.take(page, "account", whole=True)
    for name in ("email", "password", "tokens", "sessions", "ties", "delete"):
        page.goto(f"/account/{name}/")
        camera.take(page, f"account-{name}", whole=True)
    page.goto("/account/")
    page.locator("input[name=theme][value=dark]").check(force=True)
    page.locator("main form button").click()
    page.locator(".note").wait_for()
    page.wait_for_load_state()  # its style may still be on its way
    page.emulate_media(color_scheme="light")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_a_duel_from_choosing_to_its_end(pair: tuple[Player, Player], camera: Camera, site: Site) -> None:
    host, guest = pair
    guest.accept(host.invite("duel", length="5", repeats="no"))
    host.arrive()
    host.enter("0417")
    camera.take(host.page, "choosing")
    host.enter_more("2")
    host.page.locator("#send").click()
    camera.take(host.page, "chosen")
    guest.choose("90718")
    host.phase("playing")
    first, second = (host, guest) if host.my_turn() else (guest, host)
    own = "04172" if first is host else "90718"
    other = "90718" if first is host else "04172"
    for mine, theirs in [("51328", "15087"), ("28541", "79601"), ("85612", "01732")]:
        first.guess(mine)
        second.guess(theirs)
    first.enter("92815")
    camera.take(first.page, "duel")
    first.page.locator(".lid button[popovertarget=sheet]").click()
    first.page.locator("#ask summary").click()
    camera.take(first.page, "sheet")
    first.page.keyboard.press("Escape")
    first.page.locator("#key-clear").click()
    camera.take(second.page, "waiting")
    second.page.context.close()
    first.page.locator(".seat.away").wait_for()
    camera.take(first.page, "away")
    first.guess(other)
    first.phase("over")
    first.page.locator("#analysis").wait_for()
    camera.take(first.page, "over", whole=True)
    first.page.locator("a[href$='/at/1/']").click()
    first.page.wait_for_url("**/at/1/")
    camera.take(first.page, "replay-start")
    first.page.keyboard.press("End")
    expect(first.page.locator("#step-last")).to_have_attribute("aria-disabled", "true")
    camera.take(first.page, "replay")
    assert own != other


@pytest.mark.parametrize("name", ["rules", "strategy"])
def test_the_pages_that_explain_the_game(
    open_context: Open, camera: Camera, language: str, name: str
) -> None:
    page = open_context(locale=language).new_page()
    page.goto(f"/{name}/")
    camera.take(page, name, whole=True)


def test_totals_and_the_line_lost(pair: tuple[Player, Player], camera: Camera, site: Site) -> None:
    first, second = begin(*pair, "duel", ("0417", "9071"), length="4", feedback="totals")
    for mine, theirs in [("1122", "3344"), ("0718", "0147")]:
        first.guess(mine)
        second.guess(theirs)
    camera.take(first.page, "totals")
    first.page.context.set_offline(True)
    first.page.evaluate("window.dispatchEvent(new Event('offline'))")
    first.guess("5566")
    first.page.wait_for_timeout(900)
    camera.take(first.page, "reconnecting")
    first.page.context.set_offline(False)


def test_classic(pair: tuple[Player, Player], camera: Camera, site: Site) -> None:
    host, guest = pair
    guest.accept(host.invite("classic"))
    host.arrive()
    host.choose("04172")
    guest.choose("90718")
    host.phase("confirming")
    camera.take(host.page, "confirming")
    host.confirm()
    guest.confirm()
    host.phase("playing")
    first, second = (host, guest) if host.my_turn() else (guest, host)
    for mine, theirs in [("35674", "93147"), ("98513", "13468")]:
        first.guess(mine)
        second.guess(theirs)
    first.enter("281")
    camera.take(first.page, "classic")
