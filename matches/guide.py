"""What the rules and strategy pages show: examples marked by the real rule, presets side by side. Knows no match."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.http import QueryDict
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from matches import words
from matches.choices import agreed, default_terms, menus, preset_label, read_form
from matches.core.machine import Guess
from matches.core.marking import mark
from matches.core.sight import see_guess
from matches.core.terms import PRESETS, ClockKind, Feedback, Preset, Terms, agree
from matches.presenters import Row, guess_row
from matches.services import limits
from players.problems import Problem

TRIED = 8
"""Guesses that the box on the rules page keeps, the latest."""

OPENINGS: dict[str, tuple[int, int]] = {
    "1111": (4521, 5179),
    "1122": (2012, 2614),
    "1123": (1027, 2030),
    "1234": (526, 1837),
}
"""How many of the 10,000 numbers of four digits an opening leaves on average: marked per position, and as totals."""

SHOWN_NUMBER = "4172"
SHOWN_GUESSES: dict[str, int] = {"1123": 105, "2145": 5}
"""Guesses at `SHOWN_NUMBER`, each with how many numbers are possible after it."""

LAST_FIVE = ("4102", "4162", "4172", "4182", "4192")
"""Those that are possible after both."""
PROBE = "0687"
"""A guess that cannot be right, and is marked differently by each of the last five."""

PARTING = "31658", "31659"
"""A number, and a last guess at it in a match that is lost."""


@dataclass(frozen=True, slots=True)
class Example:
    """A board that hunts `secret`, as a match would show it."""

    secret: str
    rows: tuple[Row, ...]
    totals: bool


def example(name: str, secret: str, guesses: Iterable[str], terms: Terms) -> Example:
    """`name` sets the rows of one example apart from those of another on the same page."""
    rows = []
    for n, guess in enumerate(guesses, start=1):
        row = guess_row(terms, 0, see_guess(terms, n, Guess(guess, mark(secret, guess), 0)))
        rows.append(replace(row, id=f"{name}-{n}"))
    return Example(secret, tuple(rows), terms.feedback is Feedback.TOTALS)


def rules() -> dict[str, object]:
    totals = agree({"feedback": "totals", "length": 5}, menus())
    classic = agree({"preset": "classic"}, menus())
    return {
        "repeated": [
            (
                _per_position("copies", "11234", "43211"),
                _("The 2 is in its place. The other four are elsewhere."),
            ),
            (
                _per_position("spent", "11234", "51111"),
                _("There are two 1s: one is in its place, one is elsewhere, and the others find none left."),
            ),
            (
                _per_position("zero", "00417", "74100"),
                _("All five are there, none in its place. A leading zero counts like any digit."),
            ),
        ],
        "counted": example("counted", "72815", ("01234", "71825"), totals),
        "found": example("found", "72815", ("01234", "72034", "18257", "71825", "72815"), classic),
        "presets": [preset_label(name) for name in PRESETS],
        "comparison": list(_comparison()),
        "grace": words.span(limits().grace_ms // 1000),
        "choose": words.span(limits().choose_ms // 1000),
        "confirm": words.span(limits().confirm_ms // 1000),
    }


def strategy() -> dict[str, object]:
    number, last = PARTING
    return {
        "openings": [
            (code, _number(per_position), _number(as_totals))
            for code, (per_position, as_totals) in OPENINGS.items()
        ],
        "shown": _per_position("shown", SHOWN_NUMBER, *SHOWN_GUESSES),
        "left": [_number(left) for left in SHOWN_GUESSES.values()],
        "last_five": ", ".join(LAST_FIVE),
        "probe": PROBE,
        "probed": [_per_position(f"probe-{number}", number, PROBE) for number in LAST_FIVE],
        "parting": _per_position("parting", number, last),
    }


def _per_position(name: str, secret: str, *guesses: str) -> Example:
    return example(name, secret, guesses, agree({"length": len(secret)}, menus()))


def _number(n: int) -> str:
    return number_format(n, use_l10n=True, force_grouping=True)


# Presets side by side


@dataclass(frozen=True, slots=True)
class Line:
    """One term, as each preset has it."""

    label: str
    cells: tuple[str, ...]


def _comparison() -> Iterable[Line]:
    labels = (
        _("Digits"),
        _("Repeats"),
        _("Marks"),
        _("Clock"),
        _("Start"),
        _("Nobody chooses"),
        _("Dropping"),
    )
    columns = [_column(preset) for preset in PRESETS.values()]
    for label, *cells in zip(labels, *columns, strict=True):
        yield Line(label, tuple(cells))


def _column(preset: Preset) -> tuple[str, ...]:
    terms, site = agree({"preset": preset.name}, menus()), limits()
    times = {"time": _either([words.span(seconds) for seconds in menus()[preset.clock]])}
    return (
        _either([str(n) for n in preset.length]),
        _either([words.repeats(replace(terms, repeats=allowed)) for allowed in preset.repeats]),
        _either([words.feedback(replace(terms, feedback=feedback)) for feedback in preset.feedback]),
        _("%(time)s each") % times if preset.clock is ClockKind.BUDGET else _("%(time)s a move") % times,
        *words.small_print(terms, site.grace_ms, site.confirm_ms),
    )


def _either(offered: Sequence[str]) -> str:
    if len(offered) == 1:
        return offered[0]
    return _("%(some)s or %(last)s") % {"some": ", ".join(offered[:-1]), "last": offered[-1]}


# The box in which a reader marks own guesses


@dataclass(frozen=True, slots=True)
class Trial:
    """The box as it stands: what was typed, the guesses marked so far, and what is wrong, where something is."""

    terms: Terms
    secret: str
    guess: str
    past: tuple[str, ...]
    wrong: str = ""  # the field that is
    error: str = ""

    @property
    def board(self) -> Example:
        return example("tried", self.secret, self.past if self.wrong != "secret" else (), self.terms)

    @property
    def lengths(self) -> list[tuple[int, bool]]:
        return [(length, length == self.terms.length) for length in PRESETS[self.terms.preset].length]

    @property
    def by_totals(self) -> bool:
        return self.terms.feedback is Feedback.TOTALS


def first_trial() -> Trial:
    return Trial(agree({"length": 5}, menus()), "11234", "43211", ("43211",))


def try_out(form: QueryDict) -> Trial:
    """Mark one more guess. Nothing is kept but what the form itself carries."""
    secret, guess = form.get("secret", "").strip(), form.get("guess", "").strip()
    try:
        terms = agreed(read_form(form))
    except Problem as problem:
        return Trial(default_terms(), secret, guess, (), "secret", problem.detail)
    past = tuple(code for code in form.getlist("past") if terms.admits_guess(code))
    if not terms.admits_secret(secret):
        return Trial(terms, secret, guess, past[-TRIED:], "secret", words.code_rule(terms, guess=False))
    if not terms.admits_guess(guess):
        return Trial(terms, secret, guess, past[-TRIED:], "guess", words.code_rule(terms, guess=True))
    return Trial(terms, secret, guess, (*past, guess)[-TRIED:])
