"""Who is who: nobody acts for another, and no foreign page opens a socket in a player's name (D23, D25)."""

import gc

import pytest

from players.models import User
from tests.builders import ORIGIN, Api, Duel, bearer, dump, person, signed_in
from tests.matches.conftest import Dial
from tests.matches.lines import by_cookie, by_token

pytestmark = pytest.mark.django_db(transaction=True)

VERBS = ("secret", "confirm", "guess", "resign", "rematch", "flag", "say")
AS_BOB = {"seat": 1, "player": "bob", "user": "bob", "you": 1, "name": "bob"}


def live(public: bool) -> tuple[Duel, User]:
    return Duel(public=public).start(), person("cleo")


# A third user (D23)


def test_a_third_user_acts_on_nobodys_match_by_socket(dial: Dial) -> None:
    duel, cleo = live(public=True)
    before = dump()
    for page in (False, True):
        with dial(duel, headers=by_cookie(cleo), page=page) as line:
            for verb in VERBS:
                for claimed in ({}, {**AS_BOB, "match": duel.id}):
                    assert line.ask(verb, code="90718", phrase=1, **claimed)["code"] == "forbidden"
    assert dump() == before


def test_a_third_user_acts_on_nobodys_match_by_form() -> None:
    for public, status in ((True, 403), (False, 404)):
        duel = Duel(public=public, players=(person(f"ada{status}"), person(f"bob{status}"))).start()
        before = dump()
        for client in (signed_in(person(f"cleo{status}")), signed_in(None)):
            for verb in ("secret", "confirm", "guess", "resign", "rematch"):
                response = client.post(f"/m/{duel.id}/{verb}/", {"code": "90718", **AS_BOB})
                assert response.status_code == status
        assert dump() == before


def test_a_form_without_its_csrf_token_does_nothing() -> None:
    """D25"""
    duel = Duel().start()
    client = signed_in(duel.players[0], enforce_csrf_checks=True)
    before = dump()
    for verb in ("guess", "resign"):
        assert client.post(f"/m/{duel.id}/{verb}/", {"code": "31650"}).status_code == 403
    assert dump() == before


@pytest.mark.parametrize("verb", ["secret", "confirm", "guess", "resign", "rematch"])
def test_nothing_is_done_by_a_link(verb: str) -> None:
    """A page that is only opened changes nothing; what is no verb is not there."""
    duel = Duel().start()
    client = signed_in(duel.players[0])
    before = dump()
    assert client.get(f"/m/{duel.id}/{verb}/?code=31650").status_code == 405
    for odd in ("flag", "say", "delete", "x"):
        assert client.post(f"/m/{duel.id}/{odd}/").status_code == 404
    assert dump() == before


def test_naming_another_player_makes_nobody_them(dial: Dial) -> None:
    """D23: ada says that she is bob, and resigns for herself."""
    duel = Duel().start()
    line = dial(duel, duel.players[0])
    assert line.ask("guess", code="24680", **AS_BOB)["guess"]["n"] == 1
    assert line.ask("guess", code="24680", **AS_BOB)["code"] == "out_of_turn"
    assert Api(duel.players[0]).post(f"/matches/{duel.id}/resign", AS_BOB).body["result"]["winner"] == 1
    assert [len(seat.guesses) for seat in duel.state.seats] == [1, 0]


def test_the_socket_of_one_match_acts_on_no_other(dial: Dial) -> None:
    """D23: the match is that of the address."""
    players = person("ada"), person("bob")
    one, two = (Duel(players=players).start() for _ in range(2))
    line = dial(one, players[0])
    line.ask("guess", code="24680", match=two.id, match_id=two.id, id=two.id)
    assert (one.state.moves, two.state.moves) == (1, 0)


def test_a_token_is_good_for_its_own_player_only() -> None:
    """Ada's token on bob's turn is out of turn, and never bob's guess."""
    duel = Duel(first=1).start()
    assert Api(duel.players[0]).post(f"/matches/{duel.id}/guesses", {"code": "24680"}).code == "out_of_turn"


# Whose page is it? (D25)

EVIL = ("https://evil.example", "http://testserver.evil.example", "http://eviltestserver", "null", "", "x")
PORTS = ("http://testserver:81", "https://testserver:8443", "http://localhost", "http://127.0.0.1:8000")


