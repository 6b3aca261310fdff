"""The one way in (R4, R5): what a command leaves in the database, what falls due, who counts as there."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from matches import services, store, uptime
from matches.core.machine import Refused, Result, Settle
from matches.models import Connection, Event, Match
from players import looking
from tests.builders import MIN, Duel, S, dump, movers, person
from tests.matches.conftest import Sent

pytestmark = pytest.mark.django_db


def sweep() -> int:
    """As beat asks for it, the service being up."""
    uptime.beat()
    return services.sweep()


# The beginning


def test_a_match_begins_with_two_seats_and_one_event() -> None:
    duel = Duel(public=False)
    row = duel.row
    assert [seat.player for seat in row.seats.all()] == list(duel.players)
    assert (duel.kinds, row.version, row.status, row.public) == (["created"], 1, "choosing", False)
    assert row.secrets == [None, None]


def test_who_moves_first_is_drawn() -> None:
    """R4.1"""
    players = person("ada"), person("bob")
    assert {Duel(players=players, first=None).state.first for _ in range(40)} == {0, 1}


def test_a_match_keeps_the_sites_times_of_its_beginning(settings: Any) -> None:
    """Terms never change once a match exists."""
    settings.GRACE_SECONDS = 7
    duel = Duel()
    settings.GRACE_SECONDS = 99
    assert duel.state.limits.grace_ms == 7 * S
    assert duel.due.at == duel.state.at + 7 * S


# Commands


def test_versions_count_what_happened_one_by_one() -> None:
    duel = Duel().start()
    for seat, _ in zip(movers(duel), range(5), strict=False):
        duel.guess(seat)
    duel.end()
    assert duel.kinds == ["created", "ready", "ready", "started", *["guess"] * 5, "over"]
    numbers = list(Event.objects.filter(match_id=duel.id).values_list("version", flat=True))
    assert numbers == list(range(1, duel.row.version + 1))


def test_an_accepted_command_answers_with_its_own_version() -> None:
    """Though more has come of it: the second secret starts play, a good guess ends it."""
    duel = Duel()
    assert [duel.commit(0).version, duel.commit(1).version] == [2, 3]
    done = duel.guess(0, duel.secret(1))
    assert (done.version, done.state.version) == (5, 6)
    assert done.telling is not None
    assert done.telling.kind == "guess"


REFUSED = {
    "out_of_turn": (1, "guess", {"code": "24680"}, "out_of_turn"),
    "an_old_number": (0, "guess", {"code": "24680", "n": 1}, "out_of_turn"),
    "a_number_ahead": (0, "guess", {"code": "24680", "n": 3}, "out_of_turn"),
    "too_short": (0, "guess", {"code": "2468"}, "bad_code"),
    "no_digits": (0, "guess", {"code": "²4680"}, "bad_code"),
    "a_second_secret": (0, "secret", {"code": "24680"}, "already_ready"),
    "nothing_to_confirm": (0, "confirm", {}, "not_playing"),
    "a_rematch_now": (0, "rematch", {}, "not_over"),
    "no_phrase": (0, "say", {"phrase": 7}, "invalid"),
}


@pytest.mark.parametrize(("seat", "verb", "fields", "refusal"), REFUSED.values(), ids=REFUSED)
def test_a_refused_command_changes_nothing(
    seat: int, verb: str, fields: dict[str, Any], refusal: str
) -> None:
    """R4.4, R1.2, D5"""
    duel = Duel().start()
    duel.guess(0)
    duel.guess(1)
    before = dump()
    assert duel.refused(seat, verb, **fields) == refusal
    assert dump() == before


@pytest.mark.parametrize(
    ("verb", "fields"),
    [("secret", {"code": "24680"}), ("confirm", {}), ("guess", {"code": "24680"}), ("resign", {})],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_whatever_comes_after_the_end_is_refused(verb: str, fields: dict[str, Any], seat: int) -> None:
    """R5"""
    duel = Duel().start().end()
    before = dump()
    assert duel.refused(seat, verb, **fields) == "match_over"
    assert dump() == before


@pytest.mark.parametrize("seat", [0, 1])
def test_who_names_the_secret_wins_at_once(seat: int) -> None:
    """R5 `broken`, R4.7: the other gets no reply move, and guesses decide nothing by their number."""
    duel = Duel().start()
    duel.guess(0)
    if seat == 0:
        duel.guess(1)
    duel.guess(seat, duel.secret(1 - seat))
    assert duel.ending == ("win", seat, "broken")
    row = duel.row
    assert (row.status, row.outcome, row.winner, row.reason) == ("over", "win", seat, "broken")
    assert row.deadline_at is None
    assert row.ended_at == store.instant(duel.state.at)


def test_codes_with_a_zero_in_front_stay_what_they_are() -> None:
    """D3, R1.1"""
    duel = Duel().start("00417", "90718")
    duel.guess(0)
    assert duel.row.secrets[0][0] == "00417"
    assert duel.refused(1, "guess", code="417") == "bad_code"
    assert duel.guess(1, "00417").state.seats[1].guesses[0].code == "00417"
    assert duel.ending == ("win", 1, "broken")


@pytest.mark.parametrize("code", ["00000", "12345", "11111", "99999"])
def test_nothing_is_refused_for_being_easy(code: str) -> None:
    """R1.3"""
    assert Duel().start(code, code).state.status == "playing"


def test_a_salt_is_new_for_every_secret() -> None:
    """The commitment says nothing of the code: 16 bytes of chance go before it."""
    players = person("ada"), person("bob")
    duels = [Duel(players=players).start("12345", "12345") for _ in range(3)]
    salts = [salt for duel in duels for _, salt in duel.row.secrets]
    assert len(set(salts)) == len(salts)
    assert {len(bytes.fromhex(salt)) for salt in salts} == {16}


# A repeated ref


def test_a_repeated_ref_gets_the_first_answer_and_nothing_more_happens() -> None:
    """The same guess twice is one guess (D5)."""
    duel = Duel().start()
    first = duel.guess(0, ref="a1")
    duel.guess(1, ref="a1")
    before = dump()
    again = duel.guess(0, "13579", ref="a1")
    assert (again.version, again.telling) == (first.version, first.telling)
    assert dump() == before


def test_a_repeated_ref_of_a_refused_command_is_refused_again() -> None:
    """Also when it would by now be lawful."""
    duel = Duel().start()
    assert duel.refused(1, "guess", code="24680", ref="a1") == "out_of_turn"
    duel.guess(0)
    assert duel.refused(1, "guess", code="24680", ref="a1") == "out_of_turn"
    assert duel.refused(1, "guess", code="24680", ref="a2") is None


def test_a_ref_of_one_seat_is_not_the_others() -> None:
    duel = Duel().start()
    duel.guess(0, "13579", ref="a1")
    duel.guess(1, "24680", ref="a1")
    assert [len(seat.guesses) for seat in duel.state.seats] == [1, 1]


def test_a_refused_ref_is_all_that_a_refusal_writes() -> None:
    duel = Duel().start()
    state, kinds = duel.state, duel.kinds
    duel.refused(1, "guess", code="24680", ref="a1")
    assert (duel.state, duel.kinds) == (state, kinds)


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(150), id="upwards"),
        pytest.param(range(150, 0, -1), id="downwards"),
    ],
)
def test_the_latest_hundred_refusals_are_remembered_and_every_acceptance(numbers: range) -> None:
    """As docs/decisions.md promises, in whatever order the refs sort."""
    duel = Duel().start()
    duel.guess(0, ref="good")
    for number in numbers:
        assert duel.refused(0, "guess", code="24680", ref=f"ref-{number:03d}") == "out_of_turn"
    kept = {ref for ref, _ in duel.row.answers[0]}
    assert "good" in kept
    assert {f"ref-{number:03d}" for number in list(numbers)[-100:]} <= kept
    assert len(kept) < 110


# What is due


def choosing(preset: str = "duel", *there: int) -> Duel:
    return Duel(preset).arrive(*there)


def half_ready() -> Duel:
    duel = Duel().arrive(0, 1)
    duel.commit(0)
    return duel


def confirming(*confirmed: int) -> Duel:
    duel = Duel("classic")
    for seat in (0, 1):
        duel.commit(seat)
    for seat in confirmed:
        duel.do(seat, "confirm")
    return duel


DUE: dict[str, tuple[Callable[[], Duel], tuple[str, int | None, str]]] = {
    "a budget": (lambda: Duel().arrive(0, 1).start(), ("win", 1, "time")),
    "a move": (lambda: Duel("classic").start(), ("win", 1, "time")),
    "choosing alone": (half_ready, ("win", 0, "time")),
    "both choosing": (lambda: choosing("duel", 0, 1), ("void", None, "unplayed")),
    "both choosing, probe": (lambda: choosing("probe", 0, 1), ("draw", None, "unplayed")),
    "a grace": (lambda: Duel().arrive(0).start(), ("win", 0, "forfeit")),
    "a grace, other": (lambda: Duel().arrive(1).start(), ("win", 1, "forfeit")),
    "a grace while choosing": (lambda: choosing("duel", 1), ("win", 1, "forfeit")),
    "nobody came": (choosing, ("void", None, "unplayed")),
    "nobody came, probe": (lambda: choosing("probe"), ("draw", None, "unplayed")),
    "never chosen": (lambda: choosing("classic"), ("void", None, "unconfirmed")),
    "never confirmed": (confirming, ("void", None, "unconfirmed")),
    "one confirmed": (lambda: confirming(1), ("void", None, "unconfirmed")),
}
whatever_is_due = pytest.mark.parametrize(("made", "ending"), DUE.values(), ids=[*DUE])


@whatever_is_due
def test_a_sweep_decides_at_the_instant_that_was_due_and_once(
    made: Callable[[], Duel], ending: tuple[str, int | None, str]
) -> None:
    """R5, R4.6, D7, D9, D15"""
    duel = made().wait_for_due(5 * S)
    due = duel.due
    assert sweep() == 1
    assert duel.ending == ending
    assert duel.state.result == Result(due.outcome, due.winner, due.reason, due.at)
    assert duel.row.ended_at == store.instant(due.at)
    after = dump()
    assert [sweep(), sweep()] == [0, 0]
    services.act(duel.id, Settle())
    assert dump() == after
    assert duel.kinds.count("over") == 1


@whatever_is_due
def test_a_sweep_leaves_alone_what_is_not_due(made: Callable[[], Duel], ending: object) -> None:
    duel = made().wait_for_due(-5 * S)
    before = dump()
    assert sweep() == 0
    services.act(duel.id, Settle())
    assert dump() == before


@whatever_is_due
@pytest.mark.parametrize(("verb", "fields"), [("guess", {"code": "31650"}), ("resign", {}), ("confirm", {})])
def test_a_command_that_comes_too_late_finds_the_match_decided(
    made: Callable[[], Duel], ending: tuple[str, int | None, str], verb: str, fields: dict[str, Any]
) -> None:
    """R4.6: what was due stands, though the command that found it is refused."""
    duel = made().wait_for_due(S)
    due = duel.due
    assert duel.refused(0, verb, **fields) == "match_over"
    assert duel.ending == ending
    assert duel.state.result is not None
    assert duel.state.result.at == due.at
    assert sweep() == 0


def test_a_claimed_flag_that_has_not_fallen_is_no_fault() -> None:
    """docs/decisions.md"""
    duel = Duel().start()
    before = dump()
    assert duel.refused(0, "flag") is None
    assert dump() == before


def test_a_claimed_flag_that_has_fallen_ends_the_match() -> None:
    """R4.6"""
    duel = Duel("classic").start().wait_for_due(1)
    assert duel.do(1, "flag").state.status == "over"
    assert duel.ending == ("win", 1, "time")


def test_only_the_movers_clock_runs_and_what_is_left_carries_over() -> None:
    """R4.5, D8 (c): ready at 10 s and at 40 s, then only the mover's falls."""
    duel = Duel().arrive(0, 1).wait(10 * S)
    duel.commit(0)
    duel.wait(30 * S)
    duel.commit(1)
    duel.wait(7 * S)
    duel.guess(0)
    duel.wait(5 * S)
    duel.guess(1)
    left = duel.state.clocks.left
    for seat, spent in enumerate([17 * S, 45 * S]):
        assert 5 * MIN - spent - S < left[seat] <= 5 * MIN - spent


