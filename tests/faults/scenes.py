"""What tests of both shapes do to a crowd, and ask of it afterwards."""

from collections.abc import Callable, Iterable

from tests.faults import proof
from tests.faults.crowd import Crowd, Duel, Player, now_ms, wait_for
from tests.faults.proof import Outage, say
from tests.faults.stalls import slack_ms
from tests.sockets import RawSocket

LONG, SHORT = 600, 20
GRACE = 10
MENU = {"BUDGET_SECONDS": f"4,{SHORT},{LONG}", "GRACE_SECONDS": str(GRACE)}
"""What the sites offer: a clock that outlasts every test, one shorter than the longest outage as is the grace."""


def fifty_outlive(port: int, end: Callable[[], Outage]) -> tuple[Crowd, Outage]:
    """R5.4: fifty matches at every stage, and an outage of 20 s in the middle of them.

    It is longer than every grace, and longer than some clocks had left.
    """
    with Crowd(port) as crowd:
        played = crowd.seat(29, LONG)
        halved = crowd.seat(3, LONG)
        left = crowd.seat(3, LONG)
        chosen = crowd.seat(4, LONG, begun=False)  # nobody has committed
        chosen += crowd.seat(3, LONG, begun=False)
        for duel in chosen[-3:]:
            duel.players[0].begun = True
        crowd.plays(3, [*played, *halved, *left])
        pressed = crowd.seat(8, SHORT)
        crowd.plays(2, pressed)
        walk_out(left)
        for duel in halved:
            duel.players[1].returns = False  # who was there before and is not there afterwards

        outage = end()

        come_back(left, outage)
        wait_for(
            "returns", lambda: all(player.connected or not player.returns for player in crowd.players), 20
        )
        returned = proof.back(crowd, outage.ended)
        wait_for("absences", lambda: not any(duel.players[0].present[1] for duel in halved), 20)
        come_back(halved, outage)
        crowd.goes_on(outage.ended, [*played, *halved, *left, *pressed])
        took = now_ms() - outage.ended
        say(f"down {outage.ms} ms; {returned}; two guesses more everywhere after {took} ms")
        for duel in chosen:
            duel.set(begun=True)
        crowd.goes_on(outage.ended)
        judge(crowd, outage)
    return crowd, outage


def walk_out(duels: Iterable[Duel]) -> None:
    """Seat 1 leaves each of these matches, and its opponent is told."""
    gone = list(duels)
    for duel in gone:
        duel.players[1].here = False
    wait_for("absences", lambda: not any(duel.players[0].present[1] for duel in gone), 5)


def come_back(duels: Iterable[Duel], outage: Outage) -> None:
    """After an outage each absent seat has had its full grace again (R5.4); now it comes back in time."""
    for duel in duels:
        truth = duel.players[0].truth()
        assert truth["status"] != "over", f"{duel.id} ended: {truth['result']}"
        short = outage.ended + GRACE * 1000 - truth["seats"][1]["forfeits_at"]
        assert short <= proof.BEYOND_MS + slack_ms(), f"{duel.id}: its grace ends {short} ms too soon"
        duel.set(here=True, returns=True)


def judge(crowd: Crowd, outage: Outage) -> None:
    """Nothing is lost, nothing doubled, nobody charged for an outage, and every match comes to an end of its own."""
    crowd.settle()
    proof.require(proof.nothing_lost(crowd), proof.presence_untold(crowd), proof.overcharged(crowd, outage))
    crowd.finish()
    own = proof.ended_otherwise(crowd, "broken", "resigned")
    proof.require(proof.nothing_lost(crowd), own, proof.hung(crowd))


def open_line(player: Player) -> RawSocket:
    """A line of this player's that the test reads itself, or does not."""
    return _open(player, "/ws/v1/matches")


def open_page(player: Player) -> RawSocket:
    """The line of a match page of this player's."""
    return _open(player, "/ws/matches")


def _open(player: Player, where: str) -> RawSocket:
    line = RawSocket(player.port, f"{where}/{player.match}/", player.headers)
    assert line.status == 101
    line.receive_json()
    return line


deaf_line = open_line
"""Nobody reads it any more: no ping is answered, no goodbye heard."""
