"""The ladders, players' pages and histories as people meet them (issue 4, ui.md)."""

import re
from typing import Any

import pytest

from matches.models import Match
from players.models import Kind, User
from ratings import services
from ratings.models import ALL_TIME, Ladder, LedgerRow, Standing
from tests.builders import Duel, Page, person, signed_in
from tests.ratings.builders import counted, easy, lose, lost, many_results, many_standings

pytestmark = pytest.mark.django_db


@pytest.fixture
def players() -> tuple[User, User]:
    return person("ada"), person("bob")


def text(page: Page) -> str:
    """What is read, tags left out."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))


def rungs(page: Page) -> list[tuple[int, str]]:
    found = re.findall(
        r'<td class="num">(\d+)</td><th scope="row" class="name"><a href="/players/([^/]+)/">',
        page.content.decode(),
    )
    return [(int(rank), name) for rank, name in found]


def walk(path: str, user: User | None = None) -> list[Page]:
    """Every page of a list, by the links that people press."""
    client, pages = signed_in(user), []
    step: str | None = path
    while step:
        pages.append(client.get(step))
        assert pages[-1].status_code == 200
        link = re.search(r'href="([^"]+)" rel="next"', pages[-1].content.decode())
        found = link[1].replace("&amp;", "&") if link else None
        step = None if found is None else found if found.startswith("/") else path.split("?")[0] + found
    return pages


# The ladder


def test_the_ladder_shows_who_has_most_points_first(players: tuple[User, User]) -> None:
    """R6.2, issue 4: two play a rated match, and the ladder shows R6's numbers."""
    lost(players, 3)
    page = signed_in(None).get("/ladder/")
    assert rungs(page) == [(1, "bob"), (2, "ada")]
    assert "1 bob 1 0 +10 10" in text(page)
    assert "2 ada 0 1 +2 2" in text(page)


def test_as_many_points_are_the_same_rank_and_the_next_counts_on() -> None:
    many_standings(7)
    ranks = [rank for rank, _ in rungs(signed_in(None).get("/ladder/"))]
    assert ranks == [1, 1, 1, 4, 4, 4, 7]


