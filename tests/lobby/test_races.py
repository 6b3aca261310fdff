"""At the same instant, on threads of their own: a seek, a challenge, a press of *Play now* is one match (D14, D21)."""

from collections import Counter
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from lobby import services
from lobby.models import Challenge, Seek
from matches.models import Match
from players.models import User
from tests.builders import person, terms_of
from tests.threads import rounds, together, words

pytestmark = pytest.mark.django_db(transaction=True)
DUEL = terms_of()
FIVE = [DUEL, terms_of(length=5), terms_of(repeats=False), terms_of(rated=False), terms_of("probe")]


@pytest.fixture
def ada() -> User:
    return person("ada")


@pytest.fixture
def bob() -> User:
    return person("bob")


def seek(owner: User, terms: Any = DUEL) -> Seek:
    return services.open_seek(owner, terms, lasting=True)


def taking(one: Seek, player: User) -> Any:
    return partial(services.accept_seek, one.pk, player)


def leave() -> None:
    """Nothing of the last round is open or news any more."""
    Seek.objects.all().delete()
    Challenge.objects.all().delete()
    Match.objects.all().delete()


@rounds(1, 3)
def test_sixteen_takers_of_one_seek_make_one_match(ada: User, rounds: int) -> None:
    """D14: one match and fifteen clear answers."""
    takers = [person(f"taker-{number}") for number in range(16)]
    for _ in range(rounds):
        one = seek(ada)
        outcomes = together(*[taking(one, taker) for taker in takers])
        (made,) = set(outcomes) - {"taken"}
        assert outcomes.count("taken") == 15
        assert Match.objects.get().pk == made
        leave()


@rounds(3, 20)
def test_two_who_take_each_others_seek_at_once_meet_in_one_match(ada: User, bob: User, rounds: int) -> None:
    for _ in range(rounds):
        hers, his = seek(ada), seek(bob)
        outcomes = together(taking(his, ada), taking(hers, bob))
        assert outcomes.count("closed") == 1, outcomes
        assert Match.objects.count() == 1
        assert Counter(Seek.objects.values_list("fate", flat=True)) == {"taken": 1, "withdrawn": 1}
        leave()


@rounds(2, 10)
def test_a_ring_of_five_who_take_each_others_seeks_at_once_is_no_deadlock(rounds: int) -> None:
    """And nobody's seek makes two matches; who has been drawn into one has no seek open."""
    people = [person(f"player-{number}") for number in range(5)]
    for _ in range(rounds):
        seeks = [seek(one) for one in people]
        outcomes = together(*[taking(seeks[(n + 1) % 5], one) for n, one in enumerate(people)])
        assert set(words([o if o in ("closed", "taken") else 1 for o in outcomes])) <= {"closed", "done"}
        assert all(len(outcome) == 8 or outcome == "closed" for outcome in outcomes), outcomes
        assert Seek.objects.filter(fate="taken").count() == Match.objects.count() >= 1
        assert not Seek.objects.filter(fate="open", owner__seats__isnull=False).exists()
        leave()


@rounds(3, 20)
def test_two_who_press_play_now_at_once_meet(ada: User, bob: User, rounds: int) -> None:
    """Each finds the other, or opens and is found; both are led to the one match."""
    for _ in range(rounds):
        outcomes = together(*[partial(services.play_now, one, DUEL) for one in (ada, bob)])
        match = Match.objects.get()
        assert match in outcomes, outcomes
        assert not Seek.objects.filter(fate="open").exists()
        leave()


@rounds(2, 10)
def test_eight_who_press_play_now_at_once_are_four_pairs_or_still_open(rounds: int) -> None:
    people = [person(f"player-{number}") for number in range(8)]
    for _ in range(rounds):
        outcomes = together(*[partial(services.play_now, one, DUEL) for one in people])
        assert all(isinstance(outcome, Match | Seek) for outcome in outcomes), outcomes
        assert Seek.objects.filter(fate="taken").count() == Match.objects.count()
        assert Seek.objects.filter(fate="open").count() <= 1
        leave()


@rounds(3, 20)
def test_taking_withdrawing_and_expiring_at_once_are_one_of_the_three(
    ada: User, bob: User, rounds: int
) -> None:
    for _ in range(rounds):
        one = seek(ada)
        Seek.objects.update(expires_at=timezone.now())
        Seek.objects.filter(pk=one.pk).update(expires_at=timezone.now() + timedelta(milliseconds=4))
        taken, _withdrawn, swept = together(
            taking(one, bob), partial(services.withdraw_seek, one.pk, ada.pk), services.sweep
        )
        one.refresh_from_db()
        assert swept is None
        assert (taken == "closed") == (one.fate != "taken")
        assert Match.objects.count() == (one.fate == "taken")
        leave()


@rounds(3, 20)
def test_one_who_opens_again_what_is_taken_at_that_moment_is_not_failed(
    ada: User, bob: User, rounds: int
) -> None:
    """The press of a button that was there a moment ago: a new seek, or the match."""
    for _ in range(rounds):
        one = seek(ada)
        again, taken = together(partial(seek, ada), taking(one, bob))
        assert isinstance(again, Seek), again
        assert Match.objects.get().pk == taken
        leave()


