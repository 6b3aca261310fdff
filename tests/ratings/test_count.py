"""An end is counted, once, and a moderator can take it back (R6, D6, D16, D26)."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from matches.models import Match
from matches.signals import match_moved
from numbers_site.celery import app
from players.models import Kind, User
from players.problems import Problem
from ratings import queries, services, tasks
from ratings.models import ALL_TIME, Cause, Ladder, LedgerRow, Result, Standing, Tally
from ratings.words import why
from tests.builders import Duel, dump, person, signed_in
from tests.ratings.builders import adjudicate, counted, easy, ended_in, lose, lost, points, sums_agree

pytestmark = pytest.mark.django_db

RATINGS = ("ratings_ledgerrow", "ratings_result", "ratings_tally", "ratings_standing", "players_user")


@pytest.fixture
def players() -> tuple[User, User]:
    return person("ada", points=0), person("bob")


def rich(player: User, points: int) -> None:
    """Give points by matches won, which is the only way to get any: against somebody new each time."""
    for number in range(points // 10):
        lost((person(f"{player.username}-rival-{number}"), player))


def record(player: User) -> tuple[int, int, int, int]:
    found = queries.record(queries.tallies(player.pk))
    return found.won, found.lost, found.drawn, found.void


# What a match moves


@pytest.mark.parametrize(("in_place", "change"), [(4, 6), (3, 2), (2, -2), (1, -6), (0, -10), (None, -10)])
def test_the_loser_s_points_follow_the_last_guess(
    in_place: int | None, change: int, players: tuple[User, User]
) -> None:
    """R6.2: no guess counts as none in place."""
    rich(players[0], 20)
    lost(players, in_place)
    assert points(*players) == [20 + change, 10]
    row = LedgerRow.objects.get(player=players[0], cause=Cause.LOST)
    assert (row.change, row.in_place, row.length) == (change, in_place or 0, 5)
    sums_agree()


def test_only_the_last_guess_counts(players: tuple[User, User]) -> None:
    """R6.2"""
    duel = Duel(players=players).start()
    for code in ("31651", "24681"):
        duel.guess(0, code)
        duel.guess(1)
    counted(duel.end())
    assert LedgerRow.objects.get(player=players[0]).in_place == 1


@pytest.mark.parametrize("feedback", ["positions", "totals"])
def test_four_digits_by_the_same_arithmetic(feedback: str, players: tuple[User, User]) -> None:
    """R6.2: whatever the marks look like to the players."""
    lost(players, 3, length=4, feedback=feedback)
    assert points(*players) == [6, 10]


@pytest.mark.parametrize("reason", ["time", "forfeit", "resigned", "broken", "adjudicated"])
def test_the_same_whatever_the_reason_of_the_loss(reason: str, players: tuple[User, User]) -> None:
    """R6.2: ada's only guess has three in place."""
    duel = Duel("classic" if reason == "time" else "duel", players=players).start()
    duel.guess(0, "31672")
    if reason == "broken":
        duel.guess(1, "90718")
    elif reason == "resigned":
        duel.end()
    elif reason == "adjudicated":
        adjudicate(duel, 1)
    elif reason == "forfeit":
        duel.arrive(1).wait_for_due(1)
        duel.do(1, "flag")
    else:
        duel.guess(1, "13579")
        duel.wait_for_due(1)
        duel.do(1, "flag")
    assert duel.ending == ("win", 1, reason)
    counted(duel)
    assert points(*players) == [2, 10]


def test_a_loss_of_ten_at_four_points_takes_four_and_says_so(players: tuple[User, User]) -> None:
    """R6.3, D16: ends on 0, not −6; the next +6 gives 6."""
    for in_place in (3, 3, 0):
        lost(players, in_place)
    assert list(LedgerRow.objects.filter(player=players[0]).values_list("change", "total")) == [
        (2, 2),
        (2, 4),
        (-4, 0),
    ]
    lost(players, 4)
    assert points(players[0]) == [6]
    sums_agree()


# What moves nothing


@pytest.mark.parametrize("kinds", [("guest", "human"), ("human", "guest"), ("guest", "guest")])
def test_guests_never_move_the_ladder_but_win_and_lose(kinds: tuple[str, str]) -> None:
    """R6.1"""
    players = person("ada", Kind(kinds[0])), person("bob", Kind(kinds[1]))
    lost(players)
    assert points(*players) == [0, 0]
    assert [record(player) for player in players] == [(0, 1, 0, 0), (1, 0, 0, 0)]
    assert not LedgerRow.objects.exists()
    assert not Standing.objects.exists()


