"""Who has blocked whom: neither reaches the other through the lobby (issue 4)."""

from collections.abc import Callable
from typing import Any

import pytest

from lobby import services as lobby
from matches.models import Match
from players import services
from players.models import Kind, User
from players.problems import Problem
from players.services import blocked_by_or_blocking
from tests.builders import invitation_of, person, terms_of

pytestmark = pytest.mark.django_db

WAYS: dict[str, Callable[[User, User], Any]] = {
    "a challenge": lambda one, two: lobby.challenge(one, two, terms_of()),
    "a seek": lambda one, two: lobby.accept_seek(lobby.open_seek(two, terms_of(), lasting=True).pk, one),
    "a link": lambda one, two: lobby.accept(invitation_of(two).pk, one),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=[*WAYS])
@pytest.mark.parametrize("blocker", [0, 1])
def test_a_block_shuts_every_way_in_both_directions(way: Callable[[User, User], Any], blocker: int) -> None:
    pair = person("ada"), person("Vega-4821", Kind.GUEST)
    services.block(pair[blocker], pair[1 - blocker])
    with pytest.raises(Problem, match="blocked"):
        way(*pair)
    assert not Match.objects.exists()
    services.unblock(pair[blocker], pair[1 - blocker])
    way(*pair)


def test_each_knows_of_the_other_and_of_nobody_else() -> None:
    ada, bob, eve = person("ada"), person("bob"), person("eve")
    services.block(ada, bob)
    services.block(eve, ada)
    services.mute(ada, person("cleo"))
    assert blocked_by_or_blocking(ada.pk) == {bob.pk, eve.pk}
    assert blocked_by_or_blocking(bob.pk) == {ada.pk}
    assert blocked_by_or_blocking(None) == set()
