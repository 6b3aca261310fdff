"""A finished match, step by step (issue 4): every step as it stood, and nothing of one that is not over (R5.5)."""

from typing import Any

import pytest

from matches.core.clock import Pair
from matches.core.machine import (
    SEATS,
    Confirm,
    Created,
    CreditOutage,
    Numbered,
    PlayGuess,
    Resign,
    Say,
    create,
    replay,
    trail,
)
from matches.core.sight import SPECTATOR, Moment, look_back, see
from tests.matches.core.builders import EPOCH, MIN, Match, S, offer, playing

VIEWERS = (0, 1, SPECTATOR)
KINDS = [("duel", {}), ("duel", {"feedback": "totals"}), ("probe", {}), ("classic", {})]
on = pytest.mark.parametrize(("preset", "asked"), KINDS)


def kept(match: Match) -> list[tuple[Numbered, Pair]]:
    """The numbered events, each with the clocks right after it, as the rows keep them."""
    created = match.events[0]
    assert isinstance(created, Created)
    start = create(created)
    rows: list[tuple[Numbered, Pair]] = [(created, start.clocks.left)]
    for event, after in trail(start, match.events[1:]):
        if isinstance(event, Numbered):
            rows.append((event, after.clocks.left_at(event.at)))
    return rows


def told_to_the_end(preset: str, asked: dict[str, Any]) -> Match:
    match = Match(preset, length=5, **asked)
    match.commit(0, at=S)
    match.do(Say(1, 2), 2 * S)
    match.commit(1, at=3 * S)
    if match.state.status == "confirming":
        match.do(Confirm(1), 4 * S)
        match.do(Confirm(0), 5 * S)
    for n, code in enumerate(("24680", "13579", "03156")):
        match.guess(n % 2, at=(10 + n) * S, code=code)
    match.do(Resign(1), 20 * S)
    match.do(offer(0), 21 * S)
    match.do(offer(1), 22 * S)
    return match


def walked(match: Match, viewer: int | None) -> list[Moment]:
    events = kept(match)
    moments = [look_back(events, version, viewer) for version in range(1, len(events) + 1)]
    return [moment for moment in moments if moment is not None]


@on
def test_every_step_shows_the_match_as_a_viewer_saw_it_then(preset: str, asked: dict[str, Any]) -> None:
    """Boards, turn, readiness and result: those of the state that the events up to there lead to."""
    match = told_to_the_end(preset, asked)
    events = kept(match)
    for viewer in VIEWERS:
        for moment in walked(match, viewer):
            version = moment.sight.version
            then = replay(event for event, _ in events[:version])
            seen = see(then, viewer, then.at)
            assert (moment.sight.status, moment.sight.turn) == (seen.status, seen.turn)
            assert moment.sight.result == seen.result
            for seat in SEATS:
                assert moment.sight.seats[seat].guesses == seen.seats[seat].guesses
                assert moment.sight.seats[seat].ready == seen.seats[seat].ready


@on
def test_talk_and_what_comes_after_the_end_are_no_steps(preset: str, asked: dict[str, Any]) -> None:
    moments = walked(told_to_the_end(preset, asked), SPECTATOR)
    confirmed = ["confirmed"] * 2 if preset == "classic" else []
    assert [moment.kind for moment in moments] == [
        "created", "ready", "ready", *confirmed, "started", "guess", "guess", "guess", "over"
    ]  # fmt: skip
    for moment in moments:
        assert moment.steps == tuple(each.sight.version for each in moments)


def test_both_numbers_are_shown_from_when_they_were_chosen() -> None:
    """R5.5: known to everybody once it is over."""
    match = told_to_the_end("duel", {})
    for viewer in VIEWERS:
        shown = [[seat.secret for seat in moment.sight.seats] for moment in walked(match, viewer)]
        own, other = match.secret(0), match.secret(1)
        assert shown[:3] == [[None, None], [own, None], [own, other]]
        assert all(pair == [own, other] for pair in shown[2:])


@on
def test_nothing_is_shown_of_a_match_that_is_not_over(preset: str, asked: dict[str, Any]) -> None:
    """R4.8: whoever asks, for whatever step."""
    match = playing(preset, **asked)
    match.guess(0, at=S)
    events = kept(match)
    for viewer in VIEWERS:
        assert [look_back(events, version, viewer) for version in range(len(events) + 2)] == [None] * (
            len(events) + 2
        )


@pytest.mark.parametrize("version", [-1, 0, 3, 11, 12, 13, 10**30])
def test_what_was_no_step_is_none(version: int) -> None:
    """Before the first, after the last, a phrase, an offer."""
    assert look_back(kept(told_to_the_end("duel", {})), version, SPECTATOR) is None


def test_the_clocks_are_those_that_were_kept_with_the_event() -> None:
    """R5.4: an outage given back is no event, so folding alone would charge it."""
    match = playing("duel")
    match.do(PlayGuess(0, "2468"), 10 * S)
    match.do(CreditOutage(MIN), 2 * MIN)
    match.do(PlayGuess(1, "2468"), 2 * MIN + 5 * S)
    match.do(Resign(0), 2 * MIN + 6 * S)
    events = kept(match)
    for version, (_, clocks) in enumerate(events, start=1):
        moment = look_back(events, version, 0)
        assert moment is not None
        assert tuple(seat.clock_ms for seat in moment.sight.seats) == clocks
    last = look_back(events, len(events), 0)
    assert last is not None
    assert last.sight.seats[1].clock_ms == 5 * MIN - (2 * MIN + 5 * S - 10 * S - MIN)


@pytest.mark.parametrize(("preset", "asked"), [("duel", {"feedback": "totals"}), ("classic", {})])
def test_looking_back_tells_no_places_under_totals(preset: str, asked: dict[str, Any]) -> None:
    """R3.4: not even when both numbers are known."""
    for moment in walked(told_to_the_end(preset, asked), 0):
        assert all(guess.marks is None for seat in moment.sight.seats for guess in seat.guesses)


def test_nobody_is_away_in_what_is_past() -> None:
    match = told_to_the_end("duel", {})
    assert all(seat.forfeits_at is None for moment in walked(match, 0) for seat in moment.sight.seats)
    assert walked(match, 0)[0].sight.server_time == EPOCH