def test_a_guest_who_has_become_an_account_by_the_end_is_registered() -> None:
    """R6.1: what counts is who they are when the match ends."""
    guest, bob = person("ada", Kind.GUEST), person("bob")
    duel = lose(Duel(players=(guest, bob)), 3)
    User.objects.filter(pk=guest.pk).update(kind=Kind.HUMAN)
    counted(duel)
    assert points(guest, bob) == [2, 10]


@pytest.mark.parametrize("bot_wins", [False, True])
def test_a_match_against_a_bot_is_a_win_or_a_loss_without_points(bot_wins: bool) -> None:
    """R6.1, D16"""
    ada, bot = person("ada"), easy()
    lost((ada, bot) if bot_wins else (bot, ada))
    assert points(ada, bot) == [0, 0]
    assert record(ada) == ((0, 1, 0, 0) if bot_wins else (1, 0, 0, 0))
    assert Tally.objects.get(player=ada).bots
    assert not LedgerRow.objects.exists()


def test_an_unrated_match_is_a_win_and_a_loss_without_points(players: tuple[User, User]) -> None:
    """R6.1"""
    lost(players, rated=False)
    assert points(*players) == [0, 0]
    assert record(players[1]) == (1, 0, 0, 0)


@pytest.mark.parametrize(("preset", "outcome"), [("duel", "void"), ("probe", "drawn"), ("classic", "void")])
def test_a_draw_and_a_void_move_nothing_and_stand_in_both_records(
    preset: str, outcome: str, players: tuple[User, User]
) -> None:
    """R6.4, R5.2: nobody ever chose."""
    duel = Duel(preset, players=players).arrive(0, 1).wait_for_due(1)
    duel.do(0, "flag")
    counted(duel)
    expected = (0, 0, 1, 0) if outcome == "drawn" else (0, 0, 0, 1)
    assert [record(player) for player in players] == [expected] * 2
    assert set(Result.objects.values_list("outcome", flat=True)) == {outcome}
    assert not LedgerRow.objects.exists()


def test_a_tournament_match_moves_its_own_ladder_only(players: tuple[User, User]) -> None:
    """R6.6, D16: by the same arithmetic, with its own floor, even on terms that say unrated."""
    rich(players[0], 10)
    for in_place in (3, 0):
        duel = Duel(players=players, rated=False)
        services.assign(duel.id, Ladder.TOURNAMENT)
        counted(lose(duel, in_place))
    assert points(*players) == [10, 0]
    overall = Standing.objects.filter(ladder=Ladder.TOURNAMENT, period=ALL_TIME).order_by("player_id")
    assert list(overall.values_list("points", "won", "lost")) == [(0, 0, 2), (20, 2, 0)]
    sums_agree()


# Records


def test_a_result_says_how_the_match_went_for_each(players: tuple[User, User]) -> None:
    duel = Duel(players=players, length=4, repeats=False).start()
    duel.guess(0, "3165")
    counted(duel)
    loser, winner = Result.objects.filter(match=duel.id).order_by("-seat")
    assert (winner.player, winner.opponent, winner.outcome, winner.guesses) == (*players, "won", 1)
    assert (loser.player, loser.opponent, loser.outcome, loser.guesses) == (*players[::-1], "lost", 0)
    assert {row.reason for row in (loser, winner)} == {"broken"}
    assert (winner.preset, winner.terms, winner.seconds) == ("duel", "duel-4-different-positions", 300)
    assert winner.rated
    assert winner.ended_at == duel.state.at


def test_guesses_to_win_are_those_of_numbers_named(players: tuple[User, User]) -> None:
    """A win on time took no guesses to speak of."""
    duel = Duel(players=players).start()
    for code in ("13579", "31650"):
        duel.guess(0, code)
        if duel.row.status != "over":
            duel.guess(1)
    counted(duel)
    lost((players[1], players[0]))
    (tally,) = queries.tallies(players[0].pk)
    assert (tally.won, tally.broken, tally.guesses) == (2, 1, 2)
    assert queries.record([tally]).guesses_to_win == 2.0


def test_a_month_turns_at_midnight_utc_by_the_instant_of_the_end(players: tuple[User, User]) -> None:
    """Issue 4: one match ends in the last millisecond of October, another in the first of November."""
    midnight = int(datetime(2026, 11, 1, tzinfo=UTC).timestamp() * 1000)
    for at in (midnight - 1, midnight):
        counted(ended_in(lose(Duel(players=players), 3), at))
    months = Standing.objects.filter(player=players[1]).exclude(period=ALL_TIME)
    assert dict(months.values_list("period", "points")) == {"2026-10": 10, "2026-11": 10}
    sums_agree()


