"""Results, points and records in words."""

from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from matches import words
from matches.choices import preset_label
from matches.core.machine import Reason
from matches.core.terms import DEFAULT_PRESET, PRESETS, Terms
from matches.presenters import Face
from ratings.core.points import applied, earned
from ratings.models import Cause, Outcome, Result
from ratings.queries import KINDS, Line, Moved


def signed(change: int) -> str:
    """`+2`, `−6`, `0`: as wide a minus as a plus."""
    return f"+{change}" if change > 0 else f"−{-change}" if change else "0"


def guesses(count: int) -> str:
    return ngettext("%(n)d guess", "%(n)d guesses", count) % {"n": count}


def decimal(value: float | None) -> str:
    return "–" if value is None else number_format(value, decimal_pos=1)


def kind_of_match(terms: Terms) -> str:
    """Terms but for their clock, as a record is kept by them."""
    if _is_fixed(terms):
        return preset_label(terms.preset)
    return _named(terms, ", ".join(words.brief(terms)))


def terms_line(terms: Terms) -> str:
    """Terms with their clock, in one line."""
    return _named(terms, words.clock(terms) if _is_fixed(terms) else words.short_line(terms))


def _is_fixed(terms: Terms) -> bool:
    """Whether the preset leaves nothing open but the clock: then its name says it all."""
    return len(PRESETS[terms.preset].length) == 1


def _named(terms: Terms, line: str) -> str:
    """The usual preset needs no name."""
    return line if terms.preset == DEFAULT_PRESET else words.joined(preset_label(terms.preset), line)


def sentence(result: Result, name: str) -> SafeString:
    """How a match went, told of its player, with `name` for the opponent: *Beat Elena on time*."""
    told = capfirst(_sentence(Outcome(result.outcome), result.reason))
    return format_html(told, name=format_html("<strong>{}</strong>", name))


def opponent(face: Face) -> str:
    """A bot's name alone would be an odd word in a sentence: *Beat Easy*."""
    return _("the %(name)s bot") % {"name": face.shown} if face.kind == "bot" else face.shown


def you() -> str:
    return pgettext("the opponent", "you")


def _sentence(outcome: Outcome, reason: str) -> str:
    match outcome:
        case Outcome.WON:
            return {
                Reason.BROKEN: _("beat {name}"),
                Reason.TIME: _("beat {name} on time"),
                Reason.RESIGNED: _("beat {name}, who resigned"),
                Reason.FORFEIT: _("beat {name}, who stayed away"),
                Reason.ADJUDICATED: _("beat {name} by a moderator’s decision"),
            }[Reason(reason)]
        case Outcome.LOST:
            return {
                Reason.BROKEN: _("lost to {name}"),
                Reason.TIME: _("lost to {name} on time"),
                Reason.RESIGNED: _("resigned against {name}"),
                Reason.FORFEIT: _("lost to {name} by staying away"),
                Reason.ADJUDICATED: _("lost to {name} by a moderator’s decision"),
            }[Reason(reason)]
        case Outcome.DRAWN:
            return _("drew with {name}: nobody chose a number")
        case Outcome.VOID:
            return {
                Reason.UNPLAYED: _("void against {name}: nobody chose a number"),
                Reason.UNCONFIRMED: _("void against {name}: not confirmed in time"),
                Reason.ADJUDICATED: _("void against {name}: a moderator’s decision"),
            }[Reason(reason)]


def short_why(line: Line) -> str:
    """Why a match gave what it gave, in two or three words to stand beside the figure."""
    moved = line.moved
    if moved is None:
        return _("against a bot") if line.result.against_bot else "" if line.result.rated else _("unrated")
    if moved.given and moved.cause != Cause.REVERSED:
        return pgettext("points", "decided")
    match moved.cause:
        case Cause.WON:
            return ""  # the sentence says so
        case Cause.REVERSED | Cause.RESET:
            return _("taken back")
        case Cause.LOST:
            return _in_place(moved)


def why(line: Line) -> str:
    """Why a match gave its player what it gave, as a sentence (R6)."""
    moved = line.moved
    if moved is None:
        return _why_nothing(line.result)
    if moved.given and moved.cause != Cause.REVERSED:
        return _("%(points)s by a moderator’s later decision.") % {"points": signed(moved.change)}
    match moved.cause:
        case Cause.WON:
            return _("%(points)s for winning.") % {"points": signed(moved.change)}
        case Cause.REVERSED | Cause.RESET:
            return _("A moderator took the points back.")
        case Cause.LOST:
            return _why_lost(moved)


def _why_lost(moved: Moved) -> str:
    due = earned(moved.length, moved.in_place or 0)
    facts = {"points": signed(due), "place": _in_place(moved), "left": -moved.change}
    if applied(-moved.change, due) != due:
        return _("%(place)s in the last guess: %(points)s, of which only %(left)d could be taken.") % facts
    return _("%(place)s in the last guess: %(points)s.") % facts


def _in_place(moved: Moved) -> str:
    return _("%(n)d in place") % {"n": moved.in_place} if moved.in_place else _("none in place")


def _why_nothing(result: Result) -> str:
    if result.against_bot:
        return _("A match against a bot moves no points.")
    if not result.rated:
        return _("This match was not rated: it moves no points.")
    return _("A match without a winner moves no points.")


def outcome_label(outcome: str) -> str:
    return {
        Outcome.WON: pgettext("a match", "Won"),
        Outcome.LOST: pgettext("a match", "Lost"),
        Outcome.DRAWN: pgettext("a match", "Drawn"),
        Outcome.VOID: pgettext("a match", "Void"),
    }[Outcome(outcome)]


def kind_label(kind: str) -> str:
    labels = {"rated": _("Rated"), "unrated": _("Unrated"), "bots": _("Against bots")}
    assert labels.keys() == KINDS.keys()
    return labels[kind]
