"""Tournaments through their verbs, rows and all (R8): what matches do to them, and what they do to matches."""

from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from matches import codec
from matches import services as matches
from matches import store as match_rows
from matches.core.machine import Adjudicate, CommitSecret, Confirm, Reason
from matches.models import Match
from players import moderation
from players.models import Kind, User
from players.problems import Problem
from ratings.models import Ladder, LedgerRow
from ratings.services import ladder_of
from tests.builders import Duel, person, terms_of
from tests.tournaments.builders import Cup, lose, people, plan, play_on
from tournaments import services, store
from tournaments.models import Entry, Pairing, Tournament, Weekly

pytestmark = pytest.mark.django_db
"""In one transaction: no listener hears of anything, so all this holds by sweeps and verbs alone."""


def problem(verb: object, *given: object, **named: object) -> str | None:
    try:
        verb(*given, **named)  # type: ignore[operator]
    except Problem as refused:
        return refused.code
    return None


# Making, changing


def test_guests_neither_make_nor_enter() -> None:
    """R8.4"""
    guest = person("guest", Kind.GUEST)
    assert problem(services.make, guest, plan()) == "forbidden"
    cup = Cup([])
    assert problem(services.join, cup.id, guest) == "forbidden"


@pytest.mark.parametrize(
    "name", ["", "ab", "  a b  "[:4], "x" * 61, "a\u202eb c", "zero\u200bwidth", "new\x00line"]
)
def test_a_name_is_three_to_sixty_plain_characters(name: str) -> None:
    assert problem(services.make, person("ada"), plan(name)) == "invalid"


def test_a_name_may_say_what_it_likes_within_that() -> None:
    row = services.make(person("ada"), plan("  Città  n° 1 <b>x</b> "))
    assert row.name == "Città n° 1 <b>x</b>"


@pytest.mark.parametrize(
    "wrong", [{"maximum": 1}, {"maximum": 51}, {"ahead": -1}, {"zone": "Rome"}, {"zone": "../etc/passwd"}]
)
def test_what_cannot_be_is_invalid_and_makes_nothing(wrong: dict[str, object]) -> None:
    assert problem(services.make, person("ada"), plan(**wrong)) == "invalid"  # type: ignore[arg-type]
    assert not Tournament.objects.exists()


def test_its_maker_changes_it_before_the_start_and_nobody_else() -> None:
    cup = Cup(people(2))
    assert problem(services.edit, cup.id, cup.players[0], plan("Mine now")) == "forbidden"
    services.edit(cup.id, cup.boss, plan("Tuesday knockout", maximum=2))
    assert (cup.row.name, cup.row.maximum) == ("Tuesday knockout", 2)
    assert problem(services.join, cup.id, person("late")) == "full"
    cup.start()
    assert problem(services.edit, cup.id, cup.boss, plan()) == "closed"
    assert problem(services.call_off, cup.id, cup.boss) == "closed"


def test_terms_stay_once_somebody_has_entered_on_them() -> None:
    cup = Cup(people(1))
    assert problem(services.edit, cup.id, cup.boss, plan(preset="classic")) == "closed"
    services.leave(cup.id, cup.players[0])
    services.edit(cup.id, cup.boss, plan(preset="classic"))
    assert cup.row.terms["preset"] == "classic"


def test_who_called_it_off_has_called_it_off() -> None:
    cup = Cup(people(4))
    services.call_off(cup.id, cup.boss)
    assert (cup.row.status, cup.row.why, cup.row.due_at) == ("cancelled", "called_off", None)
    assert problem(services.join, cup.id, person("late")) == "closed"
    assert services.sweep() == 0


# Entering


def test_a_private_one_opens_to_its_code_alone_and_asks_again_after_leaving() -> None:
    """D19"""
    boss, ada = person("boss"), person("ada")
    cup = Cup([], boss, private=True)
    for wrong in ("", "wrong", cup.row.code + "x", "è" * 8):
        assert problem(services.join, cup.id, ada, wrong) == "not_found"
    services.join(cup.id, ada, cup.row.code)
    services.join(cup.id, ada)  # who is in stays in
    services.leave(cup.id, ada)
    assert problem(services.join, cup.id, ada) == "not_found"
    assert problem(services.leave, cup.id, ada) == "not_found"
    assert problem(services.join, "00000000", ada, "") == "not_found"


# The start


@pytest.mark.parametrize("count", [0, 1])
def test_with_fewer_than_two_it_is_cancelled_and_says_why(count: int) -> None:
    """R8.2, D17"""
    cup = Cup(people(count)).start()
    assert (cup.row.status, cup.row.why) == ("cancelled", "too_few")
    assert cup.row.ended_at is not None


