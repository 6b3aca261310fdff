"""The whole site from one process: pages and sockets here, worker and beat in threads beside them."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand
from django.db import OperationalError, connection

from matches import uptime
from numbers_site import env
from numbers_site.celery import app as celery
from numbers_site.embedded import Embedded
from numbers_site.start import CannotStart, free_address, prepare
from numbers_site.stopping import Stopping, leave


@contextlib.contextmanager
def alone_on(folder: Path) -> Iterator[None]:
    """A lock that the system takes back even from a process that was killed."""
    with contextlib.ExitStack() as kept:
        try:
            file = kept.enter_context((folder / "lock").open("w"))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotStart(f"DATA: the site in {folder} is already being served.") from None
        except OSError as reason:
            raise CannotStart(f"DATA: {folder} cannot be used: {reason.strerror}.") from None
        yield


class Command(BaseCommand):
    help = "Serve the whole game from this one process, until Ctrl-C or TERM."
    requires_system_checks: list[str] = []

    web: Any = None
    embedded: Embedded

    def handle(self, **options: Any) -> None:
        self.stopping = Stopping()
        with alone_on(settings.DATA):
            address = free_address(settings.HOST, settings.PORT)
            try:
                self.prepare()
            except OperationalError as reason:  # a disk that is full, a file that may only be read
                raise CannotStart(f"DATA: the database cannot be used: {reason}.") from None
            self.serve(address)
        leave()

    def say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()  # make and supervisors read through a pipe

    def prepare(self) -> None:
        self.say("Preparing…")
        for line in prepare():
            self.say(line)
        connection.close()

    def serve(self, address: str) -> None:
        # Imported last: Twisted's reactor and the consumers take half a second, and a refusal should be quick.
        from numbers_site.web import Web

        self.embedded = Embedded(celery)
        self.web = Web(address, settings.PORT, listening=self.announce)
        self.stopping.begin = lambda: self.web.on_its_thread(self.begin_stop)
        self.web.run()
        if self.web.failure:
            raise CannotStart(f"PORT: {self.web.failure}")
        self.embedded.join(3)
        if not self.stopping.asked:
            raise CannotStart("Worker or beat ended by themselves: without them no clock falls. Stopped.")

    def announce(self) -> None:
        uptime.outlive_others()  # we hold the folder's lock
        self.embedded.start()
        self.web.each_second(self.watch)
        host = settings.HOST
        for name in ["127.0.0.1", *env.own_addresses(host)] if host in env.EVERYWHERE else [host]:
            self.say(f"The Numbers: http://{env.in_url(name)}:{settings.PORT}")
        self.say("Ctrl-C stops it.")

    def watch(self) -> None:
        if not self.embedded.alive():
            self.begin_stop()

    def begin_stop(self) -> None:
        self.embedded.stop()
        self.web.begin_stop()
