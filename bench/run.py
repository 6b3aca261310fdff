"""`make bench`: what the site costs and how soon it answers, beside a baseline measured in the same minutes.

The site and all its servers run on one core, the load generator on another. Prints a table; writes JSON beside it.
"""

import argparse
import json
import os
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.sites import PLAYED, SHAPES, WAITING, Generator, Json, Shape, echo  # after the path

API, PAGES = "/ws/v1/matches/{}/", "/ws/matches/{}/"
REPAIR_SECONDS = 3.0
"""What the channel layer loses is made good within two seconds: later it is lost."""
ECHO_SOCKETS = 50
WEB = ("site", "web")


def say(line: str = "") -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def measured(shape: Shape, generator: Generator, order: str, **given: Any) -> tuple[Json, dict[str, float]]:
    """What the generator tells of an order, and what each kind of process used meanwhile (CPU seconds)."""
    before = shape.used()
    told = generator.do(order, **given)
    return told, shape.used().since(before)


def each(used: dict[str, float], count: int) -> dict[str, float]:
    """CPU-ms a piece, of every kind of process that used any."""
    return {name: round(cpu * 1000 / max(1, count), 3) for name, cpu in used.items() if cpu > 0}


@dataclass
class Bench:
    """One shape, measured. What is found goes to `found`."""

    shape: Shape
    generator: Generator
    asked: argparse.Namespace
    found: Json = field(default_factory=dict)

    def idle(self) -> None:
        """Sockets on which nothing happens, on matches whose clocks stand and on such whose clocks run, beside what the
        same site takes before they open.
        """
        for name, terms in (("idle", WAITING), ("ticking", PLAYED)):
            seated = self.shape.seat(self.asked.sockets // 2, terms)
            time.sleep(2)
            empty, before = self.rest(), self.shape.used()
            self.open(seated, API)
            time.sleep(3)
            held = {kind: self.shape.used().memory[kind] - before.memory[kind] for kind in before.memory}
            sockets = len(seated) * 2
            self.found[name] = {
                "sockets": sockets,
                "kb_each": round(sum(held.get(kind, 0) for kind in WEB) / sockets / 1024, 1),
                "core": self.rest(),
                "empty": empty,
            }
            self.generator.do("close")
            time.sleep(15)  # their ends are written down

    def rest(self) -> dict[str, float]:
        """What share of a core each kind of process takes when nobody does anything."""
        _, used = measured(self.shape, self.generator, "rest", seconds=self.asked.idle_seconds)
        return share(used, self.asked.idle_seconds)

    def open(self, seated: list[tuple[str, int, list[str]]], path: str) -> Json:
        matches = [(key, tokens) for key, _, tokens in seated]
        told = self.generator.do("open", port=self.shape.port, path=path, matches=matches)
        self.note(told)
        return told

    def play(self, name: str, path: str, matches: int) -> None:
        """Rounds flat out between rounds of echo, then at the rate that was asked for."""
        seated = self.shape.seat(matches, PLAYED)
        self.open(seated, path)
        self.note(self.generator.do("begin", firsts={key: first for key, first, _ in seated}))
        rounds: list[tuple[float, float]] = []
        flat: list[Json] = []
        with echo(self.shape) as bare, Generator(self.generator.core) as beside:
            beside.do("open_echoes", port=bare.port, sockets=ECHO_SOCKETS)
            beside.do("echo", times=5)
            for _ in range(self.asked.rounds):
                told, used = measured(bare, beside, "echo", times=self.asked.echoes // ECHO_SOCKETS)
                an_echo = sum(used.values()) * 1000 / told["answered"]
                told, used = measured(self.shape, self.generator, "race", guesses=self.asked.guesses)
                self.note(told)
                rounds.append((sum(used.values()) * 1000 / told["sent"], an_echo))
                flat.append({**figures(told), "cpu_ms": each(used, told["sent"])})
        _, resting = measured(self.shape, self.generator, "rest", seconds=5)
        told, used = measured(
            self.shape, self.generator, "pace", rate=self.asked.rate, seconds=self.asked.seconds
        )
        self.note(told)
        moved = {
            kind: max(0.0, cpu - resting.get(kind, 0) / 5 * told["seconds"]) for kind, cpu in used.items()
        }
        versions = self.generator.do("rest", seconds=REPAIR_SECONDS)["versions"]
        truth = self.shape.versions()
        missing = sum(truth[key] - version for key, two in versions.items() for version in two)
        self.found[name] = {
            "matches": matches,
            "flat_out": flat,
            "cpu_ms_a_guess": round(statistics.median(guess for guess, _ in rounds), 3),
            "cpu_ms_an_echo": round(statistics.median(bare for _, bare in rounds), 3),
            "ratio": round(statistics.median(guess / bare for guess, bare in rounds), 2),
            "paced": {
                **figures(told),
                "rate": self.asked.rate,
                "cpu_ms": each(used, told["sent"]),
                "cpu_ms_without_what_rests": each(moved, told["sent"]),
            },
            "lost": missing,
        }
        self.generator.do("close")
        time.sleep(5)

    def note(self, told: Json) -> None:
        """Keep count of what should not be."""
        kept = self.found.setdefault("wrong", {"errors": {}, "doubled": 0, "out_of_order": 0})
        kept["doubled"] += told["doubled"]
        kept["out_of_order"] += told["skipped"]
        for error, count in told["errors"].items():
            kept["errors"][error] = kept["errors"].get(error, 0) + count


def share(used: dict[str, float], seconds: float) -> dict[str, float]:
    """Of one core, in hundredths."""
    return {name: round(cpu / seconds * 100, 1) for name, cpu in used.items() if cpu > 0}


def figures(told: Json) -> Json:
    """Of a play: how many, how fast, how late."""
    return {
        "guesses": told["sent"],
        "seconds": round(told["seconds"], 2),
        "guesses_a_second": round(told["sent"] / told["seconds"], 1),
        "held_up": told["held_up"],
        "own_ms": told["own"],
        "rival_ms": told["rival"],
    }


def table(found: Json) -> list[str]:
    """What was found, for who reads it on a screen."""
    lines = []
    for name in ("idle", "ticking"):
        if name in found:
            one = found[name]
            held = f"{one['sockets']} sockets, {one['kb_each']} KB each"
            lines.append(
                f"{name:<9} {held}, % of a core: {named(one['core'])}; before: {named(one['empty'])}"
            )
    for name in ("api", "pages"):
        if name in found:
            lines += play_lines(name, found[name])
    wrong = found["wrong"]
    errors = ", ".join(f"{error}: {count}" for error, count in wrong["errors"].items()) or "none"
    return [
        *lines,
        f"wrong     doubled {wrong['doubled']}, out of order {wrong['out_of_order']}, errors {errors}",
    ]


def play_lines(name: str, one: Json) -> list[str]:
    cost = f"{one['cpu_ms_a_guess']} CPU-ms a guess, {one['cpu_ms_an_echo']} an echo: {one['ratio']} echoes"
    lines = [f"{name:<9} {one['matches']} matches: {cost}; lost {one['lost']}"]
    plays = {**{f"  flat {n}": play for n, play in enumerate(one["flat_out"], 1)}, "  paced": one["paced"]}
    for kind, play in plays.items():
        own, rival = (
            "/".join(str(play[whose].get(p)) for p in ("p50", "p95", "p99"))
            for whose in ("own_ms", "rival_ms")
        )
        late = f"ms p50/p95/p99 own {own}, opponent {rival}"
        lines.append(
            f"{kind:<9} {play['guesses_a_second']:>6} guesses/s, {late}; CPU-ms {named(play['cpu_ms'])}"
        )
    moved = named(one["paced"]["cpu_ms_without_what_rests"])
    return [*lines, f"          paced, without what the sockets cost at rest: CPU-ms {moved}"]


def named(amounts: dict[str, float]) -> str:
    every = ", ".join(f"{name} {amount}" for name, amount in amounts.items())
    return f"{round(sum(amounts.values()), 2)} ({every})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=[*SHAPES, "both"], default="both")
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--rate", type=float, default=200, help="guesses a second when paced")
    parser.add_argument("--seconds", type=float, default=30, help="of pacing")
    parser.add_argument("--guesses", type=int, default=10, help="in each match, flat out, a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--echoes", type=int, default=4000, help="a round")
    parser.add_argument("--sockets", type=int, default=2000, help="idle ones; 0 leaves them out")
    parser.add_argument("--idle-seconds", type=float, default=20)
    parser.add_argument(
        "--kind", choices=["api", "pages", "both"], default="both", help="of sockets that play"
    )
    parser.add_argument("--spread", action="store_true", help="use all cores for all: for a busy machine")
    parser.add_argument("--json", type=Path, default=Path("artifacts/bench.json"))
    asked = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    if not asked.spread:
        os.sched_setaffinity(0, cores[:1])  # and with us all that we start
    found: Json = {
        "asked": {name: str(value) for name, value in vars(asked).items()},
        "load": os.getloadavg(),
    }
    for name in SHAPES if asked.shape == "both" else [asked.shape]:
        with SHAPES[name]() as shape, Generator(None if asked.spread else cores[-1]) as generator:
            bench = Bench(shape, generator, asked)
            if asked.sockets:
                bench.idle()
            for kind, path in (("api", API), ("pages", PAGES)):
                if asked.kind in (kind, "both"):
                    bench.play(kind, path, asked.matches)
        found[name] = bench.found
        say(f"\n{name}, load {os.getloadavg()[0]:.1f}")
        for line in table(bench.found):
            say(line)
    asked.json.parent.mkdir(parents=True, exist_ok=True)
    asked.json.write_text(json.dumps(found, indent=1) + "\n")
    say(f"\nAll figures: {asked.json}")


if __name__ == "__main__":
    main()