@pytest.mark.parametrize("count", [10, 11, 29, 30])
def test_the_ladder_s_pages_neither_repeat_nor_skip_and_ranks_go_on(count: int) -> None:
    """Issue 4: stable under ties; threes with the same points lie across every page's end."""
    players = many_standings(count)
    shown = [rung for page in walk("/ladder/") for rung in rungs(page)]
    assert [name for _, name in shown] == [player.username for player in players]
    assert [rank for rank, _ in shown] == [1 + number // 3 * 3 for number in range(count)]


def test_all_with_the_same_points_are_still_one_walk() -> None:
    players = many_standings(45, lambda _: 0)
    shown = [rung for page in walk("/ladder/") for rung in rungs(page)]
    assert shown == [(1, player.username) for player in players]


@pytest.mark.parametrize(
    ("own", "neighbours"),
    [(5, []), (10, [10, 11]), (12, [11, 12, 13]), (40, [39, 40, 41]), (49, [48, 49])],
    ids=["shown anyway", "right below", "one further", "far down", "the last"],
)
def test_the_reader_s_own_row_is_shown_with_its_neighbours(own: int, neighbours: list[int]) -> None:
    """The mock: however far down."""
    players = many_standings(50)
    page = signed_in(players[own]).get("/ladder/")
    assert [name for _, name in rungs(page)][10:] == [players[number].username for number in neighbours]
    assert page.content.decode().count('<tr class="me">') == 1
    assert ("⋯" in text(page)) == bool(neighbours and neighbours[0] > 10)


def test_who_has_no_place_yet_sees_the_ladder_as_it_is(players: tuple[User, User]) -> None:
    many_standings(50)
    page = signed_in(players[0]).get("/ladder/")
    assert len(rungs(page)) == 10
    assert "me" not in re.findall(r'<tr class="(\w+)"', page.content.decode())


def test_this_month_is_what_its_matches_have_moved(players: tuple[User, User]) -> None:
    """A sum of changes, so it says its sign."""
    for in_place in (3, 3, 0):
        lost(players, in_place)
    Standing.objects.filter(period="").update(points=500)
    page = signed_in(None).get("/ladder/month/")
    assert "1 bob 3 0 +10 +30" in text(page)
    assert "2 ada 0 3 −4 0" in text(page)


def test_tournaments_have_a_ladder_of_their_own(players: tuple[User, User]) -> None:
    """R6.6"""
    duel = Duel(players=players)
    services.assign(duel.id, Ladder.TOURNAMENT)
    counted(lose(duel, 3))
    assert rungs(signed_in(None).get("/ladder/tournaments/")) == [(1, "bob"), (2, "ada")]
    assert rungs(signed_in(None).get("/ladder/")) == []
    assert "10 points" in text(signed_in(None).get("/players/bob/")).replace("points 10", "10 points")


def test_an_empty_ladder_says_so() -> None:
    for path in ("/ladder/", "/ladder/month/", "/ladder/tournaments/"):
        assert "finished" in text(signed_in(None).get(path))


def test_the_card_of_points_is_the_rules_own(players: tuple[User, User]) -> None:
    """R6.2"""
    page = text(signed_in(None).get("/ladder/"))
    for line in ("4 in place +6", "3 in place +2", "2 in place −2", "1 in place −6", "0 in place −10"):
        assert line in page


@pytest.mark.parametrize(
    "path",
    [
        "/ladder/?after=x",
        "/ladder/?after=1.2.3",
        "/ladder/?after=%00",
        f"/ladder/?after={'9' * 30}.1",
        "/ladder/?after=٣.٣",
        "/players/bob/matches/?after=x",
        "/players/bob/matches/?preset=chess",
        "/players/bob/matches/?outcome=win",
        "/players/bob/matches/?kind=%27",
        "/players/nobody/",
        "/players/%00/",
        "/players/nobody/matches/",
        f"/players/{'b' * 41}/",
    ],
)
def test_what_is_no_address_of_ours_is_not_found(path: str, players: tuple[User, User]) -> None:
    assert signed_in(None).get(path).status_code == 404


# A player


def test_a_player_s_page_shows_record_points_and_matches(players: tuple[User, User]) -> None:
    lost(players, 3)
    lost(players[::-1], 1)
    page = signed_in(None).get("/players/ada/")
    seen = text(page)
    assert "N° 1 on the ladder" in seen
    assert "points 12" in seen
    assert "Resigned against bob" in seen
    assert "Beat bob , who resigned" in seen
    assert "3 in place +2" in seen
    assert "Points over 2 rated matches, from 0 to 12" in page.content.decode()
    assert "5 digits, repeats allowed, per position 1 1 0 0" in seen


@pytest.mark.parametrize("name", ["ADA", "Àda"])
def test_a_name_that_looks_the_same_leads_to_the_one_there_is(name: str, players: tuple[User, User]) -> None:
    client = signed_in(None)
    assert client.get(f"/players/{name}/").headers["Location"] == "/players/ada/"
    there = client.get(f"/players/{name}/matches/?outcome=won").headers["Location"]
    assert there == "/players/ada/matches/?outcome=won"


def test_names_with_accents_have_pages() -> None:
    person("Nicolò_è-2")
    assert signed_in(None).get("/players/Nicolò_è-2/").status_code == 200


def test_guests_and_bots_have_pages_too() -> None:
    guest = person("Vega-1234", Kind.GUEST)
    lost((guest, easy()))
    for name in ("Vega-1234", "Easy"):
        page = signed_in(None).get(f"/players/{name}/")
        assert page.status_code == 200
        assert "on the ladder" not in text(page)
    assert "Against bots" in text(signed_in(None).get("/players/Vega-1234/"))


def test_a_bot_is_called_one_in_a_sentence_about_a_match() -> None:
    lost((person("Vega-1234", Kind.GUEST), easy()), 2)
    assert "Resigned against the Easy bot" in text(signed_in(None).get("/players/Vega-1234/"))


def test_the_opponent_reads_of_themself_as_you(players: tuple[User, User]) -> None:
    lost(players, 3)
    assert "Resigned against you" in text(signed_in(players[1]).get("/players/ada/"))


def test_a_chart_of_thousands_of_rows_reads_two_hundred(players: tuple[User, User]) -> None:
    """Bounded, whatever the career; the newest total is always among them."""
    duel = lost(players, 3)
    first = LedgerRow.objects.get(player=players[1])
    matches = [f"y{number:07d}" for number in range(2, 3001)]
    row = duel.row
    Match.objects.bulk_create(
        Match(
            **{f.attname: getattr(row, f.attname) for f in Match._meta.concrete_fields if f.name != "id"},
            id=key,
        )
        for key in matches
    )
    LedgerRow.objects.bulk_create(
        LedgerRow(
            player=players[1],
            match_id=key,
            ladder="general",
            number=number,
            cause="won",
            length=5,
            change=10,
            total=10 * number,
            at=first.at,
        )
        for number, key in enumerate(matches, start=2)
    )
    Standing.objects.filter(player=players[1], period=ALL_TIME).update(rows=3000, points=30_000)
    page = signed_in(None).get("/players/bob/").content.decode()
    (path,) = re.findall(r'class="you" d="([^"]+)"', page)
    assert path.count("L") == 200
    assert "Points over 3000 rated matches, from 0 to 30000" in page


# A history


@pytest.mark.parametrize("count", [20, 21, 47])
def test_a_history_s_pages_neither_repeat_nor_skip(count: int, players: tuple[User, User]) -> None:
    """Issue 4: though five matches at a time ended at one instant."""
    many_results(*players, count)
    shown = [
        match
        for page in walk("/players/ada/matches/")
        for match in re.findall(r'href="/m/(\w+)/"', page.content.decode())
    ]
    assert len(shown) == len(set(shown)) == count
    newest = Match.objects.order_by("-ended_at", "pk").values_list("pk", flat=True)
    assert shown == list(newest)


def test_a_history_can_be_filtered(players: tuple[User, User]) -> None:
    """By preset, outcome, kind and opponent, and by several at once; the links to what is older keep them."""
    ada, bob = players
    lost((ada, bob), preset="probe")
    lost((bob, ada), rated=False)
    lost((ada, easy()))
    client = signed_in(None)

    def count(asked: str) -> int:
        return client.get(f"/players/ada/matches/?{asked}").content.decode().count("<time")

    assert count("") == 3
    assert count("preset=probe") == 1
    assert count("outcome=won") == 1
    assert count("outcome=lost") == 2
    assert count("kind=rated") == 1
    assert count("kind=unrated") == 2
    assert count("kind=bots") == 1
    assert count("opponent=B0b") == 2
    assert count("opponent=nobody") == 0
    assert count("opponent=bob&outcome=won&preset=duel&kind=unrated") == 1
    assert "No match is like that." in text(client.get("/players/ada/matches/?preset=classic"))


def test_filters_survive_paging(players: tuple[User, User]) -> None:
    many_results(*players, 25)
    pages = walk("/players/ada/matches/?outcome=lost&opponent=bob")
    assert [page.content.decode().count("<time") for page in pages] == [20, 5]


def test_htmx_gets_the_lines_alone_and_caches_know(players: tuple[User, User]) -> None:
    many_results(*players, 21)
    swap = signed_in(None).get("/players/ada/matches/?outcome=lost", headers={"HX-Request": "true"})
    assert swap.content.decode().lstrip().startswith("<li>")
    assert "HX-Request" in swap.headers["Vary"]
    back = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" in signed_in(None).get("/players/ada/matches/", headers=back).content.decode()


def test_a_private_match_counts_and_is_listed_but_only_its_players_can_open_it(
    players: tuple[User, User],
) -> None:
    duel = counted(lose(Duel(players=players, public=False), 3))
    link = f"/m/{duel.id}/"
    for reader, sees in ((None, False), (person("cleo"), False), (players[0], True), (players[1], True)):
        page = signed_in(reader).get("/players/ada/matches/").content.decode()
        assert (page.count("<time"), link in page) == (1, sees)


def test_a_name_of_one_s_own_making_is_text(players: tuple[User, User]) -> None:
    """D24"""
    User.objects.filter(pk=players[1].pk).update(username="<b>x</b>")
    lost(players)
    assert b"<b>x</b>" not in signed_in(None).get("/players/ada/matches/").content


def test_a_match_taken_back_says_so(players: tuple[User, User]) -> None:
    """R6.5"""
    services.reverse(lost(players, 3).id)
    seen = text(signed_in(None).get("/players/ada/matches/"))
    assert "Void against bob : a moderator’s decision" in seen
    assert "taken back 0" in seen


def test_the_pages_speak_italian_without_a_word_missing_a_template(players: tuple[User, User]) -> None:
    lost(players)
    for path in ("/ladder/", "/players/ada/", "/players/ada/matches/"):
        assert signed_in(None).get(path, headers={"Accept-Language": "it"}).status_code == 200


# How often the database is asked


@pytest.mark.parametrize("many", [1, 1000])
@pytest.mark.parametrize(
    ("path", "queries"),
    [("/ladder/", 7), ("/ladder/month/", 7), ("/players/ada/", 11), ("/players/ada/matches/", 5)],
)
def test_a_page_asks_as_often_for_one_row_as_for_a_thousand(
    path: str, queries: int, many: int, players: tuple[User, User], django_assert_max_num_queries: Any
) -> None:
    """Issue 4: session and user among them."""
    many_results(*players, many)
    for _ in range(min(many, 2)):
        lost(players)
    if many > 1:
        others = many_standings(many)
        Standing.objects.bulk_create(
            Standing(
                player=player, ladder=Ladder.GENERAL, period=f"{players[0].date_joined:%Y-%m}", points=50
            )
            for player in others
        )
    client = signed_in(players[0])
    client.get(path)
    with django_assert_max_num_queries(queries):
        assert client.get(path).status_code == 200


@pytest.mark.parametrize(
    ("path", "marked"),
    [
        ("/ladder/", [("/ladder/", "page")]),
        ("/ladder/tournaments/", [("/ladder/", "true")]),
        ("/tournaments/", [("/tournaments/", "page")]),
        ("/players/rules/", []),
    ],
)
def test_the_part_of_the_site_is_marked_on_all_its_pages_and_on_no_others(
    path: str, marked: list[tuple[str, str]]
) -> None:
    """A ladder of tournaments is the ladder's, and a player may be called as a part is."""
    person("rules")
    menu = signed_in(None).get(path).content.decode().partition('<nav id="menu"')[2].partition("</nav>")[0]
    assert re.findall(r'<a href="([^"]+)" aria-current="(\w+)"', menu) == marked
