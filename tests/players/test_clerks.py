"""Where sockets ask the database: one hop, lasting connections, and another line once one is lost."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
from django.db import OperationalError, connection
from django.utils.translation import get_language, gettext, override

from players.clerks import Clerks
from players.models import User

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def clerks() -> Iterator[Clerks]:
    """One that a process would have that serves."""
    clerks = Clerks()
    clerks.open()
    yield clerks
    clerks.close()


def line() -> int:
    """Which connection this thread has, opened if need be."""
    connection.ensure_connection()
    return id(connection.connection)


def fail() -> None:
    connection.errors_occurred = True  # as Django notes it when a line breaks
    raise OperationalError


async def test_a_connection_is_kept_from_one_question_to_the_next(clerks: Clerks) -> None:
    assert await clerks.ask(line) == await clerks.ask(line)


async def test_a_clerk_answers_in_the_language_it_was_asked_in(clerks: Clerks) -> None:
    """A thread takes none from another by itself, and keeps none."""
    for language in ("it", "en", "it"):
        with override(language):
            assert await clerks.ask(get_language) == language
            assert await clerks.ask(gettext, "Decline") == {"it": "Rifiuta", "en": "Decline"}[language]


async def test_after_a_line_was_lost_the_next_question_opens_another(clerks: Clerks) -> None:
    await clerks.ask(line)
    with pytest.raises(OperationalError):
        await clerks.ask(fail)
    assert await clerks.ask(lambda: connection.connection is None)
    assert await clerks.ask(User.objects.exists) in (True, False)


async def test_one_failure_costs_one_connection_whatever_is_asked_next(clerks: Clerks) -> None:
    await clerks.ask(line)
    with pytest.raises(OperationalError):
        await clerks.ask(fail)
    assert len({await clerks.ask(line) for _ in range(3)}) == 1


async def test_what_is_to_be_done_later_is_done_on_the_loop_that_serves(clerks: Clerks) -> None:
    """Whoever moved a match does not wait until it is told."""
    await clerks.ask(line)
    done, where = asyncio.Event(), []

    async def tell(word: str) -> None:
        where.append((word, threading.current_thread()))
        done.set()

    threading.Thread(target=clerks.later, args=(tell, "moved")).start()
    await asyncio.wait_for(done.wait(), 15)
    assert where == [("moved", threading.current_thread())]


def test_where_nobody_serves_it_is_done_at_once() -> None:
    told: list[str] = []

    async def tell(word: str) -> None:
        told.append(word)

    Clerks().later(tell, "moved")
    assert told == ["moved"]