# Once


def test_counting_again_changes_nothing(players: tuple[User, User]) -> None:
    """R6.4"""
    duel = lost(players)
    before = dump(RATINGS)
    counted(duel)
    services.count_pending()
    assert dump(RATINGS) == before


def test_a_match_that_goes_on_is_not_counted(players: tuple[User, User]) -> None:
    duel = counted(Duel(players=players).start())
    assert not duel.row.counted
    assert not Result.objects.exists()


def test_the_database_refuses_to_apply_a_match_twice(players: tuple[User, User]) -> None:
    """R6.4, house habit 9: whoever forgot that it was counted."""
    duel = lost(players)
    Match.objects.filter(pk=duel.id).update(counted=False)
    before = dump(RATINGS)
    with pytest.raises(IntegrityError), transaction.atomic():
        services.count(duel.id)
    assert services.count_pending() == 1
    assert dump(RATINGS) == before


@pytest.mark.parametrize(
    "change",
    [{"total": -1}, {"ladder": "other"}, {"in_place": None}, {"cause": "won"}],
    ids=["below zero", "unknown ladder", "no reason", "two reasons"],
)
def test_the_database_refuses_a_ledger_that_cannot_be(
    change: dict[str, Any], players: tuple[User, User]
) -> None:
    """R6.3, R6.5"""
    lost(players)
    with pytest.raises(IntegrityError), transaction.atomic():
        LedgerRow.objects.filter(player=players[0]).update(**change)


def test_the_sweep_counts_what_nobody_heard_of_and_one_bad_match_stops_no_other(
    players: tuple[User, User],
) -> None:
    """R6.4: told or not, each end is counted. The bad one has results that it should not have yet."""
    bad = lost(players)
    Match.objects.filter(pk=bad.id).update(counted=False)
    good = lose(Duel(players=players), 3)
    tasks.sweep()
    assert [bad.row.counted, good.row.counted] == [False, True]
    assert points(*players) == [4, 20]


def test_beat_asks_for_the_sweep() -> None:
    assert app.conf.beat_schedule["ratings.sweep"]["task"] == tasks.sweep.name


@pytest.mark.django_db(transaction=True)
def test_an_end_is_counted_as_soon_as_it_is_told() -> None:
    """The listener of `match_moved`; hearing it again changes nothing."""
    players = person("ada"), person("bob")
    duel = lose(Duel(players=players), 3)
    assert duel.row.counted
    match_moved.send(Match, match_id=duel.id, state=duel.state)
    assert points(*players) == [2, 10]


@pytest.mark.parametrize("statements", [26])
def test_counting_takes_as_many_statements_whatever_there_was_before(
    statements: int, players: tuple[User, User], django_assert_max_num_queries: Any
) -> None:
    for _ in range(3):
        lost(players)
    duel = lose(Duel(players=players), 3)
    with django_assert_max_num_queries(statements):
        counted(duel)


# Taken back


def test_a_reversal_is_further_rows_that_undo_the_match(players: tuple[User, User]) -> None:
    """R6.5: never an edit."""
    lost(players)
    duel = lost(players, 1)
    before = dump(("ratings_ledgerrow",))["ratings_ledgerrow"]
    services.reverse(duel.id)
    after = dump(("ratings_ledgerrow",))["ratings_ledgerrow"]
    assert after[: len(before)] == before
    assert points(*players) == [2, 10]
    reversals = LedgerRow.objects.filter(cause=Cause.REVERSED).order_by("player_id")
    assert list(reversals.values_list("match_id", "change")) == [(duel.id, 2), (duel.id, -10)]
    assert [record(player) for player in players] == [(0, 1, 0, 1), (1, 0, 0, 1)]
    assert set(Result.objects.filter(match=duel.id).values_list("outcome", "reason")) == {
        ("void", "adjudicated")
    }
    sums_agree()


def test_a_reversal_takes_no_more_than_there_is(players: tuple[User, User]) -> None:
    """R6.3: bob won ten and lost nine of them since."""
    duel = lost(players)
    for _ in range(2):
        lost(players[::-1], 1)
    assert points(players[1]) == [0]
    services.reverse(duel.id)
    assert LedgerRow.objects.get(player=players[1], cause=Cause.REVERSED).change == 0
    assert points(players[1]) == [0]
    sums_agree()


