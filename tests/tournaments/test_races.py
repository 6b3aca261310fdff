"""At the same instant, on threads of their own: each thing happens once (D18), and all of it ends (D17)."""

from collections import Counter
from functools import partial
from random import Random

import pytest
from django.db import IntegrityError, connection, transaction

from matches import services as matches
from matches import store as match_rows
from matches.core.machine import Adjudicate, CommitSecret, Refused
from matches.models import Match
from ratings.models import Ladder, MatchLadder
from tests.builders import Duel, person
from tests.threads import rounds, together, words
from tests.tournaments.builders import Cup, lose, people
from tournaments import services
from tournaments.models import Entry, Pairing, Place, Tournament

pytestmark = pytest.mark.django_db(transaction=True)


def check_rows(cup: Cup) -> None:
    """One place a round for everybody in it, one match a pairing, each on the tournaments' ladder."""
    for drawn in cup.row.rounds.all():
        places = Place.objects.filter(round=drawn)
        assert places.count() == places.values("entry").distinct().count()
        assert drawn.pairings.filter(against_bot=True).count() == places.count() % 2
    played = Match.objects.filter(pairing__round__tournament=cup.id)
    assert MatchLadder.objects.filter(match__in=played, ladder=Ladder.TOURNAMENT).count() == played.count()


def test_ten_more_at_once_where_one_place_is_left_are_one_and_nine_refusals() -> None:
    """D18: 49 are in, 10 come at once: 50, and nine ordinary refusals."""
    cup = Cup(people(49))
    late = people(10, "late")
    outcomes = together(*[partial(services.join, cup.id, player) for player in late])
    assert Counter(map(str, outcomes)) == {"full": 9, "None": 1}
    assert cup.row.entries.count() == 50


def test_one_player_who_enters_five_times_at_once_is_in_once() -> None:
    cup, ada = Cup([]), person("ada")
    assert together(*[partial(services.join, cup.id, ada)] * 5) == [None] * 5
    assert cup.row.entries.count() == 1


