"""What must hold of a crowd after whatever was done to its site. Every judge answers with what is wrong, all of it."""

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass

from tests.faults.crowd import Crowd, Duel, Json, Player, now_ms
from tests.faults.stalls import slack_ms

say = logging.getLogger("faults").info
"""Figures for people to read: `make test ARGS="tests/faults -rP --log-level=INFO"`."""

BEYOND_MS = 1000
"""What an outage may cost a running clock: the last heartbeat is up to a second old when it begins."""
TOLD_MS = 2000
"""How soon everybody knows everything, whatever was lost on the way."""
NOTICE_MS = 300
"""Between the moment the site is up again and the moment the test sees that it is."""


@dataclass(frozen=True, slots=True)
class Outage:
    """When (ms) the site was ended or frozen, and when it could be played on again."""

    began: int
    ended: int

    @property
    def ms(self) -> int:
        return self.ended - self.began

    def within(self, since: int, until: int) -> int:
        """How much of it lies in that time."""
        return max(0, min(until, self.ended) - max(since, self.began))


@dataclass(frozen=True, slots=True)
class Told:
    """What the clocks of a match stood at (ms) by the site's own time (ms)."""

    at: int
    clocks: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Charge:
    """What one match's running clock was charged (ms) over a time in which the site was up for `up` (ms)."""

    match: str
    charged: int
    up: int

    @property
    def beyond(self) -> int:
        return self.charged - self.up


def require(*verdicts: list[str]) -> None:
    """Fail with what the judges have found, as far as anybody wants to read it."""
    found = [fault for verdict in verdicts for fault in verdict]
    assert not found, f"{len(found)} faults:\n" + "\n".join(found[:20])


def nothing_lost(crowd: Crowd) -> list[str]:
    """Of a crowd that has settled: every acknowledged guess stands once, every event was told once, in order."""
    return [fault for duel in crowd.duels for fault in _faults(duel)]


def _faults(duel: Duel) -> Iterator[str]:
    first, second = duel
    truth, seen = first.truth(), second.truth()
    if [seat["guesses"] for seat in truth["seats"]] != [seat["guesses"] for seat in seen["seats"]]:
        yield f"{duel.id}: its players are shown different boards"
    yield from _boards(duel, truth)
    for player in duel:
        yield from _line(player, truth)
        yield from _acknowledged(player, truth)
        for refusal in player.refusals:
            yield f"{player.name}: refused: {refusal}"
    theirs = {heard.frame["version"]: heard.frame for heard in second.events}
    for heard in first.events:
        if theirs.get(heard.frame["version"], heard.frame) != heard.frame:
            yield f"{duel.id}: version {heard.frame['version']} was told in two ways"


def _boards(duel: Duel, truth: Json) -> Iterator[str]:
    """Turns alternate from the first mover on, no code stands twice, and the numbers have no gap."""
    boards = [seat["guesses"] for seat in truth["seats"]]
    leads, follows = boards[truth["first"]], boards[1 - truth["first"]]
    if len(leads) - len(follows) not in (0, 1):
        yield f"{duel.id}: {len(leads)} guesses against {len(follows)}"
    instants = [guess["at"] for pair in zip(leads, [*follows, None], strict=False) for guess in pair if guess]
    if instants != sorted(instants):
        yield f"{duel.id}: guesses out of turn"
    for seat, board in enumerate(boards):
        if [guess["n"] for guess in board] != list(range(1, len(board) + 1)):
            yield f"{duel.id}/{seat}: guesses numbered {[guess['n'] for guess in board]}"
        if len({guess["code"] for guess in board}) != len(board):
            yield f"{duel.id}/{seat}: a guess stands twice"


def _line(player: Player, truth: Json) -> Iterator[str]:
    """From the first look on, each version once and none left out, over however many lines."""
    looks = [heard for heard in player.heard if heard.frame["type"] == "match"]
    if len(looks) != 1:
        yield f"{player.name}: began anew {len(looks) - 1} times"
        return
    versions = [heard.frame["version"] for heard in player.events]
    base = looks[0].frame["match"]["version"]
    if versions != list(range(base + 1, base + 1 + len(versions))):
        yield f"{player.name}: told {versions} after {base}"
    if player.connected and player.version != truth["version"]:
        yield f"{player.name}: has come to {player.version} of {truth['version']}"
    boards = [seat["guesses"] for seat in truth["seats"]]
    for heard in player.events:
        frame = heard.frame
        if frame["event"] == "guess" and frame["guess"] not in boards[frame["seat"]]:
            yield f"{player.name}: was told of {frame['guess']}, which does not stand"


def _acknowledged(player: Player, truth: Json) -> Iterator[str]:
    board = truth["seats"][player.seat]["guesses"]
    told = {heard.frame["version"]: heard.frame for heard in player.events}
    for asked in player.guesses:
        answer = asked.answer
        assert answer is not None  # it was accepted
        guess = answer["guess"]
        if board.count(guess) != 1 or guess["code"] != asked.frame["code"] or guess["n"] != asked.frame["n"]:
            yield f"{player.name}: {answer} answers {asked.frame}, and the board has {board}"
        elif told.get(answer["version"], {}).get("guess") != guess:
            yield f"{player.name}: {answer} was told as {told.get(answer['version'])}"