def test_a_reversal_sets_the_match_s_own_month_right(players: tuple[User, User]) -> None:
    october = int(datetime(2026, 10, 9, tzinfo=UTC).timestamp() * 1000)
    duel = counted(ended_in(lose(Duel(players=players), 3), october))
    services.reverse(duel.id)
    months = Standing.objects.exclude(period=ALL_TIME)
    assert set(months.values_list("period", "points", "won", "lost")) == {("2026-10", 0, 0, 0)}
    sums_agree()


def test_reversing_twice_or_counting_afterwards_changes_nothing(players: tuple[User, User]) -> None:
    """R6.4"""
    duel = lost(players)
    services.reverse(duel.id)
    before = dump(RATINGS)
    services.reverse(duel.id)
    counted(duel)
    assert dump(RATINGS) == before


def test_a_match_nobody_has_counted_yet_is_reversed_all_the_same(players: tuple[User, User]) -> None:
    duel = lose(Duel(players=players), 3)
    services.reverse(duel.id)
    assert points(*players) == [0, 0]
    assert [record(player) for player in players] == [(0, 0, 0, 1)] * 2


def test_only_what_is_over_can_be_reversed(players: tuple[User, User]) -> None:
    for match_id, code in ((Duel(players=players).id, "not_over"), ("nothing0", "not_found")):
        with pytest.raises(Problem) as problem:
            services.reverse(match_id)
        assert problem.value.code == code


# Given to the other side


def test_a_match_given_to_the_other_side_is_undone_and_moved_anew(players: tuple[User, User]) -> None:
    """R6.5: by further rows; no guess of who is found to have lost counts, and nothing is taken that is not there."""
    ada, bob = players
    lost(players[::-1])
    duel = lost(players, 3)
    before = dump(("ratings_ledgerrow",))["ratings_ledgerrow"]
    assert points(*players) == [12, 12]
    services.give(duel.id, 0, None, "Bob had help.")
    assert dump(("ratings_ledgerrow",))["ratings_ledgerrow"][: len(before)] == before
    assert points(*players) == [20, 0]
    rows = LedgerRow.objects.filter(match=duel.id).order_by("pk")
    assert [(row.cause, row.player_id, row.change, row.decision) for row in rows] == [
        ("won", bob.pk, 10, 0),
        ("lost", ada.pk, 2, 0),
        ("reversed", bob.pk, -10, 0),
        ("reversed", ada.pk, -2, 0),
        ("won", ada.pk, 10, 1),
        ("lost", bob.pk, -2, 1),
    ]
    assert {
        seat: (line.result.outcome, line.result.reason) for seat, line in queries.told(duel.id).items()
    } == {
        0: ("won", "adjudicated"),
        1: ("lost", "adjudicated"),
    }
    assert {seat: why(line) for seat, line in queries.told(duel.id).items()} == {
        0: "+10 by a moderator’s later decision.",
        1: "−2 by a moderator’s later decision.",
    }
    sums_agree()


def test_what_was_given_can_be_given_back_and_taken_away(players: tuple[User, User]) -> None:
    """R6.4, R6.5: each decision is applied once, and undone once."""
    duel = lost(players, 2)
    for winner in (0, 1, 0):
        services.give(duel.id, winner, None, "On second thoughts.")
        assert points(*players) == ([10, 0] if winner == 0 else [0, 10])
        with pytest.raises(Problem, match="closed"):
            services.give(duel.id, winner, None, "Once more.")
        sums_agree()
    services.take_back(duel.id, None, "For nobody.")
    assert points(*players) == [0, 0]
    assert [record(player) for player in players] == [(0, 0, 0, 1)] * 2
    sums_agree()


def test_a_match_without_a_winner_can_be_given_to_a_side(players: tuple[User, User]) -> None:
    duel = lost(players)
    services.take_back(duel.id, None, "For nobody.")
    services.give(duel.id, 1, None, "For bob, after all.")
    assert points(*players) == [0, 10]
    assert [record(player) for player in players] == [(0, 1, 0, 0), (1, 0, 0, 0)]
    sums_agree()


def test_a_given_match_moves_its_own_month(players: tuple[User, User]) -> None:
    october = int(datetime(2026, 10, 9, tzinfo=UTC).timestamp() * 1000)
    duel = counted(ended_in(lose(Duel(players=players), 3), october))
    services.give(duel.id, 0, None, "Bob had help.")
    months = Standing.objects.exclude(period=ALL_TIME)
    assert set(months.values_list("period", "points", "won", "lost")) == {
        ("2026-10", 10, 1, 0),
        ("2026-10", 0, 0, 1),
    }
    sums_agree()


