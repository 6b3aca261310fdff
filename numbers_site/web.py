"""One web process: a server for pages and sockets, and a heart that says each second that it lives."""

import gc
from collections.abc import Callable

from matches import uptime
from matches.consumers import watch
from numbers_site.asgi import application
from numbers_site.server import SiteServer
from players.clerks import clerks

COLLECT_AFTER = (50_000, 10, 10)
"""Objects, and collections of the young and the middle-aged. By Python's own figures what thousands of open sockets
hold was looked through every few seconds, for a quarter of a second in which everybody waited."""


class Web:
    """`run` serves until `begin_stop` has come to its end; `listening` is called once the port is ours."""

    def __init__(self, address: str, port: int, listening: Callable[[], None]) -> None:
        self.listening = listening
        self.server = SiteServer(application, address, port, listening=self._begin)
        self.heart = uptime.Heart(lost=self._lost, back=watch.renew, tend=watch.tend)

    @property
    def failure(self) -> str | None:
        return self.server.failure

    def run(self) -> None:
        self.server.run()
        uptime.retire()

    def on_its_thread(self, do: Callable[[], None]) -> None:
        self.server.on_its_thread(do)

    def each_second(self, do: Callable[[], None]) -> None:
        """To be called on the reactor's thread, as is `do` then."""
        self.server.each_second(do)

    def begin_stop(self) -> None:
        """To be called on the reactor's thread. If this is an outage, it begins before the first socket is closed."""
        self.heart.stop()
        self.server.begin_stop()

    def _begin(self) -> None:
        """Beat before the first request: an outage ends here, and is known before anybody asks what it is owed."""
        uptime.beat()
        clerks.open()
        gc.collect()
        gc.freeze()  # what is there now stays
        gc.set_threshold(*COLLECT_AFTER)
        self.heart.start()
        self.listening()

    def _lost(self) -> None:
        """Others have closed our sockets in the database: let the clients open new ones."""
        self.on_its_thread(self.server.turn_away)
