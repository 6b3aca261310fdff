"""Records and ladders over the public interface (api.md)."""

from typing import Any

import pytest

from matches.core.machine import Reason
from players.models import Kind, User
from ratings import services
from ratings.models import Ladder
from tests.builders import Api, Duel, person
from tests.ratings.builders import counted, easy, lose, lost, many_results, many_standings

pytestmark = pytest.mark.django_db


@pytest.fixture
def players() -> tuple[User, User]:
    return person("ada"), person("bob")


def walk(path: str, limit: int) -> list[Any]:
    """Every page of a list, each from where the one before said."""
    bodies: list[Any] = []
    after: str | None = ""
    while after is not None:
        bodies.append(Api().get(f"{path}?limit={limit}&after={after}").body)
        after = bodies[-1]["next"]
    return bodies


def test_an_account_is_name_kind_points_and_record(players: tuple[User, User]) -> None:
    """api.md: the fields, and no others."""
    lost(players, 3)
    assert Api(players[0]).get("/account").body == {
        "name": "ada",
        "kind": "human",
        "points": 2,
        "record": {"won": 0, "lost": 1, "drawn": 0, "void": 0},
    }


@pytest.mark.parametrize("kind", [Kind.GUEST, Kind.BOT])
def test_guests_and_bots_have_accounts_too(kind: Kind) -> None:
    assert Api(person("cleo", kind)).get("/account").body["kind"] == kind


def test_an_account_is_its_own_caller_s(players: tuple[User, User]) -> None:
    assert Api().get("/account").code == "not_signed_in"
    assert Api(Authorization="Bearer nonsense").get("/account").code == "not_signed_in"


def test_a_win_against_a_bot_is_in_the_record_and_gives_no_points() -> None:
    """R6.1, D16"""
    ada = person("ada")
    lost((easy(), ada))
    body = Api(ada).get("/account").body
    assert (body["points"], body["record"]["won"]) == (0, 1)


def test_the_ladder_is_open_to_nobody_in_particular(players: tuple[User, User]) -> None:
    lost(players, 3)
    assert Api().get("/ladder").body == {
        "players": [
            {"rank": 1, "name": "bob", "points": 10, "won": 1, "lost": 0, "last": 10},
            {"rank": 2, "name": "ada", "points": 2, "won": 0, "lost": 1, "last": 2},
        ],
        "next": None,
    }
    assert Api().get("/ladder?period=month").body["players"][0]["name"] == "bob"
    assert Api().get("/ladder/tournaments").body == {"players": [], "next": None}


def test_the_ladder_of_tournaments_is_apart(players: tuple[User, User]) -> None:
    """R6.6, D16"""
    duel = Duel(players=players)
    services.assign(duel.id, Ladder.TOURNAMENT)
    counted(lose(duel, 3))
    assert [rung["points"] for rung in Api().get("/ladder/tournaments").body["players"]] == [10, 2]
    assert Api().get("/ladder").body["players"] == []
    assert Api().get("/players/bob").body["tournaments"] == {"points": 10, "won": 1, "lost": 0}
    assert Api().get("/players/bob").body["points"] == 0


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_the_ladder_s_pages_neither_repeat_nor_skip(limit: int) -> None:
    everybody = many_standings(40)
    rungs = [rung for body in walk("/ladder", limit) for rung in body["players"]]
    assert [rung["name"] for rung in rungs] == [player.username for player in everybody]
    assert [rung["rank"] for rung in rungs] == [1 + number // 3 * 3 for number in range(40)]


def test_a_player_is_record_rank_terms_and_matches(players: tuple[User, User]) -> None:
    duel = lost(players, 3)
    body = Api().get("/players/ADA").body
    (match,) = body.pop("matches")
    assert body.pop("since") > 0
    assert body == {
        "name": "ada",
        "kind": "human",
        "points": 2,
        "record": {"won": 0, "lost": 1, "drawn": 0, "void": 0},
        "rank": 2,
        "terms": [
            {
                "preset": "duel",
                "length": 5,
                "repeats": True,
                "feedback": "positions",
                "against_bots": False,
                "won": 0,
                "lost": 1,
                "drawn": 0,
                "void": 0,
                "guesses_to_win": None,
            }
        ],
        "tournaments": None,
        "next": None,
    }
    assert match == {
        "match": duel.id,
        "outcome": "lost",
        "reason": Reason.RESIGNED.value,
        "opponent": "bob",
        "against_bot": False,
        "terms": Api().get(f"/matches/{duel.id}").body["terms"],
        "rated": True,
        "guesses": 1,
        "ended_at": duel.state.at,
        "change": 2,
        "in_place": 3,
        "why": "3 in place in the last guess: +2.",
    }


@pytest.mark.parametrize("limit", [1, 10])
def test_a_player_s_matches_neither_repeat_nor_skip(limit: int, players: tuple[User, User]) -> None:
    many_results(*players, 23)
    found = [match["match"] for body in walk("/players/ada", limit) for match in body["matches"]]
    assert len(found) == len(set(found)) == 23


def test_a_private_match_is_named_to_its_players_alone(players: tuple[User, User]) -> None:
    duel = counted(lose(Duel(players=players, public=False), 3))
    for caller, sees in ((None, None), (person("cleo"), None), (players[1], duel.id)):
        assert Api(caller).get("/players/ada").body["matches"][0]["match"] == sees


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/players/nobody", "not_found"),
        ("/players/%00", "not_found"),
        ("/players/ada?after=x", "invalid"),
        ("/ladder?after=x", "invalid"),
        ("/ladder?limit=0", "bad_request"),
        ("/ladder?limit=101", "bad_request"),
        ("/ladder?limit=many", "bad_request"),
        ("/ladder?period=year", "bad_request"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_word(
    path: str, code: str, players: tuple[User, User]
) -> None:
    assert Api().get(path).code == code


@pytest.mark.parametrize("many", [1, 1000])
@pytest.mark.parametrize(("path", "queries"), [("/ladder?limit=100", 1), ("/players/ada?limit=100", 6)])
def test_an_answer_asks_as_often_for_one_row_as_for_a_thousand(
    path: str, queries: int, many: int, players: tuple[User, User], django_assert_num_queries: Any
) -> None:
    many_results(*players, many)
    if many > 1:
        many_standings(many)
    with django_assert_num_queries(queries):
        assert Api().get(path).status == 200