@rounds(2, 10)
def test_one_who_opens_many_at_once_has_five_at_most(ada: User, rounds: int) -> None:
    """Pressed in eight tabs, four terms already open: one more, whoever comes first."""
    seconds = (60, 180, 600, 900, 1800)
    more = [terms_of("probe", length=5, clock={"seconds": each}) for each in seconds]
    for _ in range(rounds):
        for terms in FIVE[:4]:
            seek(ada, terms)
        outcomes = together(*[partial(seek, ada, terms) for terms in more])
        assert words(outcomes) == ["done", "full", "full", "full", "full"], outcomes
        leave()


@rounds(2, 10)
def test_one_seek_opened_eight_times_at_once_is_one(ada: User, rounds: int) -> None:
    """D14"""
    for _ in range(rounds):
        outcomes = together(*[partial(seek, ada)] * 8)
        assert {one.pk for one in outcomes} == {Seek.objects.get().pk}
        leave()


@rounds(2, 10)
def test_renewing_sweeping_and_taking_many_seeks_at_once_is_no_deadlock(
    ada: User, bob: User, rounds: int
) -> None:
    """Two processes renew what their pages offer while a third person takes one of five."""
    cleo = person("cleo")
    for number in range(rounds):
        offered = [
            [services.open_seek(owner, terms, lasting=False) for terms in FIVE] for owner in (ada, bob)
        ]
        outcomes = together(
            taking(offered[0][number % 5], cleo),
            taking(offered[1][number % 3], ada),
            partial(services.renew, [ada.pk, bob.pk]),
            partial(services.renew, [bob.pk, ada.pk]),
            services.sweep,
            partial(services.renew, [ada.pk, bob.pk]),
        )
        assert [outcome for outcome in outcomes if outcome is not None and " " in str(outcome)] == []
        assert Seek.objects.filter(fate="taken").count() == Match.objects.count()
        leave()


@rounds(3, 20)
def test_a_challenge_accepted_five_times_at_once_is_one_match(ada: User, bob: User, rounds: int) -> None:
    for _ in range(rounds):
        asked = services.challenge(ada, bob, DUEL)
        outcomes = together(*[partial(services.accept_challenge, asked.pk, bob)] * 5)
        assert set(outcomes) == {Match.objects.get().pk}
        leave()


@rounds(3, 20)
def test_accepting_declining_and_withdrawing_a_challenge_at_once_is_one_of_them(
    ada: User, bob: User, rounds: int
) -> None:
    for _ in range(rounds):
        asked = services.challenge(ada, bob, DUEL)
        outcomes = together(
            partial(services.accept_challenge, asked.pk, bob),
            partial(services.decline_challenge, asked.pk, bob, "later"),
            partial(services.withdraw_challenge, asked.pk, ada),
        )
        assert words(outcomes).count("closed") == 2, outcomes
        asked.refresh_from_db()
        assert (asked.fate == "accepted") == Match.objects.exists()
        leave()


@rounds(3, 20)
def test_a_challenge_accepted_while_it_is_replaced_is_no_deadlock(ada: User, bob: User, rounds: int) -> None:
    for _ in range(rounds):
        asked = services.challenge(ada, bob, DUEL)
        again, taken = together(
            partial(services.challenge, ada, bob, terms_of("probe")),
            partial(services.accept_challenge, asked.pk, bob),
        )
        assert isinstance(again, Challenge), again
        assert taken == "closed" or Match.objects.get().pk == taken
        leave()


@rounds(3, 20)
def test_two_who_challenge_each_other_at_once_both_do(ada: User, bob: User, rounds: int) -> None:
    for _ in range(rounds):
        outcomes = together(
            partial(services.challenge, ada, bob, DUEL), partial(services.challenge, bob, ada, DUEL)
        )
        assert words(outcomes) == ["done", "done"], outcomes
        leave()


@rounds(3, 15)
def test_a_seek_a_challenge_and_a_link_taken_at_once_leave_no_seek_open(
    ada: User, bob: User, rounds: int
) -> None:
    """Three matches are lawful; an open seek of somebody who plays is not."""
    cleo, dora = person("cleo"), person("dora")
    for _ in range(rounds):
        one, _two = seek(ada), seek(bob)
        asked, link = services.challenge(ada, bob, DUEL), services.invite(bob, DUEL)
        outcomes = together(
            taking(one, cleo),
            partial(services.accept_challenge, asked.pk, bob),
            partial(services.accept, link.pk, dora),
        )
        assert all(len(outcome) == 8 or outcome == "closed" for outcome in outcomes), outcomes
        assert not Seek.objects.filter(fate="open").exists()
        leave()


@rounds(3, 20)
def test_offering_and_leaving_at_once_wait_for_each_other_in_one_order(bob: User, rounds: int) -> None:
    """D26: whoever deletes an account while its owner opens, renews or loses a seek; nobody is refused for it."""
    for number in range(rounds):
        ada = person(f"ada-{number}")
        one = seek(ada)
        offering = [partial(services.open_seek, ada, terms, lasting=False) for terms in (DUEL, FIVE[1])]
        outcomes = together(*offering, taking(one, bob), ada.delete)
        made = set(Match.objects.values_list("pk", flat=True))
        assert set(words(outcomes)) - made <= {"done", "not_signed_in", "not_found", "closed"}
        assert not User.objects.filter(pk=ada.pk).exists()
        assert not Match.objects.filter(outcome="", seats__player=None).exists()