def test_a_move_clock_is_full_for_every_move() -> None:
    """R4.5"""
    duel = Duel("classic").start().wait(100 * S)
    duel.guess(0)
    assert duel.state.clocks.left == (2 * MIN, 2 * MIN)


def test_one_match_that_cannot_be_settled_does_not_hold_up_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    players = person("ada"), person("bob")
    broken, sound = (Duel("classic", players=players).start().wait_for_due(S) for _ in range(2))
    Match.objects.filter(pk=broken.id).update(state={})
    assert sweep() == 2
    assert sound.ending == ("win", 1, "time")
    assert [record.__dict__.get("match") for record in caplog.records if record.levelname == "ERROR"] == [
        broken.id
    ]
    for seat in (0, 1):
        assert sound.secret(seat) not in caplog.text


# Who is there


def connections(duel: Duel) -> int:
    return Connection.objects.filter(match_id=duel.id).count()


def away(duel: Duel) -> list[bool]:
    return [not seat.connected for seat in duel.state.seats]


def test_a_seat_is_there_while_any_of_its_sockets_is_open() -> None:
    """R5.3, D10: closing one of two tabs, and in any order."""
    duel = Duel()
    for name in ("one", "two"):
        services.connect(duel.id, 0, name)
    assert away(duel) == [False, True]
    services.disconnect(duel.id, 0, "one")
    assert away(duel) == [False, True]
    services.disconnect(duel.id, 0, "two")
    assert away(duel) == [True, True]
    assert connections(duel) == 0


