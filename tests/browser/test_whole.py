"""Whole evenings by clicking and typing: strangers who play for points, and a person who beats a bot."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from bots import forest
from bots.core.levels import Level, choose
from bots.core.puzzle import Puzzle
from matches.choices import default_terms
from matches.core.sight import GuessSight
from tests.browser.conftest import DESKTOP
from tests.browser.player import Player, until
from tests.browser.test_meeting import MATCH, Open, open_seek
from tests.site import Site

pytestmark = pytest.mark.browser

EVENINGS = 8
"""Matches in which somebody who plays as well as can be beats Easy at least once: it wins one in six."""
MARKS = {"exact": "E", "present": "P", "absent": "A"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """With bots that answer at once."""
    with Site(tmp_path_factory.mktemp("site") / "data", BOT_DELAY="0-0") as running:
        yield running


def sign_up(player: Player, name: str) -> None:
    page = player.page
    page.goto("/account/signup/")
    page.fill("[name=username]", name)
    page.fill("[name=password1]", "square-round-bare")
    if page.locator("[name=password2]").count():
        page.fill("[name=password2]", "square-round-bare")
    page.locator("main form button.go").click()
    expect(page.locator(".own")).to_have_text(name)


def test_two_meet_through_the_lobby_play_for_points_and_the_ladder_shows_them(open_context: Open) -> None:
    """R6.2: the winner takes 10, the loser of four digits with three of them in place 6."""
    ada, bob = Player(open_context()), Player(open_context(viewport=DESKTOP))
    sign_up(ada, "ada")
    sign_up(bob, "bob")
    open_seek(ada)
    bob.page.goto("/lobby/")
    bob.page.locator("#seeks .seek:not(.own) button").first.click()
    for player in (ada, bob):
        player.page.wait_for_url(MATCH)
        player.phase("choosing")
    ada.choose("0417")
    bob.choose("9071")
    for player in (ada, bob):
        player.phase("playing")
    if bob.my_turn():
        bob.guess("0412")
    ada.guess("1234")
    bob.guess("0413")
    ada.guess("9071", by="typing")
    for player, told in ((ada, ["+10", "+6"]), (bob, ["+6", "+10"])):
        player.phase("over")
        expect(player.page.locator("#stage .fig")).to_have_text(told)
        assert player.mistakes == []
    bob.page.goto("/ladder/")
    rungs = bob.page.locator("table.rungs tbody tr")
    expect(rungs).to_have_count(2)
    expect(rungs.first).to_contain_text(re.compile(r"1\s*ada.*\+10\s*10", re.DOTALL))
    expect(rungs.last).to_contain_text(re.compile(r"2\s*You.*\+6\s*6", re.DOTALL))


def test_a_person_beats_easy_and_reads_the_analysis(open_context: Open) -> None:
    """R7: named as a bot, there at once, ready for every rematch."""
    player = Player(open_context())
    player.page.goto("/")
    player.page.locator("button[name=level][value=easy]").click()
    for evening in range(EVENINGS):
        if play(player, evening):
            break
        address = player.page.url
        player.page.locator("form[data-command=rematch] button").click()
        player.page.wait_for_url(lambda url, before=address: url != before)  # type: ignore[misc]
    expect(player.page.locator("h1")).to_have_text("You won.")
    expect(player.page.locator("#analysis")).to_contain_text(re.compile(r"Skill \d+ of 100"))
    expect(player.page.locator("#analysis .chart")).to_be_visible()
    assert player.mistakes == []


def play(player: Player, seed: int) -> bool:
    """One match against the bot, by what stands on the page; whether it was won."""
    page, puzzle = player.page, Puzzle.of(default_terms())
    page.wait_for_url(MATCH)
    player.phase("choosing")
    player.choose("0417")
    while True:
        until(
            page,
            "document.querySelector('#stage').dataset.phase === 'over'"
            " || document.body.hasAttribute('data-turn')",
        )
        if page.locator("#stage").get_attribute("data-phase") == "over":
            return "won" in page.locator("h1").inner_text()
        told = rows(player)
        player.guess(choose(Level.HARD, puzzle, told, seed, forest.tree), by="typing")
        until(
            page,
            "made => document.querySelector('#stage').dataset.phase === 'over'"
            " || document.querySelectorAll('ol.near li[data-kind=guess]').length > made",
            len(told),
        )


def rows(player: Player) -> list[GuessSight]:
    """The own board, read off its tiles."""
    found = []
    for n, row in enumerate(player.page.locator("ol.near li[data-kind=guess]").all(), start=1):
        tiles = row.locator(".tile").all()
        code = "".join(tile.inner_text() for tile in tiles)
        looks = [(tile.get_attribute("class") or "").split() for tile in tiles]
        marks = "".join(next(MARKS[look] for look in look_of if look in MARKS) for look_of in looks)
        found.append(GuessSight(n, code, marks, marks.count("E"), marks.count("P"), 0))
    return found