def test_it_starts_at_its_hour_and_each_match_is_on_its_terms_and_ladder() -> None:
    """R8.1, R8.6, R5.6"""
    cup = Cup(people(4), preset="classic")
    assert services.sweep() == 0
    cup.start()
    assert cup.row.status == "running"
    for pairing in cup.pairings():
        assert pairing.match is not None
        state = match_rows.state_of(pairing.match)
        assert (state.terms, state.single) == (terms_of("classic"), True)
        assert pairing.match.public
        assert ladder_of(pairing.match.pk) == Ladder.TOURNAMENT
        seated = list(pairing.match.seats.values_list("player", flat=True))
        assert seated == [place.entry.player_id for place in pairing.places.all()]


def test_the_odd_one_meets_the_easy_bot_and_moves_no_points() -> None:
    """R8.3, R8.6"""
    cup = Cup(people(3)).start()
    (against_bot,) = [pairing for pairing in cup.pairings() if pairing.against_bot]
    assert against_bot.match is not None
    seats = [seat.player for seat in against_bot.match.seats.select_related("player")]
    assert [player.kind for player in seats if player] == ["human", "bot"]
    assert seats[1] is not None
    assert seats[1].username == "Easy"
    assert seats[0] is not None
    lose(against_bot.match.pk, 0)
    services.sweep()
    assert cup.entry(seats[0]).fall == "bot_won"
    assert not LedgerRow.objects.exists()


def test_staff_may_start_it_at_once_but_not_with_one() -> None:
    cup = Cup(people(1))
    assert problem(services.start_now, cup.id, cup.boss) == "closed"
    services.join(cup.id, person("late"))
    services.start_now(cup.id, cup.boss)
    assert (cup.row.status, len(cup.pairings())) == ("running", 1)
    assert problem(services.join, cup.id, person("later")) == "closed"


# Rounds


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_it_runs_by_itself_to_one_champion(count: int) -> None:
    chance = Random(count)
    cup = Cup(people(count)).start()
    while cup.row.status == "running":
        play_on(cup, chance)
        services.sweep()
    assert cup.champion() in cup.players
    assert (cup.row.why, cup.row.due_at) == ("", None)
    assert Entry.objects.filter(tournament=cup.id, fall="").count() == 1


def test_the_next_round_waits_for_its_pause(settings: object) -> None:
    settings.ROUND_PAUSE_SECONDS = 5  # type: ignore[attr-defined]
    cup = Cup(people(4)).start()
    play_on(cup, Random(0))
    services.sweep()
    assert cup.row.rounds.count() == 1
    due = cup.row.due_at
    assert due is not None
    assert 3000 < due - match_rows.now_ms() <= 5000
    Tournament.objects.filter(pk=cup.id).update(due_at=due - 5000)
    services.sweep()
    assert cup.row.rounds.count() == 2


def test_an_end_that_no_listener_heard_is_found_by_the_next_who_looks() -> None:
    """And stands, though what was asked is refused."""
    cup = Cup(people(2)).start()
    (pairing,) = cup.pairings()
    assert pairing.match_id is not None
    lose(pairing.match_id, 0)
    assert cup.row.status == "running"
    assert problem(services.leave, cup.id, cup.players[0]) == "closed"
    assert cup.row.status == "over"


def test_a_pairing_without_a_match_is_given_one() -> None:
    """What a crash may have left."""
    cup = Cup(people(2)).start()
    Pairing.objects.update(match=None)
    assert store.due(match_rows.now_ms()) == [cup.id]
    services.sweep()
    (pairing,) = cup.pairings()
    assert pairing.match_id is not None
    assert store.due(match_rows.now_ms()) == []


# R8.4 through real matches


def only_match(cup: Cup) -> Match:
    (pairing,) = cup.pairings()
    assert pairing.match is not None
    return pairing.match


def let_pass(match: Match) -> None:
    """Whatever is due in it falls due."""
    duel = object.__new__(Duel)
    duel.id = match.pk
    duel.wait_for_due(1000)
    matches.sweep()
    services.sweep()


@pytest.mark.parametrize("shows", [(True, False), (False, True), (False, False)])
@pytest.mark.parametrize("preset", ["duel", "probe", "classic"])
def test_a_no_show_advances_who_was_there_and_two_advance_nobody(
    preset: str, shows: tuple[bool, bool]
) -> None:
    """R8.4, the double no-show of a final included: on every preset, by whatever reason its match ends."""
    cup = Cup(people(2), preset=preset).start()
    match = only_match(cup)
    terms = match_rows.state_of(match).terms
    for seat, there in enumerate(shows):
        if there:
            matches.connect(match.pk, seat, f"socket-{seat}")
            matches.act(match.pk, CommitSecret(seat, "12345"[: terms.length], b"salt" * 4))
    let_pass(match)
    seated = [seat.player for seat in match.seats.select_related("player")]
    expected = seated[shows.index(True)] if any(shows) else None
    assert (cup.row.status, cup.champion()) == ("over", expected)
    assert cup.row.why == ("" if expected else "no_show")