def test_a_reload_whose_old_socket_closes_late_starts_no_grace() -> None:
    """D10: five times."""
    duel = Duel().arrive(1).start()
    services.connect(duel.id, 0, "0")
    for number in range(5):
        services.connect(duel.id, 0, str(number + 1))
        services.disconnect(duel.id, 0, str(number))
    assert away(duel) == [False, False]
    duel.wait(65 * S)
    assert sweep() == 0


def test_the_last_sign_of_life_is_the_closing_of_the_last_socket() -> None:
    """R5.3, D11: the other's clock and the other's grace are their own."""
    duel = Duel().arrive(0, 1).start()
    duel.wait(30 * S)
    services.disconnect(duel.id, 1, str(Connection.objects.get(match_id=duel.id, seat=1).pk))
    assert (duel.due.at - duel.state.seats[1].seen_at, duel.due.reason) == (MIN, "forfeit")
    assert store.now_ms() - duel.state.seats[1].seen_at < 5 * S


def test_a_return_ends_the_grace_and_an_old_one_never_strikes() -> None:
    """D11: away at 0, back at 59, away at 61: no forfeit before 121."""
    duel = Duel().arrive(0).start().wait(59 * S)
    services.connect(duel.id, 1, "back")
    duel.wait(2 * S)
    services.disconnect(duel.id, 1, "back")
    duel.wait(55 * S)
    assert sweep() == 0
    duel.wait(10 * S)
    assert sweep() == 1
    assert duel.ending == ("win", 0, "forfeit")


