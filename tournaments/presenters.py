"""What the tournament page shows: its bracket, its sentences, the reader's own way. Knows words, never a row."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import ceil, log2

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from matches import words
from matches.core.machine import Reason
from matches.core.machine import State as MatchState
from tournaments.core.bracket import Place, columns
from tournaments.core.machine import Fall, Status, Why
from tournaments.core.machine import Pairing as Drawn
from tournaments.queries import Loaded
from tournaments.wire import bot_won

SO_FAR = 8


@dataclass(frozen=True, slots=True)
class Side:
    """One line of a node. `look` is "won", "lost" or nothing yet."""

    name: str
    look: str
    you: bool


@dataclass(frozen=True, slots=True)
class Node:
    """One pairing as the bracket shows it; `sides` empty for room left empty. `rows` and `joins` place it."""

    id: str
    match: str | None
    sides: tuple[Side, ...]
    look: str  # "live", "wait", ""
    own: bool
    sentence: str
    rows: int
    joins: str
    fed: bool


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """A line of what has happened so far."""

    sentence: str
    how: str
    match: str | None


@dataclass(frozen=True, slots=True)
class Own:
    """What the reader is told of their own way: a match to go to, or a sentence."""

    title: str
    detail: str
    match: str | None
    out: bool = False


@dataclass(frozen=True, slots=True)
class CupView:
    id: str
    name: str
    revision: int
    status: str
    standing: str
    detail: str
    why: str
    own: Own | None
    entered: bool
    may_leave: bool
    entrants: tuple[Side, ...]
    room: int
    columns: tuple[Column, ...]
    ended_title: str
    ended: tuple[Ended, ...]
    champion: str | None
    champion_you: bool
    honour: str


def present(loaded: Loaded, user_id: int | None) -> CupView:
    state, you = loaded.state, loaded.entrant_of(user_id)
    champion = state.champion
    return CupView(
        id=loaded.row.pk,
        name=loaded.row.name,
        revision=loaded.row.revision,
        status=state.status.value,
        standing=standing(state.status),
        detail=_detail(loaded),
        why=why(state.why),
        own=_own(loaded, you),
        entered=you is not None,
        may_leave=state.status is Status.RUNNING and you in state.alive,
        entrants=tuple(Side(_name(loaded, entrant, you), "", entrant == you) for entrant in state.entrants),
        room=state.maximum - len(state.entrants),
        columns=tuple(_columns(loaded, you)),
        ended_title=_ended_title(loaded, you),
        ended=tuple(_ended(loaded, you)),
        champion=None if champion is None else loaded.shown(champion),
        champion_you=champion is not None and champion == you,
        honour=_honour(loaded),
    )


def standing(status: Status) -> str:
    return {
        Status.OPEN: _("Open"),
        Status.RUNNING: _("Live"),
        Status.OVER: _("Finished"),
        Status.CANCELLED: _("Cancelled"),
    }[status]


def why(reason: Why | None) -> str:
    if reason is None:
        return ""
    return {
        Why.TOO_FEW: _("It is cancelled: fewer than two players had entered when it was to start."),
        Why.CALLED_OFF: _("It is cancelled: it was called off before the start."),
        Why.NO_SHOW: _("There is no champion: nobody came to the last match."),
        Why.UNDECIDED: _("There is no champion: the last match was left undecided."),
        Why.WITHDRAWN: _("There is no champion: all who were left have withdrawn."),
        Why.NOBODY_LEFT: _("There is no champion: nobody got through the last round."),
    }[reason]


def players(count: int) -> str:
    return ngettext("%(n)d player", "%(n)d players", count) % {"n": count}


def round_title(pairings: int, number: int) -> str:
    if pairings == 1:
        return _("Final")
    if pairings == 2:
        return _("Semi-finals")
    return _("Quarter-finals") if pairings in (3, 4) else _("Round %(n)d") % {"n": number}


def _detail(loaded: Loaded) -> str:
    state = loaded.state
    count = players(len(state.entrants))
    if state.status is Status.RUNNING:
        number = len(state.rounds)
        of = {"n": number, "of": number - 1 + rounds_of(2 * len(state.round))}
        told = _("round %(n)d of %(of)d") % of
        return words.joined(told, count)
    return entered(len(state.entrants), state.maximum, state.status)


def entered(count: int, most: int, status: Status) -> str:
    """How many are in, and while it is open of how many there may be."""
    told = players(count)
    return _("%(count)s of %(most)d") % {"count": told, "most": most} if status is Status.OPEN else told


def rounds_of(entrants: int) -> int:
    """Rounds from so many on until one is left."""
    return ceil(log2(entrants)) if entrants > 1 else 0


def _name(loaded: Loaded, entrant: int | None, you: int | None) -> str:
    return _("You") if entrant is not None and entrant == you else loaded.shown(entrant)


# The bracket


def _columns(loaded: Loaded, you: int | None) -> Iterator[Column]:
    rounds = loaded.state.rounds
    for number, (drawn, places) in enumerate(zip(rounds, columns(rounds), strict=True), start=1):
        title = round_title(len(drawn), number)
        yield Column(title, tuple(_node(loaded, number, place, you) for place in places))
    if rounds and loaded.state.status is Status.RUNNING and len(rounds[-1]) > 1:
        yield _next_column(len(rounds[0]), len(rounds[-1]), len(rounds) + 1)


def _next_column(rows: int, pairings: int, number: int) -> Column:
    """The round to come, which is drawn once this one is over."""
    told = _("Drawn at random once this round is over")
    node = Node("next", None, (Side(told, "", you=False),), "wait", False, told, rows, "", fed=False)
    return Column(round_title(ceil(pairings / 2), number), (node,))


def _node(loaded: Loaded, number: int, place: Place, you: int | None) -> Node:
    if place.pairing is None:
        return Node("", None, (), "", own=False, sentence="", rows=place.rows, joins="", fed=False)
    pairing = loaded.state.rounds[number - 1][place.pairing]
    return Node(
        id=f"pairing-{number}-{place.pairing}",
        match=loaded.matches[number - 1][place.pairing],
        sides=tuple(_side(loaded, pairing, entrant, you) for entrant in (pairing.first, pairing.second)),
        look="" if pairing.decided else "live",
        own=you in pairing.entrants,
        sentence=_sentence(loaded, pairing, you),
        rows=place.rows,
        joins=place.joins,
        fed=place.fed,
    )


def _side(loaded: Loaded, pairing: Drawn, entrant: int | None, you: int | None) -> Side:
    won = pairing.through == entrant if entrant is not None else bot_won(loaded, pairing)
    look = ("won" if won else "lost") if pairing.decided else ""
    return Side(_name(loaded, entrant, you), look, entrant is not None and entrant == you)


def _sentence(loaded: Loaded, pairing: Drawn, you: int | None) -> str:
    """What the pairing is or was, in words for who cannot see it."""
    first, second = (_name(loaded, entrant, you) for entrant in (pairing.first, pairing.second))
    names = {"first": first, "second": second, "winner": first, "loser": second}
    if not pairing.decided:
        return _("%(first)s against %(second)s, being played") % names
    won = [entrant for entrant in (pairing.first, pairing.second) if _won(loaded, pairing, entrant)]
    if not won and you in pairing.entrants:
        other = pairing.second if pairing.first == you else pairing.first
        return _("You and %(name)s: neither went on") % {"name": loaded.shown(other)}
    if not won:
        return _("%(first)s and %(second)s: neither went on") % names
    if won[0] != pairing.first:
        names |= {"winner": second, "loser": first}
    if you in pairing.entrants:
        return _own_sentence(names, won=won[0] == you)
    return _("%(winner)s beat %(loser)s") % names


def _own_sentence(names: dict[str, str], *, won: bool) -> str:
    if won:
        return _("You beat %(loser)s") % names
    return _("%(winner)s beat you") % names


def _won(loaded: Loaded, pairing: Drawn, entrant: int | None) -> bool:
    return bot_won(loaded, pairing) if entrant is None else pairing.through == entrant


# So far


def _ended_title(loaded: Loaded, you: int | None) -> str:
    champion = loaded.state.champion
    if champion is None:
        return _("So far")
    if champion == you:
        return _("Your way to the title")
    return _("How %(name)s won it") % {"name": loaded.shown(champion)}


def _ended(loaded: Loaded, you: int | None) -> Iterator[Ended]:
    """What has been decided of late; once there is a champion, the matches that led there."""
    champion = loaded.state.champion
    told = islice(_decided(loaded), SO_FAR) if champion is None else _won_by(loaded, champion)
    for pairing, match_id in told:
        end = loaded.ends.get(match_id or "")
        yield Ended(_sentence(loaded, pairing, you), how(end) if end else "", match_id)


def _won_by(loaded: Loaded, champion: int) -> Iterator[tuple[Drawn, str | None]]:
    for drawn, matches in zip(loaded.state.rounds, loaded.matches, strict=True):
        for pairing, match_id in zip(drawn, matches, strict=True):
            if champion in pairing.entrants:
                yield pairing, match_id


def _decided(loaded: Loaded) -> Iterator[tuple[Drawn, str | None]]:
    """The latest first: rounds back from the last, in each those that ended latest."""
    for drawn, matches in zip(reversed(loaded.state.rounds), reversed(loaded.matches), strict=True):
        decided = [
            (pairing, match_id) for pairing, match_id in zip(drawn, matches, strict=True) if pairing.decided
        ]
        yield from sorted(decided, key=lambda one: _ended_at(loaded, one[1]), reverse=True)


def _ended_at(loaded: Loaded, match_id: str | None) -> int:
    end = loaded.ends.get(match_id or "")
    return end.result.at if end and end.result else 0


def how(end: MatchState) -> str:
    """How a match ended, in two or three words."""
    result = end.result
    if result is None:
        return ""
    match result.reason:
        case Reason.BROKEN if result.winner is not None:
            guesses = len(end.seats[result.winner].guesses)
            return ngettext("%(n)d guess", "%(n)d guesses", guesses) % {"n": guesses}
        case Reason.TIME:
            return _("on time")
        case Reason.RESIGNED:
            return pgettext("how a match ended", "resigned")
        case Reason.FORFEIT:
            return pgettext("how a match ended", "away for too long")
        case Reason.ADJUDICATED:
            return _("by a moderator")
        case _:
            return _("not played")


# The reader's own way


def _own(loaded: Loaded, you: int | None) -> Own | None:
    state = loaded.state
    if you is None or state.status is not Status.RUNNING:
        return None
    playing = loaded.playing(you)
    if playing is not None:
        return _own_match(loaded, you, *playing)
    if you in state.alive:
        return Own(
            _("You are through"), _("The next round begins soon after the last match of this one."), None
        )
    falls = dict(state.fallen)
    return Own(_("You are out"), _fall(falls[you]), None, out=True)


def _own_match(loaded: Loaded, you: int, pairing: Drawn, match_id: str | None) -> Own:
    titles = {1: _("Your final is on"), 2: _("Your semi-final is on")}
    title = titles.get(len(loaded.state.round), _("Your match is on"))
    other = pairing.second if pairing.first == you else pairing.first
    return Own(title, _("Against %(name)s.") % {"name": loaded.shown(other)}, match_id)


def _fall(fall: Fall) -> str:
    return {
        Fall.LOST: _("You lost your match. Thank you for playing."),
        Fall.BOT_WON: _("The bot won your match. Thank you for playing."),
        Fall.NO_SHOW: _("Your match was not begun in time."),
        Fall.UNDECIDED: _("Your match ended without a winner: neither of you goes on."),
        Fall.WITHDRAWN: _("You have left the tournament."),
    }[fall]


def _honour(loaded: Loaded) -> str:
    """What the champion did, in one sentence."""
    state = loaded.state
    if state.champion is None:
        return ""
    rounds = ngettext("%(n)d round", "%(n)d rounds", len(state.rounds)) % {"n": len(state.rounds)}
    return _("Won against a field of %(players)s, in %(rounds)s.") % {
        "players": players(len(state.entrants)),
        "rounds": rounds,
    }


def champion_sentence(cup: CupView) -> str:
    return (
        _("You are the champion.")
        if cup.champion_you
        else _("%(name)s is the champion.") % {"name": cup.champion}
    )
