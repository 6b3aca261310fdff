"""A second match from the first (R5.6, D13): one of two wishes, the same terms, the other moves first."""

from typing import Any

import pytest

from lobby.models import Invitation
from matches import services, store
from matches.core.machine import OfferRematch, Resign, replay
from matches.models import Match
from tests.builders import ALL_TERMS, Api, Duel, dump, person, signed_in, terms_of
from tests.matches.conftest import Dial

pytestmark = pytest.mark.django_db


def rematches(duel: Duel) -> list[str]:
    return list(Match.objects.filter(rematch_of=duel.id).values_list("pk", flat=True))


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(("preset", "asked"), ALL_TERMS)
def test_both_wishes_make_one_match_on_the_same_terms_with_the_other_first(
    preset: str, asked: dict[str, Any], first: int
) -> None:
    duel = Duel(preset, first=first, public=False, **asked).start().end()
    assert duel.do(1, "rematch").telling is not None
    assert rematches(duel) == []
    duel.do(0, "rematch")
    again = duel.follow()
    assert rematches(duel) == [again.id]
    assert again.state.terms == duel.state.terms
    assert again.state.first == 1 - first
    assert again.players == duel.players
    assert not again.row.public
    assert duel.state.rematch is not None
    assert duel.state.rematch.match == again.id


def test_the_first_mover_is_swapped_each_time() -> None:
    duel = Duel(first=0)
    for first in (1, 0, 1):
        duel.start().end()
        for seat in (0, 1):
            duel.do(seat, "rematch")
        duel = duel.follow()
        assert duel.state.first == first


@pytest.mark.parametrize("seat", [0, 1])
def test_three_clicks_of_one_player_offer_once(seat: int) -> None:
    duel = Duel().start().end()
    for _ in range(3):
        duel.do(seat, "rematch")
    assert (rematches(duel), duel.kinds.count("offered")) == ([], 1)


def test_asking_again_answers_with_the_same_match() -> None:
    """api.md: also much later, and by either."""
    duel = Duel().start().end()
    ada, bob = map(Api, duel.players)
    path = f"/matches/{duel.id}/rematch"
    assert [ada.post(path).body for _ in range(3)] == [{"match": None}] * 3
    made = bob.post(path).body
    assert made == {"match": rematches(duel)[0]}
    assert [api.post(path).body for api in (ada, bob, ada)] == [made] * 3
    assert rematches(duel) == [made["match"]]


def test_a_rematch_can_have_one_of_its_own() -> None:
    duel = Duel().start().end()
    for seat in (0, 1):
        duel.do(seat, "rematch")
    again = duel.follow().start().end()
    for seat in (1, 0):
        again.do(seat, "rematch")
    assert len(rematches(again)) == 1


def test_there_is_none_while_the_match_goes_on() -> None:
    duel = Duel().start()
    before = dump()
    for player in duel.players:
        assert Api(player).post(f"/matches/{duel.id}/rematch").code == "not_over"
    assert dump() == before


@pytest.mark.parametrize(("public", "code"), [(True, "forbidden"), (False, "not_found")])
def test_a_third_user_can_neither_offer_nor_take_one(public: bool, code: str) -> None:
    """D13, D23"""
    duel = Duel(public=public).start().end()
    duel.do(0, "rematch")
    before = dump()
    assert Api(person("cleo")).post(f"/matches/{duel.id}/rematch").code == code
    assert dump() == before


def test_there_is_none_with_somebody_who_is_gone() -> None:
    """`closed`; and nothing of the attempt is left."""
    duel = Duel().start().end()
    duel.do(0, "rematch")
    duel.players[0].delete()
    before = dump()
    assert Api(duel.players[1]).post(f"/matches/{duel.id}/rematch").code == "closed"
    assert dump() == before


def test_every_ending_can_be_followed() -> None:
    """R5.2: void too."""
    duel = Duel("classic").wait_for_due(1)
    for seat in (0, 1):
        duel.do(seat, "rematch")
    assert duel.ending == ("void", None, "unconfirmed")
    assert len(rematches(duel)) == 1


def test_the_offer_and_the_new_match_are_told_on_every_socket_of_both(dial: Dial) -> None:
    """D13: in all of A's tabs, also the one that did not click."""
    duel = Duel().start().end()
    ada, bob = duel.players
    lines = [dial(duel, ada), dial(duel, ada), dial(duel, bob)]
    assert lines[0].ask("rematch")["rematch"] == {"offered_by": 0, "match": None}
    made = lines[2].ask("rematch")["rematch"]
    assert made == {"offered_by": 0, "match": rematches(duel)[0]}
    for line in lines[:2]:
        offered, taken = line.event("rematch"), line.event("rematch")
        assert (offered["rematch"]["match"], taken["rematch"]) == (None, made)


def test_a_match_by_link_is_followed_by_a_private_one() -> None:
    """The link itself has been used, and is not used again."""
    duel = Duel(public=False).start().end()
    for seat in (0, 1):
        duel.do(seat, "rematch")
    assert not Invitation.objects.exists()
    assert Api().get(f"/matches/{duel.follow().id}").code == "not_found"


def test_the_id_of_the_new_match_cannot_be_chosen_by_a_player() -> None:
    """The command has room for one; no frame and no body does."""
    assert "match" in OfferRematch.__slots__
    duel = Duel().start().end()
    for player in duel.players:
        Api(player).post(f"/matches/{duel.id}/rematch", {"match": "aaaaaaaa"})
    assert rematches(duel) != ["aaaaaaaa"]


def test_a_match_that_leads_on_has_no_rematch() -> None:
    """R5.6: those of a tournament; their page says where to go on instead."""
    players = person("ada"), person("bob")
    match = services.create_match(terms_of(), players, public=True, leads_to="/tournaments/k3v9x2qa/")
    services.act(match.pk, Resign(0))
    for player in players:
        answer = Api(player).post(f"/matches/{match.pk}/rematch")
        assert (answer.status, answer.code) == (409, "closed")
        page = signed_in(player).get(f"/m/{match.pk}/").content.decode()
        assert "/tournaments/k3v9x2qa/" in page
        assert "/rematch/" not in page
    assert not Match.objects.filter(rematch_of=match).exists()
    assert replay(event for event, _ in store.events(match.pk)).single