def test_who_comes_back_too_late_finds_the_match_decided() -> None:
    """R5.3, D11"""
    duel = Duel().arrive(0).start().wait_for_due(S)
    due = duel.due
    services.connect(duel.id, 1, "late")
    assert duel.ending == ("win", 0, "forfeit")
    assert duel.state.result is not None
    assert duel.state.result.at == due.at


def test_presence_has_no_version_and_no_event() -> None:
    """docs/decisions.md"""
    duel = Duel()
    services.connect(duel.id, 0, "one")
    services.disconnect(duel.id, 0, "one")
    assert (duel.row.version, duel.kinds) == (1, ["created"])


def test_a_goodbye_nobody_could_write_is_written_later_and_a_socket_that_opens_meanwhile_stays() -> None:
    """R5.3, D10: the first is known by having a row and no socket; the second has opened after the look for sockets."""
    duel = Duel()
    services.connect(duel.id, 0, "ghost")

    def look() -> set[str]:
        found: set[str] = set()
        services.connect(duel.id, 1, "new")
        return found

    services.close_ghosts(look)
    assert set(Connection.objects.values_list("pk", flat=True)) == {"new"}
    assert away(duel) == [True, False]


def test_a_connection_closed_twice_is_closed() -> None:
    duel = Duel()
    services.connect(duel.id, 0, "one")
    for _ in range(2):
        services.disconnect(duel.id, 0, "one")
    assert away(duel) == [True, True]