@pytest.mark.parametrize(
    "origin", [*EVIL, *PORTS, "ftp://testserver", "http://testserver@evil.example", "http://["]
)
@pytest.mark.parametrize("page", [False, True])
def test_a_cookie_from_a_foreign_page_opens_no_socket(dial: Dial, origin: str, page: bool) -> None:
    """D25: a player's, and nobody's; on a public match too."""
    duel = Duel()
    assert not dial(duel, headers=by_cookie(duel.players[0], origin), page=page).open
    assert not dial(duel, headers=by_cookie(None, origin), page=page).open
    assert not any(seat.connected for seat in duel.state.seats)


@pytest.mark.parametrize("page", [False, True])
def test_a_cookie_without_an_origin_opens_no_socket(dial: Dial, page: bool) -> None:
    duel = Duel()
    assert not dial(duel, headers=by_cookie(duel.players[0], None), page=page).open


@pytest.mark.parametrize("page", [False, True])
def test_a_cookie_from_a_page_of_ours_opens_one(dial: Dial, page: bool) -> None:
    duel = Duel()
    line = dial(duel, headers=by_cookie(duel.players[0], ORIGIN), page=page)
    assert line.next("stage" if page else "match")
    assert duel.state.seats[0].connected


def test_a_host_that_is_not_ours_makes_no_origin_ours(dial: Dial) -> None:
    """Both say the same name, and it is somebody else's."""
    duel = Duel()
    headers = {**by_cookie(duel.players[0], "http://evil.example"), "Host": "evil.example"}
    assert not dial(duel, headers=headers).open


@pytest.mark.parametrize("origin", [None, ORIGIN, "https://bots.example", "null"])
def test_a_token_needs_no_origin(dial: Dial, origin: str | None) -> None:
    """No browser sends it by itself."""
    duel = Duel()
    headers = by_token(duel.players[1]) | ({"Origin": origin} if origin else {})
    assert dial(duel, headers=headers).next("match")["match"]["you"] == 1


@pytest.mark.parametrize("header", ["Bearer nonsense", "Bearer", "", "Basic YTpi", "Token x", "bearer \xe9"])
def test_a_bad_token_opens_none_though_the_cookie_would(dial: Dial, header: str) -> None:
    duel = Duel()
    assert not dial(duel, headers={**by_cookie(duel.players[0]), "Authorization": header}).open


def test_a_token_of_somebody_who_may_not_play_opens_none(dial: Dial) -> None:
    duel = Duel()
    headers = bearer(duel.players[0])
    User.objects.filter(pk=duel.players[0].pk).update(is_active=False)
    assert not dial(duel, headers=headers).open


@pytest.mark.parametrize("who", ["cleo", None])
@pytest.mark.parametrize("page", [False, True])
def test_a_private_match_opens_to_its_two_players_only(dial: Dial, who: str | None, page: bool) -> None:
    duel = Duel(public=False)
    assert not dial(duel, headers=by_cookie(person(who) if who else None), page=page).open
    assert all(dial(duel, headers=by_cookie(player), page=page).open for player in duel.players)


@pytest.mark.parametrize(
    "address", ["00000000", "ABCDEFGH", "short", "x" * 200, "%F0%9F%98%80", "../../x", ""]
)
def test_a_match_that_is_not_there_opens_none(dial: Dial, address: str) -> None:
    """D20: an address of whatever letters is turned away, and never makes the name of a group."""
    assert not dial(address, headers=by_cookie(None)).open


def test_a_cookie_of_somebody_who_may_no_longer_play_is_nobodys(dial: Dial) -> None:
    """A public match they may still watch."""
    duel = Duel()
    headers = by_cookie(duel.players[0])
    User.objects.filter(pk=duel.players[0].pk).update(is_active=False)
    assert dial(duel, headers=headers).next("match")["match"]["you"] is None


@pytest.mark.parametrize("page", [False, True])
def test_a_socket_turned_away_hears_nothing_and_breaks_nothing(
    dial: Dial, page: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """D22: it has left the match's group, and what it may still have queued finds nobody."""
    duel, cleo = live(public=False)
    line = dial(duel, headers=by_cookie(cleo), page=page)
    assert not line.open
    duel.guess(0)
    assert line.rest(0.2) == []
    gc.collect()
    assert "never retrieved" not in caplog.text
