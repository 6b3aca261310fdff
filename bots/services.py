"""The verbs of bots: they are challenged, hear that a match has moved, and play what is due.

What they know of a match is what `sight` shows their seat; what they do to it goes through the one way in. Listening
only notes what is due and when; a sweep plays it, and another finds what no listener heard. Each may run twice, late or
at once with itself: a note is taken once a version, and a move has the same `ref` whoever plays it.
"""

import logging
import secrets
from collections.abc import Mapping
from functools import lru_cache

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef

from bots import forest
from bots.core.levels import Level, choose
from bots.core.manners import Errand, delay_ms, errand
from bots.core.puzzle import Puzzle
from bots.models import BotGame
from matches import services as matches
from matches import store, uptime
from matches.core.machine import Refused, State, Status
from matches.core.sight import Sight, see
from matches.core.terms import Terms
from matches.models import Match, Seat
from matches.wire import Order
from players.models import Kind, User

logger = logging.getLogger(__name__)

NAMES: Mapping[Level, str] = {Level.EASY: "Easy", Level.MEDIUM: "Medium", Level.HARD: "Hard"}
_LEVELS = {name: level for level, name in NAMES.items()}
_chance = secrets.SystemRandom()

BATCH = 50
"""Moves a sweep plays before it lets others of its worker have their turn: a fraction of a second's work."""
AT_ONCE_MS = 200
"""What is due before the next sweep would come is played by whoever hears of it."""
FORGET_MS = 600_000
"""How long after the end a bot that missed an offer of a rematch is still told of it."""


def bot_named(level: Level | str) -> User:
    """The player that plays at this level: made by a migration, and again should somebody have deleted it."""
    bot, made = User.objects.get_or_create(username=NAMES[Level(level)], defaults={"kind": Kind.BOT})
    if made:
        bot.set_unusable_password()
        bot.save(update_fields=["password"])
    return bot


def challenge(player: User, level: Level | str, terms: Terms) -> Match:
    """Seat `player` against a bot, which is always there (R7). Anybody may watch."""
    return matches.create_match(terms, (player, bot_named(level)), public=True)


def hear(match_id: str, state: State) -> None:
    """A match has been made or has moved: note what a bot of it now has to do. Play it if no sweep is soon enough."""
    seats = seats_of(match_id)
    for seat, level in seats.items():
        waits = _note(match_id, seat, level, state)
        # Two bots would answer each other without end, each within the other's answer: the sweep plays those.
        if waits is not None and waits < AT_ONCE_MS and len(seats) == 1:
            _play(match_id, seat, due_by=store.now_ms() + AT_ONCE_MS)


@lru_cache(maxsize=10_000)
def seats_of(match_id: str) -> Mapping[int, Level]:
    """Which seats bots of ours hold. It never changes, and most matches that move have none: not asked twice."""
    ours = Seat.objects.filter(match_id=match_id, player__kind=Kind.BOT, player__username__in=_LEVELS)
    return {seat: _LEVELS[name] for seat, name in ours.values_list("index", "player__username")}


def _note(match_id: str, seat: int, level: Level, state: State) -> int | None:
    """Keep when something is due, unless this version has been noted before. Returns in how many ms, if it is new."""
    now = store.now_ms()
    sight = see(state, seat, now)
    owed = errand(sight)
    waits = None if owed is None else delay_ms(owed, sight, settings.BOT_DELAY, _chance)
    noted = {"version": state.version, "due_at": None if waits is None else now + waits}
    game = BotGame.objects.filter(match_id=match_id, seat=seat)
    if game.filter(version__lt=state.version).update(**noted):
        return waits
    new = {"level": level, "seed": _chance.getrandbits(63), **noted}
    _, made = BotGame.objects.get_or_create(match_id=match_id, seat=seat, defaults=new)
    return waits if made else None


def sweep() -> int:
    """Play what is due, the longest due first, a batch at most. Returns how many were looked at."""
    now = store.now_ms()
    due = BotGame.objects.filter(due_at__lte=now).order_by("due_at")[:BATCH]
    games = list(due.values_list("match_id", "seat"))
    for match_id, seat in games:
        try:
            _play(match_id, seat, due_by=now)
        except Exception:
            logger.exception("a bot could not move", extra={"match": match_id})  # the next sweep tries again
    return len(games)


def _play(match_id: str, seat: int, due_by: int) -> None:
    """Do what this seat owes its match, if that is due by then and no other worker is at it."""
    games = BotGame.objects.filter(match_id=match_id, seat=seat, due_at__lte=due_by)
    with transaction.atomic():
        game = games.select_related("match").select_for_update(skip_locked=True, of=("self",)).first()
        if game is None:
            return
        state, _ = uptime.credit(store.state_of(game.match))
        sight = see(state, seat, store.now_ms())
        owed = errand(sight)
        if owed is None or not _obeyed(game, order(game, owed, sight)):
            # Not again before something has happened; what has, may have been noted meanwhile.
            games.filter(version__lte=state.version).update(due_at=None)


def _obeyed(game: BotGame, order: Order) -> bool:
    try:
        matches.obey(game.match_id, game.seat, order)
    except Refused:
        return False
    return True


def order(game: BotGame, owed: Errand, sight: Sight) -> Order:
    """An errand as the match takes it, under a mark of its own: done twice, it is answered as it was the first time."""
    puzzle, rows = Puzzle.of(sight.terms), sight.seats[game.seat].guesses
    match owed:
        case Errand.SECRET:
            every = puzzle.secrets
            return Order("secret", code=every.text(_chance.randrange(len(every))), ref="bot-secret")
        case Errand.GUESS:
            n = len(rows) + 1
            code = choose(Level(game.level), puzzle, rows, game.seed, forest.tree)
            return Order("guess", code=code, n=n, ref=f"bot-guess-{n}")
        case Errand.CONFIRM | Errand.REMATCH:
            return Order(owed.value, ref=f"bot-{owed}")


def mend() -> None:
    """Note what no listener heard: matches that moved on, and those made, while nobody could tell."""
    behind = BotGame.objects.filter(match__version__gt=F("version")).select_related("match")
    for game in behind:
        _note(game.match_id, game.seat, Level(game.level), store.state_of(game.match))
    for match in _unheard_of():
        hear(match.pk, store.state_of(match))
    over_for_long = store.instant(store.now_ms() - FORGET_MS)
    BotGame.objects.filter(due_at=None, match__ended_at__lt=over_for_long).delete()


def _unheard_of() -> list[Match]:
    """Running matches in which a bot holds a seat that no game was noted for."""
    noted = BotGame.objects.filter(match=OuterRef("match"), seat=OuterRef("index"))
    ours = Seat.objects.filter(match=OuterRef("pk"), player__kind=Kind.BOT, player__username__in=_LEVELS)
    # From the running matches to their seats: bots have sat in more matches than ever run at once.
    running = Match.objects.exclude(status=Status.OVER.value)
    return list(running.filter(Exists(ours.filter(~Exists(noted)))))
