"""Three browsers play a tournament to its champion: made, entered and played by clicking, moved by its own clock."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.player import Player
from tests.browser.test_meeting import MATCH, Open
from tests.browser.test_notices import look_away, told, watched
from tests.browser.test_whole import sign_up
from tests.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

PATIENCE = 45_000
NUMBERS = {"ada": "0417", "bob": "9071", "cleo": "2685"}
SOON = """
from datetime import timedelta
from django.utils import timezone
from matches import codec
from tournaments import services
from tournaments.models import Tournament
row = Tournament.objects.get()
terms = codec.terms_from_json(row.terms)
services.edit(row.pk, row.creator, services.Plan(row.name, terms, timezone.now() + timedelta(seconds=20)))
"""
BOTS_NUMBER = """
from matches.models import Match
print(Match.objects.get(pk="{id}").secrets[1][0])
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Nobody here is away for long, but the machine may be slow."""
    with Site(
        tmp_path_factory.mktemp("site") / "data",
        BOT_DELAY="0-0",
        GRACE_SECONDS="600",
        ROUND_PAUSE_SECONDS="2",
    ) as running:
        yield running


def manage(site: Site, code: str) -> str:
    done = site.manage("shell", "-v0", "-c", code)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_three_browsers_play_one_to_its_champion(open_context: Open, site: Site) -> None:
    """R8: the odd one against the bot, then the final; the bracket follows, and who is elsewhere is called."""
    ada = Player(open_context(viewport=DESKTOP))
    bob = watched(open_context(viewport=PHONE, permissions=["notifications"]))
    cleo = Player(open_context(viewport=DESKTOP, color_scheme="dark"))
    players = {"ada": ada, "bob": bob, "cleo": cleo}
    for name, player in players.items():
        sign_up(player, name)
    make(ada)
    for player in (bob, cleo):
        player.page.goto("/tournaments/")
        player.page.locator("#coming a", has_text="Three of us").click()
        player.page.locator("form[action$='/join/'] button").click()
        expect(player.page.locator("main")).to_contain_text("You are in.")
    ada.page.locator("form[action$='/join/'] button").click()
    expect(ada.page.locator("#entrants li")).to_have_count(3)

    # Called wherever they are, looking or not.
    bob.page.goto("/rules/")
    look_away(bob.page)
    cleo.page.goto("/ladder/")
    manage(site, SOON)
    expect(bob.page.locator("#calls")).to_contain_text(
        "Three of us starts in thirty seconds.", timeout=PATIENCE
    )
    assert told(bob.page, 1) == ["Three of us starts in thirty seconds."]
    expect(cleo.page).to_have_title(re.compile("Three of us starts in thirty seconds"))

    # And brought to their matches when it starts.
    for player in players.values():
        player.page.wait_for_url(MATCH, timeout=PATIENCE)
        player.phase("choosing")
    alone = next(
        name for name, player in players.items() if "Easy" in player.page.locator("#stage").inner_text()
    )
    played = {name: player.page.url for name, player in players.items()}
    beat_the_bot(players[alone], alone, site)
    pair = [name for name in players if name != alone]
    winner, loser = decide(players, pair)

    # The bracket of who is out follows by itself; who is through is brought to the final from wherever they are.
    players[loser].page.get_by_role("link", name="To the tournament").click()
    expect(players[loser].page.locator("#own")).to_contain_text("You are out", timeout=PATIENCE)
    for name in (alone, winner):
        players[name].page.wait_for_url(another_match(played[name]), timeout=PATIENCE)
        players[name].phase("choosing")
    expect(players[loser].page.locator(".round")).to_have_count(2, timeout=PATIENCE)
    clocks = players[loser].page.locator(".node.live i")
    expect(clocks).to_have_text([re.compile(r"^\d:\d\d$")] * 2)
    champion, second = decide(players, [alone, winner])

    told_so = f"{champion} is the champion."
    expect(players[loser].page.locator("#way")).to_contain_text(told_so, timeout=PATIENCE)
    expect(players[loser].page.locator("#standing")).to_contain_text("Finished")
    for name in (champion, second):
        players[name].page.get_by_role("link", name="To the tournament").click()
    expect(players[champion].page.locator("#way")).to_contain_text("You are the champion.")
    expect(players[second].page.locator("#way")).to_contain_text(told_so)
    players[second].page.goto(f"/players/{champion}/")
    expect(players[second].page.locator("main")).to_contain_text("Three of us")
    assert [player.mistakes for player in players.values()] == [[], [], []]


def another_match(old: str) -> Callable[[str], bool]:
    return lambda url: "/m/" in url and url != old


def make(player: Player) -> None:
    """By the form, for some other day."""
    page = player.page
    page.goto("/tournaments/")
    page.locator("a[href='/tournaments/new/']").click()
    page.fill("#name", "Three of us")
    page.fill("#day", "2099-01-31")
    page.fill("#hour", "21:00")
    page.locator("form button.big").click()
    page.wait_for_url(re.compile(r"/tournaments/[0-9a-z]{8}/$"))


def beat_the_bot(player: Player, name: str, site: Site) -> None:
    """Whoever plays it here has been told its number: what is proved is not luck."""
    player.choose(NUMBERS[name])
    player.phase("playing")
    match_id = player.page.url.rstrip("/").rpartition("/")[2]
    player.guess(manage(site, BOTS_NUMBER.format(id=match_id)))
    player.phase("over")


def decide(players: dict[str, Player], pair: list[str]) -> tuple[str, str]:
    """Both choose, and whoever moves first names the other's number: who won and who lost."""
    for name in pair:
        players[name].choose(NUMBERS[name])
    for name in pair:
        players[name].phase("playing")
    first, second = pair if players[pair[0]].my_turn() else reversed(pair)
    players[first].guess(NUMBERS[second])
    for name in pair:
        players[name].phase("over")
    return first, second