@rounds(1, 2)
def test_five_sweeps_at_once_start_it_once_and_draw_each_round_once(rounds: int) -> None:
    """D18, R8.2"""
    boss = person("boss")
    for number in range(rounds):
        cup = Cup(people(7, f"r{number}-"), boss).hour_comes()
        expected = 4
        for round_ in (1, 2, 3):
            outcomes = together(*[services.sweep] * 5)
            assert all(isinstance(outcome, int) for outcome in outcomes), outcomes
            pairings = cup.pairings()
            assert (cup.row.rounds.count(), len(pairings)) == (round_, expected)
            assert all(pairing.match_id for pairing in pairings)
            check_rows(cup)
            losers = [
                partial(lose, pairing.match_id, 1) for pairing in pairings if pairing.match_id is not None
            ]
            assert words(together(*losers)) == ["done"] * expected
            expected = -(-expected // 2)
        assert cup.champion() is not None


@rounds(1, 4)
def test_the_last_matches_of_a_round_may_end_at_once(rounds: int) -> None:
    boss = person("boss")
    for number in range(rounds):
        cup = Cup(people(4, f"r{number}-"), boss).start()
        jobs = [partial(lose, pairing.match_id or "", 0) for pairing in cup.pairings()]
        together(*jobs, services.sweep, services.sweep)
        services.sweep()
        assert cup.row.rounds.count() == 2
        check_rows(cup)


@rounds(1, 5)
def test_both_finalists_leaving_at_once_make_one_of_them_champion(rounds: int) -> None:
    boss = person("boss")
    for number in range(rounds):
        players = people(2, f"r{number}-")
        cup = Cup(players, boss).start()
        outcomes = together(*[partial(services.leave, cup.id, player) for player in players], services.sweep)
        assert set(map(str, outcomes[:2])) <= {"None", "closed"}
        assert (cup.row.status, cup.champion() in players) == ("over", True)


@rounds(1, 5)
def test_leaving_while_the_own_match_is_won_is_one_of_the_two(rounds: int) -> None:
    boss = person("boss")
    for number in range(rounds):
        players = people(2, f"r{number}-")
        cup = Cup(players, boss).start()
        pairing, seat = cup.pairing_of(players[0])
        assert pairing.match_id is not None
        together(partial(services.leave, cup.id, players[0]), partial(lose, pairing.match_id, 1 - seat))
        services.sweep()
        match = Match.objects.get(pk=pairing.match_id)
        pairing.refresh_from_db()
        assert (cup.row.status, pairing.through) == ("over", match.winner)


def test_the_database_itself_lets_nobody_be_drawn_twice_in_a_round() -> None:
    """D18: a constraint, not only code."""
    cup = Cup(people(4)).start()
    first, second = cup.pairings()
    entry = first.places.all()[0].entry
    for place in (
        Place(round=second.round, pairing=second, seat=1, entry=entry),
        Place(round=second.round, pairing=second, seat=0, entry=entry),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            place.save(force_insert=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        Pairing.objects.filter(pk=second.pk).update(match=first.match)


# Whole tournaments, on real rows, with everything that may happen to them


def end_somehow(match_id: str, chance: Random) -> None:
    """A win, a no-show, a moderator's word."""
    match chance.choice(("lost", "lost", "lost", "lost", "one", "none", "void", "decided")):
        case "lost":
            lose(match_id, chance.randrange(2))
        case "decided":
            matches.act(match_id, Adjudicate(chance.randrange(2)))
        case "void":
            matches.act(match_id, Adjudicate(None))
        case shows:
            if shows == "one":
                length = match_rows.state_of(Match.objects.get(pk=match_id)).terms.length
                matches.act(match_id, CommitSecret(chance.randrange(2), "12345"[:length], b"salt" * 4))
            duel = object.__new__(Duel)
            duel.id = match_id
            duel.wait_for_due(1000)
            matches.sweep()


def run(cup: Cup, chance: Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """To its end, whatever happens on the way; sometimes the process dies in the middle of moving on."""
    cup.hour_comes()
    for _ in range(400):
        if cup.row.status not in ("open", "running"):
            return
        if chance.random() < 0.15:
            die_on_the_way(monkeypatch, chance)
        else:
            services.sweep()
        for pairing in cup.open_pairings():
            if pairing.match_id is not None and chance.random() < 0.7:
                try:
                    end_somehow(pairing.match_id, chance)
                except Refused:
                    continue  # somebody withdrew from it meanwhile
        if chance.random() < 0.2:
            entry = chance.choice(list(cup.row.entries.all()))
            if entry.player is not None:
                chance.choice((leave, suspend))(cup, entry.player_id or 0)
    raise AssertionError("it does not end")


def leave(cup: Cup, player_id: int) -> None:
    player = next(player for player in cup.players if player.pk == player_id)
    together(partial(services.leave, cup.id, player))


def suspend(cup: Cup, player_id: int) -> None:
    type(cup.boss).objects.filter(pk=player_id).update(is_active=False)


def die_on_the_way(monkeypatch: pytest.MonkeyPatch, chance: Random) -> None:
    """The worker is gone after some of its statements: nothing of what it had begun is left."""
    left = chance.randrange(1, 40)

    def die(execute, sql, params, many, context):
        nonlocal left
        left -= 1
        if left < 0:
            raise SystemExit
        return execute(sql, params, many, context)

    try:
        with connection.execute_wrapper(die):
            services.sweep()
    except SystemExit:
        connection.close()


def check_who_went_on(cup: Cup) -> None:
    """R8.3, R8.4, R8.5, from how each match ended: who was drawn, who went on, who is left."""
    entries = {entry.pk: entry for entry in cup.row.entries.all()}
    in_it: set[int | None] = set(entries)
    met_bot = set[int]()
    for drawn in cup.row.rounds.all():
        pairings = list(drawn.pairings.select_related("match").prefetch_related("places"))
        seats = {pairing: [place.entry_id for place in pairing.places.all()] for pairing in pairings}
        paired = {entry for seated in seats.values() for entry in seated}
        # Whoever had won and is not drawn has left between the rounds.
        assert paired <= in_it
        assert {entries[entry].fall for entry in in_it - paired if entry} <= {"withdrawn"}
        spared = {seated[0] for pairing, seated in seats.items() if pairing.against_bot}
        assert len(spared) == len(paired) % 2
        assert not spared & met_bot or paired <= met_bot
        met_bot |= spared
        through = {went_on(pairing, seated, entries) for pairing, seated in seats.items()}
        assert [pairing.decided for pairing in pairings] == [True] * len(pairings)
        assert through == {
            None if pairing.through is None else seated[pairing.through] for pairing, seated in seats.items()
        }
        in_it = through - {None}
    left = {entry for entry in in_it if entry and entries[entry].fall != "withdrawn"}
    champion = cup.row.champion_id
    assert left == (set() if champion is None else {champion})
    assert {entry.pk for entry in entries.values() if not entry.fall} == left
    assert (champion is None) == (cup.row.why != "")


def went_on(pairing: Pairing, seated: list[int], entries: dict[int, Entry]) -> int | None:
    """R8.4, once more and in other words than the machine's."""
    seats: list[int | None] = [*seated, None][:2]
    end = None if pairing.match is None else match_rows.state_of(pairing.match)
    if (
        end is None
        or end.result is None
        or (end.result.reason == "adjudicated" and end.result.outcome == "void")
    ):
        # Voided by a moderator, and not replayed, since one of the two was gone.
        stayed = [entry for entry in seated if entries[entry].fall != "withdrawn"]
        assert len(stayed) < len(seated)
        return stayed[0] if stayed else None
    if end.result.winner is not None:
        return seats[end.result.winner]
    did = [seat.ready for seat in end.seats]
    if all(did):
        did = [seat.confirmed for seat in end.seats]
    return seats[did.index(True)] if sum(did) == 1 else None


SIZES = (0, 1, *range(2, 14), *range(2, 8), 16, 21, 25, 50)


@pytest.mark.postgres
@pytest.mark.parametrize(("seed", "size"), list(enumerate(SIZES)))
def test_whole_tournaments_end_as_the_rules_demand_whatever_happens(
    seed: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R8 through the real services: losses, no-shows, voids, withdrawals, suspensions and dying workers."""
    chance = Random(seed)
    cup = Cup(people(size), preset=chance.choice(("duel", "probe", "classic")))
    run(cup, chance, monkeypatch)
    if cup.row.status == "cancelled":
        assert (cup.row.rounds.count(), cup.row.why) == (0, "too_few")
        assert cup.row.entries.count() < 2
    else:
        check_who_went_on(cup)
    check_rows(cup)
    assert not Tournament.objects.filter(due_at__isnull=False).exists()
    assert not Match.objects.filter(pairing__isnull=False).exclude(status="over").exists()