def start_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is gone without a word; another takes its place, and knows that it is alone."""
    monkeypatch.setattr(uptime, "_known", type(uptime._known)())
    uptime.beat()
    uptime.outlive_others()


def test_after_a_start_no_socket_of_before_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """R5.3, R5.4: whoever was there is away from now on, with a full grace, and may come back."""
    duel = Duel().arrive(0, 0, 1).start().wait(50 * S)
    others = Duel(players=duel.players).arrive(1)
    start_anew(monkeypatch)
    services.sweep()
    assert (away(duel), away(others)) == ([True, True], [True, True])
    assert not Connection.objects.exists()
    assert duel.due.reason == "forfeit"
    assert 55 * S < duel.due.at - store.now_ms() <= 60 * S
    before = dump()
    services.sweep()
    assert dump() == before
    services.connect(duel.id, 0, "again")
    assert away(duel) == [False, True]


def test_a_socket_of_a_living_process_stays_open_when_another_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """R5.3: presence is tied to a process that is known to be alive."""
    duel = Duel().arrive(0)
    start_anew(monkeypatch)
    duel.arrive(1)
    services.sweep()
    assert away(duel) == [True, False]


# After the commit, tell


def test_what_is_rolled_back_is_told_to_nobody(sent: Sent, transactional_db: None) -> None:
    """D21, house habit 5"""
    duel = Duel().start()
    sent.clear()
    before = dump()

    def guess_and_fail() -> None:
        with transaction.atomic():
            duel.guess(0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        guess_and_fail()
    assert (dump(), sent) == (before, [])
    duel.guess(0)
    assert len(sent) == 1


def test_a_refusal_is_told_to_nobody_but_what_was_due_is(sent: Sent, transactional_db: None) -> None:
    """R4.6"""
    duel = Duel("classic").start()
    sent.clear()
    duel.refused(1, "guess", code="24680", ref="a1")
    versions = [version for _, message in sent for version, _ in message["frames"] or []]
    assert versions == []
    duel.wait_for_due(1)
    sent.clear()
    with pytest.raises(Refused):
        duel.guess(0)
    assert len(sent) == 1


def test_a_layer_that_fails_takes_no_command_back(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What is lost in telling is made good by asking again."""

    def fail(*_: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(looking, "get_channel_layer", fail)
    duel = Duel().start()
    assert duel.refused(0, "guess", code="24680") is None
    assert duel.row.version == 5
