"""When the service was down, and what is owed for it (R5.4). Writes heartbeats and outages, never a match.

Every web process says each second that it can commit. A gap of more than three seconds in what *any* of them said is
an outage, written once by whoever speaks first after it. A match is owed every outage that ended after it was last
touched, and is given it the next time it is looked at: nothing has to be rewritten at a start, and nothing can be given
twice.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from django.db import DatabaseError, close_old_connections, connection, transaction

from matches import store
from matches.core.machine import CreditOutage, Event, State, step
from matches.models import Outage, Pulse, WebProcess

logger = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
GAP_MS = 3000
TEND_BEATS = 5
DEAD_MS = 5000
"""A process that others have outlived by this much is taken for dead, and its sockets with it."""

_REMEMBERED_MS = 86_400_000
"""How far back outages are remembered: a live match is owed the last one at most, and no clock is longer than a day."""


@dataclass(frozen=True, slots=True)
class Gap:
    """An outage, in ms since the epoch."""

    began_at: int
    ended_at: int

    @property
    def ms(self) -> int:
        return self.ended_at - self.began_at


class _Known:
    """What this process knows of outages, and how old that knowledge is."""

    def __init__(self) -> None:
        self.process_id = uuid.uuid4().hex
        self.beats = False
        self.gaps: tuple[Gap, ...] = ()
        self.read_at = 0.0

    def fresh(self) -> bool:
        """A process that beats cannot have missed an outage: in one, none could. Any other looks every second.

        By the wall clock, which goes on while the machine sleeps.
        """
        return abs(time.time() - self.read_at) < (GAP_MS / 1000 if self.beats else BEAT_SECONDS)


_known = _Known()


def credit(state: State) -> tuple[State, tuple[Event, ...]]:
    """`state` with every outage given back that it is still owed, and the events of that."""
    events: tuple[Event, ...] = ()
    for gap in gaps():
        if gap.ended_at > state.at:
            taken = step(state, CreditOutage(gap.ms), gap.ended_at)
            state, events = taken.state, events + taken.events
    return state, events


def gaps() -> tuple[Gap, ...]:
    """The outages of late, oldest first. A process that could not beat for a while does so before it answers."""
    if not _known.fresh():
        if _known.beats:
            beat()
        else:
            _read(store.now_ms())
    return _known.gaps


def process_id() -> str:
    """This process, as one that serves sockets."""
    if not _known.beats:
        beat()
    return _known.process_id


def beat() -> bool:
    """Say that this process can commit. False if others have taken it for dead, and its sockets for closed."""
    with transaction.atomic():
        pulse, now = store.locked(Pulse.objects.filter(pk=Pulse.ONLY))
        if pulse is None:
            Pulse.objects.get_or_create(pk=Pulse.ONLY, defaults={"beat_at": now})
        else:
            if now - pulse.beat_at > GAP_MS:
                Outage.objects.create(began_at=pulse.beat_at, ended_at=now)
                logger.warning(
                    "the service was down for %s ms: no clock is charged for it", now - pulse.beat_at
                )
            Pulse.objects.filter(pk=Pulse.ONLY).update(beat_at=max(now, pulse.beat_at))
        known = WebProcess.objects.filter(pk=_known.process_id).update(seen_at=now)
        if not known:
            WebProcess.objects.create(pk=_known.process_id, seen_at=now)
        _read(now)
    was_beating, _known.beats = _known.beats, True
    return bool(known) or not was_beating


def _read(now: int) -> None:
    rows = Outage.objects.filter(ended_at__gt=now - _REMEMBERED_MS).order_by("ended_at")
    _known.gaps = tuple(Gap(began, ended) for began, ended in rows.values_list("began_at", "ended_at"))
    _known.read_at = time.time()


def certain_until(now: int) -> int:
    """Up to when (ms) it is certain that the service was up: what fell due later may be owed an outage.

    A second past the last heartbeat, since that is how often they come.
    """
    beat_at = Pulse.objects.filter(pk=Pulse.ONLY).values_list("beat_at", flat=True).first()
    return now if beat_at is None else min(now, beat_at + int(BEAT_SECONDS * 1000))


def swept(now: int) -> None:
    """A sweep has come to its end."""
    Pulse.objects.filter(pk=Pulse.ONLY).update(swept_at=now)


def swept_ago() -> int | None:
    """How long ago (ms) the last sweep ended; None if there has been none."""
    swept_at = Pulse.objects.filter(pk=Pulse.ONLY).values_list("swept_at", flat=True).first()
    return None if swept_at is None else store.now_ms() - swept_at


def dead_processes() -> list[str]:
    """Processes whose heartbeat others have outlived. In an outage and just after it nobody has."""
    beat_at = Pulse.objects.filter(pk=Pulse.ONLY).values_list("beat_at", flat=True).first()
    if beat_at is None or any(gap.ended_at > beat_at - DEAD_MS for gap in gaps()):
        return []
    return list(WebProcess.objects.filter(seen_at__lt=beat_at - DEAD_MS).values_list("pk", flat=True))


def outlive_others() -> None:
    """No other process is alive, whatever it last said: a sweep will close its sockets."""
    WebProcess.objects.exclude(pk=_known.process_id).update(seen_at=0)


def retire() -> None:
    """This process serves no more sockets."""
    WebProcess.objects.filter(pk=_known.process_id).delete()
    _known.beats = False


class Heart(threading.Thread):
    """Beats once a second on a thread of its own.

    `lost` is called when the process had been taken for dead, `back` after an outage, `tend` every few beats.
    """

    def __init__(self, lost: Callable[[], None], back: Callable[[], None], tend: Callable[[], None]) -> None:
        super().__init__(name="Heart", daemon=True)
        self.lost, self.back, self.tend = lost, back, tend
        self.ended = threading.Event()

    def run(self) -> None:
        beats = 0
        while not self.ended.wait(BEAT_SECONDS):
            beats += 1
            try:
                self._beat(tending=beats % TEND_BEATS == 0)
            except DatabaseError as reason:
                logger.warning("no heartbeat: %s", reason)
                connection.close()  # the next beat tries a new one

    def _beat(self, *, tending: bool) -> None:
        close_old_connections()
        before = _known.gaps
        if not beat():
            self.lost()
        elif _known.gaps != before:
            self.back()
        if tending:
            self.tend()

    def stop(self) -> None:
        self.ended.set()
