"""What looks as if points were passed on: found by what was played, and shown until it has been looked at (issue 7)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from players.models import User
from ratings import patterns, services
from ratings.models import Pattern, Result
from tests.builders import Duel, person, signed_in
from tests.moderation.builders import do, moderator, page

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three matches are many here, and two quick resignations."""
    monkeypatch.setattr(patterns, "MANY", 3)
    monkeypatch.setattr(patterns, "GIVEN", 2)


def lose(loser: User, winner: User, times: int, guesses: int = 0) -> None:
    for _ in range(times):
        duel = Duel(players=(loser, winner)).arrive(0, 1).start()
        for _ in range(guesses):
            duel.guess(0)
            duel.guess(1)
        duel.end()
        services.count(duel.id)


def found() -> list[tuple[object, ...]]:
    patterns.look()
    told = ("kind", "player__username", "other__username", "matches", "accounts", "points")
    return list(Pattern.objects.order_by("kind", "pk").values_list(*told))


def test_the_same_pair_over_and_over() -> None:
    ada, bob = person("ada"), person("bob")
    lose(ada, bob, 2, guesses=3)
    assert found() == []
    lose(ada, bob, 1, guesses=3)
    assert found() == [("pair", "bob", "ada", 3, 1, 30)]


def test_points_passed_by_quick_resignations() -> None:
    ada, bob = person("ada"), person("bob")
    lose(ada, bob, 1)
    assert found() == []
    lose(ada, bob, 1)
    assert found() == [("given", "bob", "ada", 2, 1, 20)]


def test_new_accounts_of_one_address_that_feed_one_player() -> None:
    bob = person("bob")
    for number, address in enumerate(("203.0.113.7", "203.0.113.7", "198.51.100.1")):
        ada = person(f"ada-{number}")
        signed_in(ada).get("/account/", REMOTE_ADDR=address)
        lose(ada, bob, 1, guesses=3)
    assert found() == [("fed", "bob", None, 2, 2, 20)]


def test_old_accounts_and_old_matches_are_no_pattern() -> None:
    bob = person("bob")
    for number in range(2):
        ada = person(f"ada-{number}", date_joined=timezone.now() - timedelta(days=60))
        signed_in(ada).get("/account/", REMOTE_ADDR="203.0.113.7")
        lose(ada, bob, 1, guesses=3)
    assert found() == []


def test_what_was_taken_back_counts_no_more() -> None:
    ada, bob = person("ada"), person("bob")
    lose(ada, bob, 3, guesses=3)
    assert found()
    services.take_back(Pattern.objects.get().player.results.latest("pk").match_id, None, "Passed on.")
    assert found() == []


def test_put_aside_it_waits_until_there_is_more_of_it() -> None:
    mara, ada, bob = moderator(), person("ada"), person("bob")
    lose(ada, bob, 3, guesses=3)
    patterns.look()
    row = Pattern.objects.get()
    shown = page(mara, f"ratings/pattern/{row.pk}/change/").content.decode()
    assert f"/admin/players/user/{ada.pk}/change/" in shown
    assert do(mara, "ratings/pattern", row.pk, "look").status_code == 302
    patterns.look()
    assert Pattern.objects.get().aside
    lose(ada, bob, 1, guesses=3)
    patterns.look()
    assert not Pattern.objects.get().aside


def test_more_of_it_is_more_than_was_put_aside() -> None:
    """Matches grow too old for the window meanwhile, and as many again are no more of it."""
    ada, bob = person("ada"), person("bob")
    lose(ada, bob, 4, guesses=3)
    patterns.look()
    services.put_aside(Pattern.objects.get(), None, "They are sisters.")
    Result.objects.filter(match=Result.objects.earliest("pk").match_id).update(rated=False)
    patterns.look()
    assert Pattern.objects.get().matches == 3
    lose(ada, bob, 1, guesses=3)
    patterns.look()
    assert (Pattern.objects.get().matches, Pattern.objects.get().aside) == (4, True)


def test_nobody_puts_a_pattern_of_their_own_aside() -> None:
    mara, bob = moderator(), person("bob")
    lose(mara, bob, 3, guesses=3)
    patterns.look()
    row = Pattern.objects.get()
    assert do(mara, "ratings/pattern", row.pk, "look").status_code == 422
    assert not Pattern.objects.get().aside
