"""The verbs of seeks: an offer to whoever comes, good until it is taken, taken back, or nobody is there for it."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from lobby import queries, services
from lobby.models import Seek
from matches.models import Match
from matches.services import create_match
from matches.signals import match_made
from matches.store import state_of
from players.models import Kind, User
from players.problems import Problem
from tests.builders import Duel, invitation_of, person, terms_of

pytestmark = pytest.mark.django_db(transaction=True)
DUEL, PROBE, CLASSIC = terms_of(), terms_of("probe"), terms_of("classic")
OTHERS = [terms_of(length=5), terms_of(repeats=False), terms_of(rated=False), PROBE, CLASSIC]


@pytest.fixture
def ada() -> User:
    return person("ada")


@pytest.fixture
def bob() -> User:
    return person("bob")


def seek(owner: User, terms: Any = DUEL, *, lasting: bool = True) -> Seek:
    return services.open_seek(owner, terms, lasting=lasting)


def fate(one: Seek) -> str:
    return str(Seek.objects.values_list("fate", flat=True).get(pk=one.pk))


def shown() -> list[str]:
    return [one.pk for one in queries.open_seeks()]


def let_lapse(*seeks: Seek) -> None:
    Seek.objects.filter(pk__in=[one.pk for one in seeks]).update(expires_at=timezone.now())


def let_pass(seconds: int) -> None:
    """Everything in the lobby was opened so much earlier."""
    for one in Seek.objects.all():
        Seek.objects.filter(pk=one.pk).update(created_at=one.created_at - timedelta(seconds=seconds))


def problem(verb: Any, *arguments: Any, **named: Any) -> str:
    with pytest.raises(Problem) as raised:
        verb(*arguments, **named)
    return raised.value.code


# Opening


@pytest.mark.parametrize(("lasting", "seconds"), [(True, 600), (False, 13)])
def test_a_seek_lasts_ten_minutes_by_token_and_a_page_s_while_its_owner_is_there(
    ada: User, lasting: bool, seconds: int
) -> None:
    opened = seek(ada, lasting=lasting)
    left = opened.expires_at - timezone.now()
    assert timedelta(seconds=seconds - 1) < left <= timedelta(seconds=seconds)
    assert shown() == [opened.pk]
    assert queries.terms_of(opened) == DUEL


def test_the_longest_waiting_stands_first(ada: User, bob: User) -> None:
    first, second, third = seek(ada), seek(bob), seek(ada, PROBE)
    assert shown() == [first.pk, second.pk, third.pk]


def test_the_same_terms_asked_for_again_are_the_same_seek(ada: User, bob: User) -> None:
    """D14: a reload, a second tab, a double tap: one row."""
    opened = [seek(ada, lasting=False) for _ in range(5)]
    assert len({one.pk for one in opened}) == Seek.objects.count() == 1
    assert seek(ada, PROBE).pk != seek(bob).pk


def test_asked_for_again_by_token_it_lasts_and_a_page_does_not_shorten_it(ada: User) -> None:
    seek(ada, lasting=False)
    lasting = seek(ada)
    again = seek(ada, lasting=False)
    assert again.pk == lasting.pk
    assert again.lasting
    assert again.expires_at == lasting.expires_at


def test_one_player_has_five_open_seeks_at_most(ada: User, bob: User) -> None:
    for terms in OTHERS:
        seek(ada, terms)
    assert problem(seek, ada) == "full"
    assert Seek.objects.count() == 5
    assert seek(ada, OTHERS[0]).fate == "open"  # one of the five
    seek(bob)
    services.withdraw_seek(seek(ada, OTHERS[0]).pk, ada.pk)
    assert seek(ada).fate == "open"


# Withdrawing


def test_a_seek_taken_back_is_gone_and_taking_it_back_twice_is_no_fault(ada: User, bob: User) -> None:
    opened = seek(ada)
    for _ in range(2):
        services.withdraw_seek(opened.pk, ada.pk)
    assert (fate(opened), shown()) == ("withdrawn", [])
    assert problem(services.accept_seek, opened.pk, bob) == "closed"


def test_only_its_owner_takes_a_seek_back(ada: User, bob: User) -> None:
    """D23"""
    opened = seek(ada)
    assert problem(services.withdraw_seek, opened.pk, bob.pk) == "forbidden"
    assert problem(services.withdraw_seek, opened.pk, None) == "forbidden"
    assert problem(services.withdraw_seek, "0" * 8, ada.pk) == "not_found"
    assert fate(opened) == "open"


def test_what_somebody_has_taken_cannot_be_taken_back(ada: User, bob: User) -> None:
    opened = seek(ada)
    services.accept_seek(opened.pk, bob)
    assert problem(services.withdraw_seek, opened.pk, ada.pk) == "taken"


# Taking


def test_taking_a_seek_makes_a_public_match_on_its_terms(ada: User, bob: User) -> None:
    opened = seek(ada, CLASSIC)
    made = Match.objects.get(pk=services.accept_seek(opened.pk, bob))
    assert [seat.player for seat in made.seats.all()] == [ada, bob]
    assert (made.public, state_of(made).terms) == (True, CLASSIC)
    opened.refresh_from_db()
    assert (opened.fate, opened.match, opened.taken_by) == ("taken", made, bob)
    assert shown() == []


def test_who_took_it_may_ask_again_and_anybody_else_is_told_that_it_is_taken(ada: User, bob: User) -> None:
    """A double tap gets the same match."""
    opened = seek(ada)
    made = services.accept_seek(opened.pk, bob)
    assert services.accept_seek(opened.pk, bob) == made
    assert problem(services.accept_seek, opened.pk, person("cleo")) == "taken"
    assert Match.objects.count() == 1


def test_nobody_takes_an_own_seek(ada: User) -> None:
    """D14"""
    opened = seek(ada)
    assert problem(services.accept_seek, opened.pk, ada) == "own_seek"
    assert (fate(opened), Match.objects.count()) == ("open", 0)


def test_what_never_was_is_not_found(bob: User) -> None:
    assert problem(services.accept_seek, "0" * 8, bob) == "not_found"


def test_a_seek_nobody_is_there_for_is_closed_before_any_sweep_says_so(ada: User, bob: User) -> None:
    opened = seek(ada, lasting=False)
    let_lapse(opened)
    assert shown() == []
    assert problem(services.accept_seek, opened.pk, bob) == "closed"
    assert problem(services.check_seek_open, opened.pk) == "closed"
    assert (fate(opened), Match.objects.count()) == ("open", 0)
    services.sweep()
    assert fate(opened) == "expired"
    assert problem(services.accept_seek, opened.pk, bob) == "closed"


def test_renewed_are_the_page_seeks_of_those_who_are_there(ada: User, bob: User) -> None:
    here, lasting, away = seek(ada, lasting=False), seek(ada, PROBE), seek(bob, lasting=False)
    let_lapse(here, lasting, away)
    services.renew([ada.pk])
    services.sweep()
    assert [fate(one) for one in (here, lasting, away)] == ["open", "expired", "expired"]


def test_what_has_expired_is_not_renewed(ada: User) -> None:
    opened = seek(ada, lasting=False)
    let_lapse(opened)
    services.sweep()
    services.renew([ada.pk])
    assert shown() == []


# Whoever enters a match leaves the lobby


def take_a_seek(ada: User, bob: User) -> None:
    services.accept_seek(seek(ada).pk, bob)


def take_a_challenge(ada: User, bob: User) -> None:
    services.accept_challenge(services.challenge(ada, bob, DUEL).pk, bob)


def take_a_link(ada: User, bob: User) -> None:
    services.accept(invitation_of(ada).pk, bob)


def be_seated(ada: User, bob: User) -> None:
    """As a tournament does."""
    create_match(DUEL, (ada, bob), public=True)


@pytest.mark.parametrize("enter", [take_a_seek, take_a_challenge, take_a_link, be_seated])
def test_entering_a_match_withdraws_the_older_seeks_of_both_and_of_nobody_else(
    ada: User, bob: User, enter: Any
) -> None:
    mine, theirs, other = seek(ada, PROBE), seek(bob, CLASSIC), seek(person("cleo"))
    enter(ada, bob)
    assert [fate(one) for one in (mine, theirs, other)] == ["withdrawn", "withdrawn", "open"]


def test_a_rematch_withdraws_them_too(ada: User, bob: User) -> None:
    over = Duel(players=(ada, bob)).start().end()
    mine, theirs = seek(ada, PROBE), seek(bob, CLASSIC)
    for seat in (0, 1):
        over.do(seat, "rematch")
    assert [fate(mine), fate(theirs)] == ["withdrawn", "withdrawn"]


def test_a_seek_opened_after_the_match_began_stays(ada: User, bob: User) -> None:
    """A person may be in any number of matches at once."""
    made = create_match(DUEL, (ada, bob), public=True)
    later = seek(ada)
    services.entered(made.pk)
    services.sweep()
    assert fate(later) == "open"


def test_what_the_listener_missed_the_sweep_makes_whole(
    ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = seek(ada), seek(person("cleo"))
    monkeypatch.setattr(match_made, "send_robust", lambda *_, **__: [])
    create_match(DUEL, (bob, ada), public=True)
    assert fate(mine) == "open"
    for _ in range(2):
        services.sweep()
    assert [fate(mine), fate(other)] == ["withdrawn", "open"]


def test_a_sweep_with_nothing_to_do_changes_nothing(ada: User) -> None:
    opened = seek(ada)
    services.sweep()
    assert shown() == [opened.pk]


# Play now


def test_play_now_takes_what_fits_best(ada: User, bob: User) -> None:
    seek(person("cleo"), PROBE)
    far, near = seek(person("dora", points=90), DUEL), seek(ada, DUEL)
    found = services.play_now(bob, DUEL)
    assert isinstance(found, Match)
    assert (fate(near), fate(far)) == ("taken", "open")


def test_play_now_opens_a_seek_where_none_fits(ada: User, bob: User) -> None:
    seek(ada, PROBE)
    opened = services.play_now(bob, DUEL)
    assert isinstance(opened, Seek)
    assert (opened.owner, opened.lasting) == (bob, False)
    assert services.play_now(bob, DUEL) == opened  # not an own one


def test_play_now_passes_over_what_is_gone(ada: User, bob: User) -> None:
    let_lapse(seek(ada, lasting=False))
    assert isinstance(services.play_now(bob, DUEL), Seek)


def test_play_now_against_one_who_opened_meanwhile_takes_theirs(
    ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other's seek comes between the look and the own opening: the second look finds it."""
    open_one = services.open_seek

    def both_open(owner: User, terms: Any, *, lasting: bool) -> Seek:
        open_one(bob, terms, lasting=lasting)
        return open_one(owner, terms, lasting=lasting)

    monkeypatch.setattr(services, "open_seek", both_open)
    found = services.play_now(ada, DUEL)
    assert isinstance(found, Match)
    assert set(Seek.objects.values_list("owner__username", "fate")) == {
        ("ada", "withdrawn"),
        ("bob", "taken"),
    }