def test_only_what_is_over_can_be_given(players: tuple[User, User]) -> None:
    for match_id, code in ((Duel(players=players).id, "not_over"), ("nothing0", "not_found")):
        with pytest.raises(Problem) as problem:
            services.give(match_id, 0, None, "Too soon.")
        assert problem.value.code == code


# Told


def test_a_match_tells_each_seat_what_it_moved_and_why(players: tuple[User, User]) -> None:
    """R6, ui.md: points gained or lost with the reason."""
    told = queries.told(lost(players, 3).id)
    assert {seat: why(line) for seat, line in told.items()} == {
        0: "3 in place in the last guess: +2.",
        1: "+10 for winning.",
    }
    told = queries.told(lost(players, 0).id)
    assert why(told[0]) == "none in place in the last guess: −10, of which only 2 could be taken."
    told = queries.told(lost(players, rated=False).id)
    assert why(told[0]) == "This match was not rated: it moves no points."
    told = queries.told(counted(adjudicate(Duel(players=players), None)).id)
    assert why(told[0]) == "A match without a winner moves no points."


# Who leaves


def test_who_deletes_the_account_takes_nothing_from_the_others(players: tuple[User, User]) -> None:
    """D26: bob's matches, record and points stand; ada is a deleted player."""
    for _ in range(3):
        lost(players)
    players[0].delete()
    bob = players[1]
    assert points(bob) == [30]
    assert record(bob) == (3, 0, 0, 0)
    results = Result.objects.all()
    assert [(row.player, row.opponent) for row in results] == [(bob, None)] * 3
    sums_agree()
    page = signed_in(None).get("/players/bob/matches/").content.decode()
    assert page.count("deleted player") == 3


@pytest.mark.parametrize("over", [True, False], ids=["over", "still on"])
def test_who_leaves_before_the_count_leaves_the_other_the_points(
    over: bool, players: tuple[User, User]
) -> None:
    """D26, R5.7: a match that is still on is resigned first."""
    duel = Duel(players=players).start()
    if over:
        duel.end()
    players[0].delete()
    assert duel.row.counted
    assert (points(players[1]), record(players[1])) == ([10], (1, 0, 0, 0))
    assert [(row.player, row.opponent) for row in Result.objects.all()] == [(players[1], None)]
    assert not LedgerRow.objects.exclude(player=players[1]).exists()
    connection.check_constraints()
    sums_agree()


@pytest.mark.parametrize("way", ["one", "bulk"])
def test_a_player_removed_in_the_admin_takes_nothing_from_the_others(
    way: str, players: tuple[User, User]
) -> None:
    """D26: one by one and in bulk; the ledger's own protection does not stand in the way."""
    lost(players)
    staff = signed_in(person("root", is_staff=True, is_superuser=True))
    if way == "one":
        answer = staff.post(f"/admin/players/user/{players[0].pk}/delete/", {"post": "yes"})
    else:
        asked = {"action": "delete_selected", "_selected_action": players[0].pk, "post": "yes"}
        answer = staff.post("/admin/players/user/", asked)
    assert answer.status_code == 302
    assert not User.objects.filter(pk=players[0].pk).exists()
    assert (points(players[1]), record(players[1])) == ([10], (1, 0, 0, 0))


def test_the_ledger_can_be_read_in_the_admin_and_not_touched(players: tuple[User, User]) -> None:
    """R6.5"""
    lost(players)
    staff = signed_in(person("root", is_staff=True, is_superuser=True))
    row = LedgerRow.objects.get(player=players[0])
    base = "/admin/ratings/ledgerrow/"
    assert b"ada" in staff.get(base).content
    assert staff.get(f"{base}{row.pk}/change/").status_code == 200
    for path in (f"{base}add/", f"{base}{row.pk}/delete/", f"{base}{row.pk}/change/"):
        assert staff.post(path, {"post": "yes", "change": "100"}).status_code == 403
    delete = {"action": "delete_selected", "_selected_action": row.pk, "post": "yes"}
    staff.post(base, delete)
    row.refresh_from_db()
    assert row.change == 2


@pytest.mark.parametrize("many", [1, 30])
def test_the_ledger_s_list_asks_as_often_for_one_row_as_for_thirty(
    many: int, players: tuple[User, User], django_assert_num_queries: Any
) -> None:
    """House habit 6"""
    for _ in range(many):
        lost(players)
    staff = signed_in(person("root", is_staff=True, is_superuser=True))
    staff.get("/admin/ratings/ledgerrow/")
    with django_assert_num_queries(4):
        assert staff.get("/admin/ratings/ledgerrow/").status_code == 200
