"""The verbs of challenges: one player asks another by name, who has ten minutes to answer."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from bots.core.levels import Level
from bots.services import bot_named
from lobby import queries, services
from lobby.models import Challenge
from matches.models import Match
from matches.store import state_of
from players.models import User
from players.problems import Problem
from tests.builders import person, terms_of

pytestmark = pytest.mark.django_db(transaction=True)
DUEL, CLASSIC = terms_of(), terms_of("classic")


@pytest.fixture
def ada() -> User:
    return person("ada")


@pytest.fixture
def bob() -> User:
    return person("bob")


@pytest.fixture
def asked(ada: User, bob: User) -> Challenge:
    """Ada asks bob."""
    return services.challenge(ada, bob, CLASSIC)


def problem(verb: Any, *arguments: Any) -> str:
    with pytest.raises(Problem) as raised:
        verb(*arguments)
    return raised.value.code


def let_lapse() -> None:
    Challenge.objects.update(expires_at=timezone.now())


def test_a_challenge_waits_ten_minutes_for_its_answer(asked: Challenge, ada: User, bob: User) -> None:
    left = asked.expires_at - timezone.now()
    assert timedelta(minutes=9, seconds=59) < left <= timedelta(minutes=10)
    assert (asked.fate, queries.terms_of(asked)) == ("open", CLASSIC)
    for player in (ada, bob):
        assert list(queries.challenges_of(player)) == [asked]
    assert not queries.challenges_of(person("cleo"))


def test_accepting_makes_a_private_match_of_the_two(asked: Challenge, ada: User, bob: User) -> None:
    made = Match.objects.get(pk=services.accept_challenge(asked.pk, bob))
    assert [seat.player for seat in made.seats.all()] == [ada, bob]
    assert (made.public, state_of(made).terms) == (False, CLASSIC)
    asked.refresh_from_db()
    assert (asked.fate, asked.match) == ("accepted", made)
    assert services.accept_challenge(asked.pk, bob) == made.pk
    assert Match.objects.count() == 1


@pytest.mark.parametrize("reason", ["", "later", "terms", "no"])
def test_declining_says_why_or_does_not(asked: Challenge, bob: User, reason: str) -> None:
    for _ in range(2):
        services.decline_challenge(asked.pk, bob, reason)
    asked.refresh_from_db()
    assert (asked.fate, asked.reason) == ("declined", reason)


@pytest.mark.parametrize("reason", ["never", "Later", " ", "\x00", "x" * 5000])
def test_a_reason_nobody_offered_is_invalid_and_answers_nothing(
    asked: Challenge, bob: User, reason: str
) -> None:
    assert problem(services.decline_challenge, asked.pk, bob, reason) == "invalid"
    asked.refresh_from_db()
    assert asked.fate == "open"


def test_a_challenge_taken_back_is_gone(asked: Challenge, ada: User, bob: User) -> None:
    for _ in range(2):
        services.withdraw_challenge(asked.pk, ada)
    assert problem(services.accept_challenge, asked.pk, bob) == "closed"
    assert problem(services.decline_challenge, asked.pk, bob, "") == "closed"
    assert not Match.objects.exists()


def test_what_has_been_answered_stays_answered(ada: User, bob: User) -> None:
    accepted = services.challenge(ada, bob, DUEL)
    services.accept_challenge(accepted.pk, bob)
    declined = services.challenge(ada, bob, DUEL)
    services.decline_challenge(declined.pk, bob, "no")
    assert problem(services.decline_challenge, accepted.pk, bob, "") == "closed"
    assert problem(services.withdraw_challenge, accepted.pk, ada) == "closed"
    assert problem(services.accept_challenge, declined.pk, bob) == "closed"
    assert problem(services.withdraw_challenge, declined.pk, ada) == "closed"


@pytest.mark.parametrize("swept", [False, True])
def test_ten_minutes_later_it_has_expired_whether_or_not_it_was_swept(
    asked: Challenge, ada: User, bob: User, swept: bool
) -> None:
    let_lapse()
    if swept:
        services.sweep()
    assert problem(services.accept_challenge, asked.pk, bob) == "expired"
    assert problem(services.decline_challenge, asked.pk, bob, "") == "expired"
    assert problem(services.withdraw_challenge, asked.pk, ada) == "expired"
    asked.refresh_from_db()
    assert asked.fate == ("expired" if swept else "open")
    assert not Match.objects.exists()


def test_to_anybody_else_a_challenge_is_not_there(asked: Challenge, ada: User, bob: User) -> None:
    """D23: neither can the challenger accept, nor the opponent take it back."""
    cleo = person("cleo")
    for player in (ada, cleo):
        assert problem(services.accept_challenge, asked.pk, player) == "not_found"
        assert problem(services.decline_challenge, asked.pk, player, "") == "not_found"
    for player in (bob, cleo):
        assert problem(services.withdraw_challenge, asked.pk, player) == "not_found"
    asked.refresh_from_db()
    assert asked.fate == "open"


def test_a_new_challenge_takes_the_place_of_the_one_still_open(
    asked: Challenge, ada: User, bob: User
) -> None:
    newer = services.challenge(ada, bob, DUEL)
    asked.refresh_from_db()
    assert (asked.fate, newer.fate) == ("withdrawn", "open")
    assert problem(services.accept_challenge, asked.pk, bob) == "closed"
    services.accept_challenge(newer.pk, bob)


def test_two_may_challenge_each_other(asked: Challenge, ada: User, bob: User) -> None:
    back = services.challenge(bob, ada, DUEL)
    assert set(queries.challenges_of(ada)) == {asked, back}


def test_nobody_challenges_themselves_or_a_bot_this_way(ada: User) -> None:
    assert problem(services.challenge, ada, ada, DUEL) == "own_seek"
    assert problem(services.challenge, ada, bot_named(Level.EASY), DUEL) == "forbidden"
    assert not Challenge.objects.exists()


def test_one_player_has_five_open_challenges_at_most(ada: User) -> None:
    rivals = [person(f"rival-{number}") for number in range(6)]
    for rival in rivals[:5]:
        services.challenge(ada, rival, DUEL)
    assert problem(services.challenge, ada, rivals[5], DUEL) == "full"
    services.challenge(ada, rivals[0], CLASSIC)  # in place of another
    assert Challenge.objects.filter(fate="open").count() == 5
    services.challenge(rivals[5], ada, DUEL)  # those to a player are not counted


def test_an_answer_is_news_for_some_seconds_and_forgotten_after_a_day(
    asked: Challenge, ada: User, bob: User
) -> None:
    services.decline_challenge(asked.pk, bob, "later")
    assert list(queries.challenges_of(ada)) == [asked]
    Challenge.objects.update(closed_at=timezone.now() - queries.NEWS)
    assert not queries.challenges_of(ada)
    services.prune()
    assert Challenge.objects.exists()
    Challenge.objects.update(closed_at=timezone.now() - timedelta(days=1))
    standing = services.challenge(ada, bob, DUEL)
    services.prune()
    assert list(Challenge.objects.all()) == [standing]


def test_a_moderator_reads_what_has_become_of_a_challenge() -> None:
    ada, bob = person("ada"), person("bob")
    accepted, declined, expired = (
        services.challenge(ada, person(name), terms_of()) for name in ("x1a", "x2a", "x3a")
    )
    services.accept_challenge(accepted.pk, accepted.opponent)
    services.decline_challenge(declined.pk, declined.opponent, "")
    Challenge.objects.filter(pk=expired.pk).update(expires_at=timezone.now())
    open_ = services.challenge(ada, bob, terms_of())
    services.remove_challenge(open_, None, "Rude.")
    for asked, word in (
        (accepted, "accepted"),
        (declined, "declined"),
        (expired, "expired"),
        (open_, "withdrawn"),
    ):
        with pytest.raises(Problem) as refused:
            services.remove_challenge(asked, None, "Rude.")
        assert word in refused.value.detail
