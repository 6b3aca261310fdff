"""Celery's worker and beat as threads of this process. Knows no room's tasks."""

import logging
import threading

from celery import Celery
from celery.beat import EmbeddedService
from celery.worker import WorkController, state

from numbers_site.beat import Scheduler

log = logging.getLogger(__name__)


def nothing() -> None:
    """A job that only makes the worker look up."""


class Embedded:
    """One worker that does one thing at a time, and the one beat that asks it."""

    def __init__(self, app: Celery) -> None:
        self.app = app
        self.wake = app.task(nothing, name="numbers_site.wake")
        self.beat = EmbeddedService(app, thread=True, scheduler_cls=Scheduler)
        self.worker = threading.Thread(target=self._work, name="Worker", daemon=True)

    def start(self) -> None:
        state.should_stop = None
        self.worker.start()
        self.beat.start()

    def alive(self) -> bool:
        return self.worker.is_alive() and self.beat.is_alive()

    def stop(self) -> None:
        """The job in hand is finished first."""
        self.beat.service.stop(wait=False)
        state.should_stop = 0
        if self.app.conf.broker_url.startswith("memory:"):
            # On this broker the worker looks up when a job comes or two seconds have passed, and once more
            # after that before it ends.
            for _ in range(2):
                self.wake.delay()

    def join(self, seconds: float) -> None:
        self.worker.join(seconds)
        self.beat.join(seconds)

    def _work(self) -> None:
        try:
            WorkController(
                app=self.app,
                pool_cls="solo",
                concurrency=1,
                without_heartbeat=True,
                without_mingle=True,
                without_gossip=True,
            ).start()
        except Exception:
            log.exception("the worker ended")