def test_play_now_taken_before_the_second_look_is_the_match_it_became(
    ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever pressed is led to the match, not to a lobby in which nothing of theirs is open."""
    open_one = services.open_seek

    def open_and_lose(owner: User, terms: Any, *, lasting: bool) -> Seek:
        opened = open_one(owner, terms, lasting=lasting)
        services.accept_seek(opened.pk, bob)
        return opened

    monkeypatch.setattr(services, "open_seek", open_and_lose)
    found = services.play_now(ada, DUEL)
    assert isinstance(found, Match)
    assert found.seek.taken_by == bob


def test_guests_seek_and_take_like_anybody(ada: User) -> None:
    guest = person("guest", Kind.GUEST)
    services.accept_seek(seek(guest).pk, ada)
    assert Match.objects.count() == 1


# Forgetting


def test_what_was_closed_a_day_ago_is_forgotten_and_what_is_open_is_not(ada: User, bob: User) -> None:
    taken, withdrawn = seek(ada), seek(person("cleo"))
    services.accept_seek(taken.pk, bob)
    services.withdraw_seek(withdrawn.pk, withdrawn.owner_id)
    standing = seek(bob, PROBE)
    services.prune()
    assert Seek.objects.count() == 3
    let_pass(24 * 3600)
    recent = seek(ada, CLASSIC)
    services.withdraw_seek(recent.pk, ada.pk)
    services.prune()
    assert set(Seek.objects.all()) == {standing, recent}
    assert Match.objects.count() == 1