def presence_untold(crowd: Crowd) -> list[str]:
    """Players who, two seconds after all has come to rest, believe otherwise than the site of who is there."""
    end = now_ms() + TOLD_MS + slack_ms()
    while (found := [fault for duel in crowd.duels for fault in _presence(duel)]) and now_ms() < end:
        time.sleep(0.2)
    return found


def _presence(duel: Duel) -> Iterator[str]:
    there = [seat["connected"] for seat in duel.players[0].truth()["seats"]]
    for player in duel:
        if player.connected and not player.over and player.present != there:
            yield f"{player.name}: believes {player.present} to be there, and {there} are"


def hung(crowd: Crowd) -> list[str]:
    """Commands that a living line did not answer."""
    return [
        f"{player.name}: hung" for player in crowd.players for ended in player.ended if ended.why == "hung"
    ]


def cut_off(crowd: Crowd, outage: Outage, why: int | None) -> list[str]:
    """Lines open when an outage began that it ended otherwise than so, and lines that ended for no reason."""
    found = []
    for player in crowd.players:
        ends = [ended for ended in player.ended if ended.why != "left"]
        if len(ends) > 1 or any(ended.why != why or ended.at < outage.began for ended in ends):
            found.append(f"{player.name}: its lines ended by {[ended.why for ended in ends]}")
    return found


def ended_otherwise(crowd: Crowd, *reasons: str) -> list[str]:
    """Matches that are over for another reason than these."""
    ends = [(duel.id, duel.over) for duel in crowd.duels]
    return [
        f"{match}: {end['result']}, told at {end['server_time']}"
        for match, end in ends
        if end and end["result"]["reason"] not in reasons
    ]


def charges(duel: Duel, outage: Outage) -> list[Charge]:
    """What the running clock was charged from just before an outage to every moment after it that was told.

    While a match is played exactly one clock runs, so that the sum of both falls with the time; while both choose, both
    run. Clocks are taken with the site's own `server_time`: missed events are told late.
    """
    told = _told(duel)
    before = [each for each in told if each.at <= outage.began]
    after = [each for each in told if each.at >= outage.ended]
    if not before or not after:
        return []
    last, found = before[-1], []
    playing = duel.begins is not None and duel.begins <= last.at
    running = 1 if playing else 2 - sum(_ready_by(player, last.at) for player in duel)
    for then in after if playing else after[:1]:
        down = outage.within(last.at, then.at)
        charged = (sum(last.clocks) - sum(then.clocks)) // running
        found.append(Charge(duel.id, charged, then.at - last.at - down))
    return found


def _ready_by(player: Player, ms: int) -> bool:
    return any(
        heard.frame["event"] == "ready"
        and heard.frame["seat"] == player.seat
        and heard.frame["server_time"] <= ms
        for heard in player.events
    )


def _told(duel: Duel) -> list[Told]:
    """All that either player was told of the clocks while the match was on, in the order of the site's time."""
    end = duel.over["server_time"] if duel.over else now_ms() + 1000
    told = {
        (heard.frame["server_time"], *heard.frame["clocks"])
        for player in duel
        for heard in list(player.heard)
        if "clocks" in heard.frame and heard.frame["server_time"] < end
    }
    return [Told(at, (first, second)) for at, first, second in sorted(told)]


def overcharged(crowd: Crowd, outage: Outage) -> list[str]:
    """Matches whose running clock was charged more than a second for an outage, or given back much more than there was.

    Where nothing was down, clocks went on, and exactly so.
    """
    notice = NOTICE_MS + slack_ms()
    least, most = (-2 * BEYOND_MS, BEYOND_MS + notice) if outage.ms else (-notice, notice)
    found = [charge for duel in crowd.duels for charge in charges(duel, outage)]
    told = {charge.match for charge in found}
    untold = [f"{duel.id}: told no clock" for duel in crowd.duels if duel.id not in told and not duel.over]
    beyond = [charge.beyond for charge in found]
    say(f"charged beyond the time up: {min(beyond)} to {max(beyond)} ms in {len(told)} matches")
    return untold + [
        f"{charge.match}: charged {charge.charged} ms in {charge.up} ms up"
        for charge in found
        if not least <= charge.beyond <= most
    ]


def back(crowd: Crowd, ready: int) -> str:
    """How long after `ready` (ms) the players' new lines were open: for people to read."""
    took = sorted(
        min(opened for opened in player.opened if opened >= ready) - ready
        for player in crowd.players
        if any(opened >= ready for opened in player.opened)
    )
    return (
        f"{len(took)} lines open again: half after {took[len(took) // 2]}, all after {took[-1]} ms"
        if took
        else ""
    )
