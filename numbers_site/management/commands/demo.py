"""The whole site with people, a past and matches under way, to look round in."""

from django.db import connection

from numbers_site import demo
from numbers_site.management.commands.play import Command as Play


class Command(Play):
    help = "Serve a site that has accounts, a history, a ladder and running matches, until Ctrl-C or TERM."

    def prepare(self) -> None:
        super().prepare()
        self.say("Furnishing…")
        demo.furnish()
        demo.announce_tournament()
        connection.close()

    def announce(self) -> None:
        super().announce()
        demo.keep_playing()
        self.say(f"Sign in as {', '.join(demo.NAMES)}: the password is {demo.PASSWORD}")
