"""What stands on the card of a match, a player, a tournament, or the site: no more than a stranger may know."""

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matches import queries as matches
from matches import words
from matches.core.machine import Status
from numbers_site.cards.drawing import Card, Line, Tile
from players.models import Kind
from players.problems import Problem
from players.services import find_player
from ratings import queries as ratings
from tournaments import presenters
from tournaments import queries as tournaments
from tournaments.pages import chips

_NOBODY = AnonymousUser()


def of_site() -> Card:
    """Neutral: also for what is private, and for what is not there, which nobody can tell from it."""
    shown = (
        Tile("exact", "0"),
        Tile("absent", "4"),
        Tile("present", "1"),
        Tile("exact", "7"),
        Tile("present", "2"),
    )
    return Card(
        (Line(_("Guess their number."), shown),),
        _("A live duel of secret numbers, against the clock"),
        _("Free, no account needed"),
    )


def of_match(match_id: str) -> Card:
    """By what a spectator sees: while it is under way no number is there to be drawn."""
    try:
        loaded = matches.visible(match_id, _NOBODY.pk)
    except Problem:
        return of_site()
    sight = loaded.sight(None)
    first, second = matches.faces(loaded.players)
    names = (first.shown, second.shown)
    lines = tuple(
        Line(name, _number(seat.secret, sight.terms.length))
        for name, seat in zip(names, sight.seats, strict=True)
    )
    if sight.status == Status.OVER:
        return Card(lines, words.headline(sight, names), words.verdict(sight, names))
    return Card(lines, _("Being played right now: come and watch"), words.short_line(sight.terms))


def _number(secret: str | None, length: int) -> tuple[Tile, ...]:
    return tuple(Tile("face", digit) for digit in secret) if secret else (Tile("hidden"),) * length


def of_player(name: str) -> Card:
    player = find_player(name)
    if player is None:
        return of_site()
    record = ratings.record(ratings.tallies(player.pk))
    played = _("%(won)d won, %(lost)d lost") % {"won": record.won, "lost": record.lost}
    if player.kind == Kind.BOT:
        return Card((Line(player.username),), _("a bot, always ready to play"), played)
    points = tuple(Tile("face", digit) for digit in str(player.points)) if player.kind == Kind.HUMAN else ()
    told = ngettext("%(n)d point", "%(n)d points", player.points) % {"n": player.points} if points else played
    return Card((Line(player.username, points),), told, played if points else "")


def of_tournament(tournament_id: str) -> Card:
    try:
        loaded = tournaments.visible(tournament_id, _NOBODY)
    except Problem:
        return of_site()
    cup = presenters.present(loaded, None)
    stands = presenters.champion_sentence(cup) if cup.champion else words.joined(cup.standing, cup.detail)
    return Card((Line(loaded.row.name),), stands, cup.honour or ", ".join(chips(loaded)))
