"""Looks at the database: they go on whatever fails, and what goes on failing is told."""

import asyncio

import pytest
from django.db import OperationalError

from players import looking
from players.looking import Looking


class Failing(Looking[object]):
    group = "nothing"

    def __init__(self) -> None:
        super().__init__()
        self.looks, self.enough = 0, asyncio.Event()

    async def look(self) -> None:
        self.looks += 1
        if self.looks > 2 * looking.TROUBLE:
            self.enough.set()
        raise OperationalError


async def test_looks_that_fail_in_a_row_leave_a_line_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(looking, "LOOK_SECONDS", 0.001)
    failing, socket = Failing(), object()
    failing.join(socket)
    await asyncio.wait_for(failing.enough.wait(), 15)
    failing.leave(socket)
    assert failing._task is not None
    await failing._task
    told = [record.getMessage() for record in caplog.records if "in a row" in record.getMessage()]
    assert told == [f"{count * looking.TROUBLE} looks in a row have failed: nothing" for count in (1, 2)]
