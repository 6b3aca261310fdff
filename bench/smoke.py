"""A minute's look whether a guess has become dearer: what it costs in echoes, against the figure kept here.

Both are counted in CPU time, in turns, in the same minute: however busy the machine is, it is so for both. What is
found dearer is measured once more before it is believed. `--keep` writes the figure down, for a change that is meant
to cost more.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.run import API, ECHO_SOCKETS, measured, say  # after the path
from bench.sites import PLAYED, Generator, echo, embedded

KEPT = Path(__file__).with_name("kept.json")
WORSE = 1.3
MATCHES, GUESSES, ROUNDS = 25, 8, 5
ECHOES = 10
REST_SECONDS = 4


def ratio() -> float:
    """The median over some rounds, each of echoes and then of guesses; 0 if in one of them nothing was measured."""
    found: list[float] = []
    with embedded() as shape, echo(shape) as bare, Generator(None) as players, Generator(None) as voices:
        seated = shape.seat(MATCHES, PLAYED)
        matches = [(key, tokens) for key, _, tokens in seated]
        players.do("open", port=shape.port, path=API, matches=matches)
        players.do("begin", firsts={key: first for key, first, _ in seated})
        voices.do("open_echoes", port=bare.port, sockets=ECHO_SOCKETS)
        voices.do("echo", times=ECHOES)
        _, resting = measured(
            shape, players, "rest", seconds=REST_SECONDS
        )  # ticks and sweeps cost by the second
        idle = sum(resting.values()) / REST_SECONDS
        for _ in range(ROUNDS):
            told, used = measured(bare, voices, "echo", times=ECHOES)
            an_echo = sum(used.values()) / told["answered"]
            told, used = measured(shape, players, "race", guesses=GUESSES)
            a_guess = (sum(used.values()) - idle * told["seconds"]) / told["sent"]
            say(f"a guess {a_guess * 1000:.2f} CPU-ms, an echo {an_echo * 1000:.2f}: {a_guess / an_echo:.2f}")
            found.append(a_guess / an_echo)
    return statistics.median(found) if min(found) > 0 else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="write the figure down as what is to be held")
    asked = parser.parse_args()
    kept: float = json.loads(KEPT.read_text())["a guess in echoes"]
    found = ratio()
    if not found or (found > kept * WORSE and not asked.keep):
        say(f"{found:.2f} echoes, kept: {kept:.2f}. Once more.")
        found = ratio()
    if not found:
        sys.exit("A round of guesses cost nothing: it was not measured.")
    if asked.keep:
        KEPT.write_text(json.dumps({"a guess in echoes": round(found, 2)}) + "\n")
        kept = found
    say(f"A guess costs {found:.2f} echoes; kept: {kept:.2f}.")
    if found > kept * WORSE:
        sys.exit(
            f"A guess is dearer by more than {WORSE - 1:.0%}: find out where, or keep the new figure (--keep)."
        )


if __name__ == "__main__":
    main()