@pytest.mark.parametrize("confirmed", [0, 1, None])
def test_unconfirmed_advances_who_confirmed(confirmed: int | None) -> None:
    """R8.4, D15: both have chosen, one confirms at the most."""
    cup = Cup(people(2), preset="classic").start()
    match = only_match(cup)
    for seat in (0, 1):
        matches.act(match.pk, CommitSecret(seat, "12345", b"salt" * 4))
    if confirmed is not None:
        matches.act(match.pk, Confirm(confirmed))
    let_pass(match)
    match.refresh_from_db()
    assert match.reason == Reason.UNCONFIRMED
    seated = [seat.player for seat in match.seats.select_related("player")]
    assert cup.champion() == (None if confirmed is None else seated[confirmed])


def test_what_a_moderator_voids_is_replayed_with_a_new_match() -> None:
    """R8.4"""
    cup = Cup(people(2)).start()
    first = only_match(cup)
    (pairing,) = cup.pairings()
    services.adjudicate(pairing.pk, None, cup.boss)
    second = only_match(cup)
    assert second.pk != first.pk
    assert ladder_of(second.pk) == Ladder.TOURNAMENT
    services.match_moved(first.pk, match_rows.state_of(Match.objects.get(pk=first.pk)))
    assert only_match(cup).pk == second.pk
    services.adjudicate(pairing.pk, 1, cup.boss)
    assert cup.champion() == second.seats.get(index=1).player
    assert problem(services.adjudicate, pairing.pk, 0, cup.boss) == "match_over"


def test_nobody_decides_a_match_of_their_own() -> None:
    players = people(2)
    cup = Cup(players).start()
    (pairing,) = cup.pairings()
    assert problem(services.adjudicate, pairing.pk, 0, players[0]) == "forbidden"
    assert cup.row.status == "running"


def test_who_withdraws_resigns_the_current_match_and_is_out() -> None:
    """R8.4"""
    cup = Cup(people(4)).start()
    gone = cup.players[0]
    pairing, seat = cup.pairing_of(gone)
    services.leave(cup.id, gone)
    assert pairing.match is not None
    pairing.match.refresh_from_db()
    assert (pairing.match.reason, pairing.match.winner) == ("resigned", 1 - seat)
    assert cup.entry(gone).fall == "withdrawn"
    services.leave(cup.id, gone)  # twice is no fault


def test_who_is_disqualified_loses_by_a_moderators_word() -> None:
    cup = Cup(people(2)).start()
    gone = cup.players[0]
    pairing, seat = cup.pairing_of(gone)
    services.disqualify(cup.entry(gone).pk, cup.boss)
    assert pairing.match is not None
    pairing.match.refresh_from_db()
    assert (pairing.match.reason, pairing.match.winner) == ("adjudicated", 1 - seat)
    assert (cup.row.status, cup.champion()) == ("over", cup.players[1])
    assert problem(services.disqualify, cup.entry(gone).pk, cup.boss) == "closed"


def suspend(player: User) -> None:
    moderation.suspend(player, None, "Because.")


def delete(player: User) -> None:
    User.objects.get(pk=player.pk).delete()


@pytest.mark.parametrize("go", [suspend, delete])
def test_who_is_suspended_or_deleted_vanishes_from_an_open_one(go: object) -> None:
    """R5.7"""
    cup = Cup(people(3))
    go(cup.players[0])  # type: ignore[operator]
    services.sweep()
    assert set(cup.row.entries.values_list("player", flat=True)) == {player.pk for player in cup.players[1:]}


@pytest.mark.parametrize("go", [suspend, delete])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_who_is_suspended_or_deleted_loses_and_the_rest_goes_on(go: object, count: int) -> None:
    """R5.7, R8.4: in a running one, against a person or the bot."""
    cup = Cup(people(count)).start()
    for gone in cup.players[1:]:
        go(gone)  # type: ignore[operator]
        services.sweep()
    chance = Random(1)
    for _ in range(6):
        if cup.row.status == "running":
            play_on(cup, chance)
            services.sweep()
    assert (cup.row.status, cup.champion()) == ("over", cup.players[0])


@pytest.mark.parametrize("go", [suspend, delete])
def test_when_all_are_gone_at_once_it_ends_without_a_champion_or_with_the_last(go: object) -> None:
    cup = Cup(people(5)).start()
    for gone in cup.players:
        go(gone)  # type: ignore[operator]
    for _ in range(3):
        services.sweep()
    assert cup.row.status == "over"
    assert store.due(match_rows.now_ms()) == []


