"""A site to look round in: people with a past, a ladder, bots at play, a tournament to come. By the real verbs."""

import random
import threading
from datetime import timedelta
from itertools import permutations

from django.db import transaction
from django.utils import timezone

from bots.core.levels import Level
from bots.services import bot_named
from matches import store
from matches.choices import default_terms
from matches.core.machine import Created, Status, create, step
from matches.models import Match, new_id
from matches.services import create_match, limits
from numbers_site.filling import drawn_terms, played
from players.models import User
from ratings.services import count
from tournaments.services import Plan, join, make

NAMES = ("Ada", "Bruno", "Elena", "Giulia", "Kenji", "Marta", "Noor", "Sofia", "Theo", "Tommaso")
PASSWORD = "ada-and-bruno"  # noqa: S105  printed for whoever started the demo
MATCHES, DAYS = 200, 90
RUNNING = 3
"""Matches between bots that are always there to be watched."""
LOOK_SECONDS = 15
ENTERED, STARTS_IN = 7, timedelta(minutes=10)
_DAY = 86_400_000


def furnish() -> None:
    """Make the people and what they have played, unless they are there already."""
    if User.objects.filter(username=NAMES[0]).exists():
        return
    chance = random.Random(417)  # noqa: S311  everybody may know how it went
    joined = timezone.now() - timedelta(days=DAYS + 1)
    people = [User.objects.create_user(name, password=PASSWORD, date_joined=joined) for name in NAMES]
    opponents = [*people, *(bot_named(level) for level in Level)]
    now = store.now_ms()
    begun = sorted(now - chance.randrange(_DAY // 24, DAYS * _DAY) for _ in range(MATCHES))
    for at in begun:
        first = chance.choice(people)
        second = chance.choice([other for other in opponents if other != first])
        _play((first, second), at, chance)


def announce_tournament() -> None:
    """Have one start shortly, with people in it and room for whoever looks round."""
    entrants = list(User.objects.filter(username__in=NAMES).order_by("pk"))[:ENTERED]
    plan = Plan(
        "Evening knockout", default_terms(), timezone.now() + STARTS_IN, "Europe/Rome", maximum=2 * ENTERED
    )
    tournament = make(entrants[0], plan)
    for player in entrants:
        join(tournament.pk, player)


def _play(players: tuple[User, User], at: int, chance: random.Random) -> None:
    """One match from its first command to its end, as it went then (ms)."""
    created = Created(drawn_terms(chance), limits(), chance.randrange(2), at)
    with transaction.atomic():
        match = store.insert(new_id(), created, players, public=True, rematch_of=None)
        state = create(created)
        for command, now in played(chance, state):
            taken = step(state, command, now)
            store.keep(match, state, taken.state, taken.events)
            state = taken.state
        count(match.pk)


def keep_playing() -> None:
    """Have bots play each other for as long as this process lives."""
    threading.Thread(target=_seat_bots, name="Demo", daemon=True).start()


def _seat_bots() -> None:
    chance, pause = random.Random(), threading.Event()  # noqa: S311  no secret of anybody's
    bots = [bot_named(level) for level in Level]
    pairs = list(permutations(bots, 2))
    while True:
        live = Match.objects.exclude(status=Status.OVER.value)
        running = live.filter(seats__index=0, seats__player__in=bots).count()
        if running < RUNNING:
            create_match(drawn_terms(chance), chance.choice(pairs), public=True)
        pause.wait(LOOK_SECONDS if running >= RUNNING - 1 else 1)
