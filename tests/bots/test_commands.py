"""`manage.py arena` and `manage.py grow`, as they are called."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from bots import forest
from bots.core.grow import grow
from bots.core.puzzle import PUZZLES
from tests.site import run


def arena(*asked: str) -> dict[str, object]:
    out = StringIO()
    call_command("arena", *asked, stdout=out)
    told: dict[str, object] = json.loads(out.getvalue())
    return told


def test_the_arena_tells_how_it_went_in_one_json_object() -> None:
    """As it is called from a shell."""
    asked = ("--a", "hard", "--b", "easy", "--games", "50", "--feedback", "totals", "--repeats", "false")
    ran = run("arena", *asked)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert set(told) == {"wins", "by_seat", "a", "b"}
    for name in ("wins", "by_seat"):
        counts = told[name]
        assert isinstance(counts, dict)
        assert sum(counts.values()) == 50
    for name in ("a", "b"):
        side = told[name]
        assert isinstance(side, dict)
        assert set(side) == {"average", "worst", "spread", "ms"}
        assert sum(side["spread"].values()) == 50
        assert side["average"] == sum(int(n) * games for n, games in side["spread"].items()) / 50
        assert side["worst"] == max(map(int, side["spread"]))
        assert set(side["ms"]) == {"mean", "p99"}


def test_the_same_seed_plays_the_same_games() -> None:
    asked = ("--a", "medium", "--b", "easy", "--games", "20", "--preset", "classic", "--seed")
    first, second, other = (arena(*asked, seed) for seed in ("7", "7", "8"))
    for told in (first, second, other):
        for name in ("a", "b"):
            del told[name]["ms"]  # type: ignore[attr-defined]
    assert first == second != other


@pytest.mark.parametrize(
    "asked", [("--games", "0"), ("--games", "5", "--preset", "classic", "--length", "4"), ("--games", "x")]
)
def test_what_makes_no_sense_is_refused_in_a_line(asked: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as refused:
        arena("--a", "easy", "--b", "hard", *asked)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["4-free-positions", "4-strict-totals"])
def test_the_trees_kept_are_those_that_grow(name: str) -> None:
    """One of each kind of answer, one with digits repeated: the others take longer, and grow by the same code."""
    (puzzle,) = (each for each in PUZZLES if str(each) == name)
    grown, kept = grow(puzzle), forest.tree(puzzle)
    assert grown.guess.tolist() == kept.guess.tolist()
    assert grown.answer.tolist() == kept.answer.tolist()
    assert grown.first.tolist() == kept.first.tolist()