def test_a_match_that_had_ended_before_its_winner_withdrew_counts_as_it_ended() -> None:
    cup = Cup(people(4)).start()
    winner = cup.players[0]
    pairing, seat = cup.pairing_of(winner)
    assert pairing.match_id is not None
    lose(pairing.match_id, 1 - seat)
    services.leave(cup.id, winner)
    pairing.refresh_from_db()
    assert pairing.through == seat
    assert cup.entry(winner).fall == "withdrawn"


def test_the_brackets_of_who_is_deleted_later_stand() -> None:
    """D26"""
    cup = Cup(people(4)).start()
    while cup.row.status == "running":
        play_on(cup, Random(3))
        services.sweep()
    champion = cup.champion()
    assert champion is not None
    before = cup.state
    delete(champion)
    assert cup.state == before
    assert cup.row.champion is not None
    assert cup.row.champion.player is None


def test_a_voided_match_of_one_who_is_gone_is_not_replayed() -> None:
    cup = Cup(people(2)).start()
    match = only_match(cup)
    matches.act(match.pk, Adjudicate(None))
    delete(cup.players[0])
    services.sweep()
    services.sweep()
    assert (cup.row.status, cup.champion()) == ("over", cup.players[1])


# Every week


def test_every_week_has_one_and_what_was_called_off_does_not_come_back() -> None:
    weekly = Weekly.objects.create(
        name="Friday", terms=codec.terms_to_json(terms_of()), zone="Europe/Rome", weekday=4, hour="21:00"
    )
    weekly.refresh_from_db()
    for _ in range(3):
        services.plan_weeklies()
    row = Tournament.objects.get(weekly=weekly)
    assert timezone.now() < row.starts_at <= timezone.now() + timedelta(days=7, hours=2)
    assert row.due_at == int(row.starts_at.timestamp() * 1000)
    services.call_off(row.pk, person("boss", is_staff=True))
    services.plan_weeklies()
    assert Tournament.objects.filter(weekly=weekly).count() == 1


# R8.4, every combination: what each of the two does, in a final and before it


def shows(cup: Cup, match: Match, seat: int, player: User) -> None:
    matches.connect(match.pk, seat, f"socket-{seat}")
    matches.act(match.pk, CommitSecret(seat, "1234", b"salt" * 4))


def stays_away(cup: Cup, match: Match, seat: int, player: User) -> None:
    return


def withdraws(cup: Cup, match: Match, seat: int, player: User) -> None:
    problem(services.leave, cup.id, player)  # too late where the other's going has ended it


def is_banned(cup: Cup, match: Match, seat: int, player: User) -> None:
    moderation.suspend(player, None, "a reason")


def is_deleted(cup: Cup, match: Match, seat: int, player: User) -> None:
    delete(player)


GOES = (withdraws, is_banned, is_deleted)


@pytest.mark.parametrize("second", [shows, stays_away, *GOES])
@pytest.mark.parametrize("first", [shows, stays_away, *GOES])
@pytest.mark.parametrize("size", [2, 4])
def test_whatever_the_two_of_a_match_do_one_goes_on_or_neither(size: int, first: Any, second: Any) -> None:
    """R8.4, R8.5: who goes loses, the first to go if both do; of who stays, those go on who showed."""
    if first is second is shows:
        return  # then they play
    cup = Cup(people(size)).start()
    pairing = cup.pairings()[0]
    match, players = pairing.match, [place.entry.player for place in pairing.places.all()]
    entries = [place.entry_id for place in pairing.places.all()]
    assert match is not None
    for seat, fate in enumerate((first, second)):
        player = players[seat]
        assert player is not None
        if fate not in (shows, stays_away) or matches_on(match):
            fate(cup, match, seat, player)
        services.sweep()
    if matches_on(match):
        let_pass(match)
    pairing.refresh_from_db()
    through = expected_through(first, second)
    assert (pairing.decided, pairing.through) == (True, through)
    stays = {entries[through]} if through is not None and (first, second)[through] not in GOES else set()
    if size == 2:
        # What its winner does later takes no title away.
        champion = None if through is None else entries[through]
        assert (cup.row.status, cup.row.champion_id) == ("over", champion)
        assert cup.row.why == ("no_show" if champion is None else "")
        return
    (other,) = cup.open_pairings()
    assert other.match_id is not None
    lose(other.match_id, 1)
    services.sweep()
    stays |= {other.places.all()[0].entry_id}
    drawn = {place.entry_id for one in cup.pairings() for place in one.places.all()}
    if len(stays) == 2:
        assert (cup.row.rounds.count(), drawn) == (2, stays)
    else:
        assert (cup.row.status, {cup.row.champion_id}) == ("over", stays)


def matches_on(match: Match) -> bool:
    return Match.objects.filter(pk=match.pk).exclude(status="over").exists()


def expected_through(first: Any, second: Any) -> int | None:
    if first in GOES:
        return 1
    if second in GOES:
        return 0
    return {(shows, stays_away): 0, (stays_away, shows): 1}.get((first, second))
