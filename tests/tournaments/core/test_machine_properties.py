"""What holds of every tournament, whoever wins, stays away or withdraws: every size, thousands of them, seeded (R8)."""

from collections import Counter
from random import Random

import pytest

from tests.tournaments.core.test_machine import DRAW, FIRST_WON, NO_SHOW, PAUSE, SECOND_WON, START, VOID
from tournaments.core.machine import (
    Decided,
    DrawRound,
    Ending,
    Enter,
    Event,
    Fall,
    Finished,
    Leave,
    RoundDrawn,
    Start,
    State,
    Status,
    TakeEnding,
    Why,
    create,
    fold,
    step,
)

SIZES = range(51)
RUNS = 60

ENDINGS = (
    *[FIRST_WON, SECOND_WON] * 8,
    Ending("void", None, (True, False)),
    Ending("void", None, (False, True)),
    NO_SHOW,
    VOID,
    DRAW,
    Ending("void", None, by_moderator=True),
    Ending("win", 0, by_moderator=True),
)


class Run:
    """One tournament played out: all that happened, and the state before each round."""

    def __init__(self, size: int, seed: int) -> None:
        self.chance = Random(f"{size} {seed}")
        self.gentle = seed % 3 == 0  # nothing but wins: then there must be a champion
        self.fickle = self.chance.choice((0.05, 0.1, 0.5))  # how often somebody withdraws
        self.events: list[Event] = []
        self.drawn: list[tuple[State, RoundDrawn]] = []
        self.now = START
        self.created = self.state = create(START, 50, PAUSE)
        for entrant in range(size):
            self.do(Enter(entrant))
        for entrant in range(size):
            if not self.gentle and self.chance.random() < 0.05:
                self.do(Leave(entrant))
        self.began_with = self.state.entrants
        self.do(Start(self.chance.getrandbits(63)))
        while self.state.status is Status.RUNNING:
            self.play_round()

    def do(self, command: Enter | Leave | Start | DrawRound | TakeEnding) -> None:
        """Now and then the process dies before it has kept what it has decided: what was kept tells the next."""
        before = self.state
        if self.chance.random() < 0.05:
            step(before, command, self.now)
            before = fold(self.created, self.events)
            assert before == self.state
        self.state, events = step(before, command, self.now)
        check_verdict(before, command, events)
        self.events += events
        self.drawn += [(before, event) for event in events if isinstance(event, RoundDrawn)]
        assert fold(before, events) == self.state

    def play_round(self) -> None:
        waiting = list(range(len(self.state.round)))
        self.chance.shuffle(waiting)
        for index in waiting:
            while self.state.status is Status.RUNNING and not self.state.round[index].decided:
                self.withdraw_sometimes()
                self.now += self.chance.randrange(1000)
                self.do(TakeEnding(index, self.ending(), self.now))
                if self.chance.random() < 0.1 and self.state.status is Status.RUNNING:  # heard twice
                    self.do(TakeEnding(index, self.ending(), self.now))
        self.withdraw_sometimes()
        if self.state.status is Status.RUNNING:
            self.now = self.state.due_at or 0
            for _ in range(self.chance.choice((1, 3))):
                self.do(DrawRound(self.chance.getrandbits(63)))

    def ending(self) -> Ending:
        return self.chance.choice(ENDINGS[:2] if self.gentle else ENDINGS)

    def withdraw_sometimes(self) -> None:
        running = self.state.status is Status.RUNNING
        if running and not self.gentle and self.chance.random() < self.fickle:
            self.do(Leave(self.chance.choice(self.state.alive)))


def check_verdict(before: State, command: object, events: tuple[Event, ...]) -> None:
    """R8.4, once more and in other words than the machine's: who goes on by this ending, or this withdrawal."""
    decided = {event.pairing: event.through for event in events if isinstance(event, Decided)}
    if isinstance(command, TakeEnding) and not before.round[command.pairing].decided:
        pairing, ending = before.round[command.pairing], command.ending
        seats = (pairing.first, pairing.second)
        if ending.outcome == "win":
            assert decided == {command.pairing: seats[ending.winner or 0]}
        elif ending.by_moderator:
            assert decided == {}
        else:
            came = [seat for seat, showed in zip(seats, ending.showed, strict=True) if showed]
            assert decided == {command.pairing: came[0] if len(came) == 1 else None}
    elif isinstance(command, Leave) and before.status is Status.RUNNING:
        playing = {
            index: next((other for other in pairing.entrants if other != command.entrant), None)
            for index, pairing in enumerate(before.round)
            if command.entrant in pairing.entrants and not pairing.decided
        }
        assert decided == playing
    else:
        assert decided == {}


def check_rounds(run: Run) -> None:
    """R8.3: one match each, at most one against the bot, and that for one who was spared it as long as there is one."""
    for before, drawn in run.drawn:
        paired = [entrant for pairing in drawn.pairings for entrant in pairing.entrants]
        alive = before.alive
        assert sorted(paired) == sorted(alive)
        against_bot = [pairing.first for pairing in drawn.pairings if pairing.second is None]
        assert len(against_bot) == len(alive) % 2
        for entrant in against_bot:
            assert entrant not in before.met_bot or set(alive) <= before.met_bot
        assert before.due_at is not None
        assert drawn.at >= before.due_at


def check_survivors(run: Run) -> None:
    """R8.4: who goes on is one of the two, who is out stays out, and each falls once."""
    fallen = [entrant for entrant, _ in run.state.fallen]
    assert len(fallen) == len(set(fallen))
    for pairing in (pairing for drawn in run.state.rounds for pairing in drawn):
        assert pairing.decided
        assert pairing.through is None or pairing.through in pairing.entrants
    for before, drawn in run.drawn:
        assert not before.out & {entrant for pairing in drawn.pairings for entrant in pairing.entrants}


def check_end(run: Run) -> None:
    """R8.2, R8.5: too few, one champion, or none and why."""
    state = run.state
    if len(run.began_with) < 2:
        assert (state.status, state.why, state.rounds) == (Status.CANCELLED, Why.TOO_FEW, ())
        return
    finished = [event for event in run.events if isinstance(event, Finished)]
    assert len(finished) == 1
    assert (state.status, state.due_at) == (Status.OVER, None)
    assert (state.champion is None) == (state.why is not None)
    assert set(state.entrants) - state.out == ({state.champion} - {None})
    if run.gentle and all(event.fall is Fall.LOST for event in run.events if isinstance(event, Decided)):
        assert state.champion is not None


@pytest.mark.parametrize("size", SIZES)
def test_every_tournament_ends_as_the_rules_demand(size: int) -> None:
    for seed in range(RUNS):
        run = Run(size, seed)
        check_rounds(run)
        check_survivors(run)
        check_end(run)


def test_who_only_wins_and_loses_is_half_as_many_each_round() -> None:
    for size in range(2, 51):
        run = Run(size, 0)
        for (before, _), (after, _) in zip(run.drawn, run.drawn[1:], strict=False):
            assert len(after.alive) <= -(-len(before.alive) // 2)


def test_the_runs_reach_every_end_and_every_fall() -> None:
    """So that what is said above is said of all of them."""
    whys: Counter[Why | None] = Counter()
    falls: Counter[Fall] = Counter()
    for size in range(2, 9):
        for seed in range(400):
            run = Run(size, seed)
            whys[run.state.why] += 1
            falls.update(fall for _, fall in run.state.fallen)
    assert set(whys) == {None, *Why} - {Why.CALLED_OFF}
    assert set(falls) == set(Fall)
