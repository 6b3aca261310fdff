"""Something on at a running site, by its own verbs: `manage.py shell -c "…; settle()"`. Prints what is where."""

import json
from datetime import timedelta
from random import Random

from django.conf import settings
from django.db.models import F

from lobby.queries import NEWS
from lobby.services import challenge, open_seek
from matches.models import Match
from numbers_site import demo
from players.models import User
from tests.builders import Duel, person, signed_in, terms_of
from tests.tournaments.builders import Cup, lose_if_on, play_on
from tournaments.services import sweep

LONGEST = "Bartolomeo-Marialuce"
"""As long as a name may be: it fits wherever it stands, or is cut in good order."""


def settle() -> None:
    """People with a past, open seeks, matches to watch, a challenge, and tournaments to come, under way and over."""
    demo.furnish()
    demo.STARTS_IN = timedelta(hours=2)
    demo.announce_tournament()
    reader, longest = User.objects.get(username=demo.NAMES[0]), person(LONGEST)
    others = list(User.objects.filter(username__in=demo.NAMES[1:]).order_by("pk"))
    for pair in ((reader, longest), (others[0], others[1])):
        Duel(players=pair).start().guess(0)
    challenge(others[2], reader, terms_of())
    over = Duel(players=(reader, others[3])).start()
    for code in ("51328", "28541", "85612"):
        over.guess(0, code)
        over.guess(1, code)
    over.guess(0, over.secret(1))
    cups = {"running": _running([longest, reader, *others]), "ended": _ended([reader, *others[:5]])}
    # Last: whoever comes into a match has no seek any more.
    seeks = (
        terms_of(),
        terms_of("probe", length=4),
        terms_of(length=4, feedback="totals"),
        terms_of("classic"),
    )
    for owner, terms in zip((longest, *others), seeks, strict=False):
        open_seek(owner, terms, lasting=True)
    # Nor is the reader called away from what is looked at: what has begun is no longer news.
    Match.objects.filter(status="choosing").update(created_at=F("created_at") - 3 * NEWS)
    session = signed_in(reader).cookies[settings.SESSION_COOKIE_NAME].value
    print(json.dumps({**cups, "over": over.id, "session": session, "rival": LONGEST}))  # noqa: T201


def _running(players: list[User]) -> str:
    """In its second round."""
    cup = Cup(players, players[1], name="A long evening of quick duels").start()
    play_on(cup, Random(7), lose_if_on)
    sweep()
    return cup.id


def _ended(players: list[User]) -> str:
    cup = Cup(players, players[0], name="Sunday knockout").start()
    while cup.row.status == "running":
        play_on(cup, Random(4), lose_if_on)
        sweep()
    return cup.id
