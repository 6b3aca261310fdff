"""The form in which terms are chosen: for each preset its own fields, and a submitted form read back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matches import words
from matches.core.terms import (
    DEFAULT_PRESET,
    PRESETS,
    BadTerms,
    ClockKind,
    Feedback,
    Menus,
    Preset,
    Start,
    Terms,
    Totals,
    agree,
)
from players.problems import Problem


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    label: str
    checked: bool


@dataclass(frozen=True, slots=True)
class Field:
    """One group of radio buttons. A fixed term has one option and is not shown as a choice."""

    name: str
    label: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class PresetChoice:
    name: str
    label: str
    blurb: str
    checked: bool
    fields: tuple[Field, ...]


def menus() -> Menus:
    """The clocks that this site offers."""
    return {
        ClockKind.BUDGET: tuple(settings.BUDGET_SECONDS),
        ClockKind.MOVE: tuple(settings.MOVE_SECONDS),
    }


def default_terms() -> Terms:
    return agree({}, menus())


def agreed(asked: Mapping[str, object]) -> Terms:
    """Terms as a caller asks for them. Raises `Problem` bad_terms, naming the first that cannot be."""
    try:
        return agree(asked, menus())
    except BadTerms as bad:
        raise Problem("bad_terms", words.terms_rule(bad.field)) from None


def preset_choices(chosen: Terms) -> list[PresetChoice]:
    """Every preset with its fields, those of `chosen` filled in."""
    return [_choice(preset, chosen) for preset in PRESETS.values()]


def _choice(preset: Preset, chosen: Terms) -> PresetChoice:
    checked = preset.name == chosen.preset
    terms = chosen if checked else agree({"preset": preset.name}, menus())
    return PresetChoice(
        preset.name, preset_label(preset.name), _blurb(preset), checked, _fields(preset, terms)
    )


def read_form(form: Mapping[str, str]) -> dict[str, object]:
    """The terms that a submitted form asks for: `preset`, and that preset's own fields."""
    name = form.get("preset", DEFAULT_PRESET)
    given = {
        term: read(form[f"{name}-{term}"]) for term, read in _READERS.items() if f"{name}-{term}" in form
    }
    asked: dict[str, object] = {"preset": name, **given}
    if "seconds" in asked:
        asked["clock"] = {"seconds": asked.pop("seconds")}
    return asked


def _whole(text: str) -> object:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else text


def _yes(text: str) -> object:
    return {"yes": True, "no": False}.get(text, text)


_READERS: dict[str, Callable[[str], object]] = {
    "length": _whole,
    "repeats": _yes,
    "feedback": str,
    "seconds": _whole,
    "rated": _yes,
}


def preset_label(name: str) -> str:
    return {"duel": _("Duel"), "probe": _("Probe"), "classic": _("Classic")}[name]


def _blurb(preset: Preset) -> str:
    match preset.start, preset.never_started:
        case Start.CONFIRM, _:
            return _("Five different digits, marked as found and in place. A clock for every move.")
        case _, "draw":
            return _("As a duel, but a guess may repeat digits even when the numbers may not.")
        case _:
            return _(
                "Both hide a number while the clocks run. If numbers must have all digits different, so must guesses."
            )


def _fields(preset: Preset, terms: Terms) -> tuple[Field, ...]:
    lengths = {n: ngettext("%(n)d digit", "%(n)d digits", n) % {"n": n} for n in preset.length}
    repeats = {yes: _("Repeats allowed") if yes else _("All different") for yes in preset.repeats}
    feedbacks = {feedback: _feedback_label(feedback, preset) for feedback in preset.feedback}
    times = {seconds: words.span(seconds) for seconds in menus()[preset.clock]}
    per_move = preset.clock is ClockKind.MOVE
    fields = (
        _field(preset, "length", _("Length"), lengths, terms.length),
        _field(preset, "repeats", _("Digits"), repeats, terms.repeats),
        _field(preset, "feedback", _("Marks"), feedbacks, terms.feedback),
        _field(
            preset, "seconds", _("Time a move") if per_move else _("Time each"), times, terms.clock.seconds
        ),
        _field(preset, "rated", _("Ladder"), {True: _("Rated"), False: _("Unrated")}, terms.rated),
    )
    return tuple(field for field in fields if len(field.options) > 1)


def _feedback_label(feedback: Feedback, preset: Preset) -> str:
    if feedback is Feedback.POSITIONS:
        return _("Per position")
    return _("Totals") if preset.totals is Totals.EXACT_MISPLACED else _("Found and in place")


def _field(preset: Preset, term: str, label: str, offered: Mapping[Any, str], chosen: object) -> Field:
    options = tuple(Option(_written(value), text, value == chosen) for value, text in offered.items())
    return Field(f"{preset.name}-{term}", label, options)


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
