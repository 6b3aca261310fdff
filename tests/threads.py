"""Several things begun at one instant, on threads of their own, each with its own connection to the database."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connections

from matches.core.machine import Refused
from players.problems import Problem

Job = Callable[[], Any]


def together(*jobs: Job) -> list[Any]:
    """What each job led to, all begun at one instant: its answer, the word of its refusal, or what broke it."""
    start = threading.Barrier(len(jobs))
    outcomes: list[Any] = [None] * len(jobs)

    def run(number: int, job: Job) -> None:
        try:
            start.wait(10)
            outcomes[number] = job()
        except Refused as refused:
            outcomes[number] = refused.refusal.value
        except Problem as problem:
            outcomes[number] = problem.code
        except Exception as broken:  # noqa: BLE001  the test says what it wanted instead
            outcomes[number] = repr(broken)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return outcomes


def rounds(few: int, many: int) -> Any:
    return pytest.mark.parametrize(
        "rounds", [pytest.param(few, id="few"), pytest.param(many, id="many", marks=pytest.mark.postgres)]
    )


def words(outcomes: list[Any]) -> list[str]:
    """Refusals as they are, everything else as `done`."""
    return sorted(outcome if isinstance(outcome, str) else "done" for outcome in outcomes)
