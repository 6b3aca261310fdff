"""What a page with one board shows, from its sight: the parts of a match page that have to do with one player."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from bots.core.solo import SoloSight
from matches import words
from matches.core.terms import Feedback, Totals
from matches.presenters import Key, Row, Tile, keys, rows


@dataclass(frozen=True, slots=True)
class Hunt:
    """The number that is looked for, and the guesses at it. Named as in a match's seat, whose templates draw it."""

    near: bool
    goal: str
    goal_label: str
    goal_tiles: tuple[Tile, ...]
    board_label: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class SoloView:
    """The whole page. The names are those of a match's view, whose templates draw board, field and keypad."""

    phase: str
    playing: bool
    your_turn: bool
    line: str
    chips: tuple[str, ...]
    length: int
    totals: bool
    found_in_place: bool
    guess_rule: str
    n: int
    room: int
    near: Hunt
    keys: tuple[Key, ...]
    found: bool
    headline: str
    spoken: str
    note: str = ""


def present(sight: SoloSight, *, fresh: bool = False) -> SoloView:
    """`fresh` if the newest row has just been marked."""
    terms = sight.terms
    headline = _headline(sight) if sight.over else ""
    return SoloView(
        phase="over" if sight.over else "playing",
        playing=True,
        your_turn=not sight.over,
        line=words.joined(*words.brief(terms)),
        chips=(words.length(terms), words.repeats(terms), words.feedback(terms)),
        length=terms.length,
        totals=terms.feedback is Feedback.TOTALS,
        found_in_place=terms.totals is Totals.FOUND_IN_PLACE,
        guess_rule=words.code_rule(terms, guess=True),
        n=len(sight.rows) + 1,
        room=sight.room,
        near=_hunt(sight, fresh=fresh),
        keys=tuple(keys(terms, sight.rows)),
        found=sight.found,
        headline=headline,
        spoken=f"{words.guess_sentence(terms, sight.rows[-1])} {headline}".strip() if fresh else headline,
    )


def _hunt(sight: SoloSight, *, fresh: bool) -> Hunt:
    number = sight.number or ""
    return Hunt(
        near=True,
        goal=number,
        goal_label=_("The number: %(code)s") % {"code": words.spoken(number)}
        if number
        else _("The hidden number"),
        goal_tiles=tuple(Tile(digit, "exact" if sight.found else "") for digit in number)
        or (Tile("", "hid"),) * sight.terms.length,
        board_label=_("Your guesses"),
        rows=tuple(rows(sight.terms, 0, sight.rows, slot=not sight.over, fresh=fresh)),
    )


def _headline(sight: SoloSight) -> str:
    if sight.found:
        return _("Found on guess %(n)d.") % {"n": len(sight.rows)}
    return _("Not found.")


def preset_blurb(name: str) -> str:
    """What a preset means to who plays alone."""
    return {
        "duel": _("If numbers must have all digits different, so must guesses."),
        "probe": _("As a duel, but a guess may repeat digits even when the number may not."),
        "classic": _("Five different digits, marked as found and in place."),
    }[name]
