"""What a match is played on. A preset is a named, frozen set of terms; only this module knows their names."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeVar

from matches.core.codes import all_different, is_code

LENGTHS = (4, 5)


class GuessRule(StrEnum):
    """Whether a guess under *all different* may repeat a digit (R2.3)."""

    STRICT = "strict"
    FREE = "free"


class Feedback(StrEnum):
    POSITIONS = "positions"
    TOTALS = "totals"


class Totals(StrEnum):
    """How the two numbers of a totals row are shown (R3.3)."""

    EXACT_MISPLACED = "exact_misplaced"
    FOUND_IN_PLACE = "found_in_place"


class ClockKind(StrEnum):
    BUDGET = "budget"
    MOVE = "move"


class Start(StrEnum):
    """`ready`: both clocks run until you commit (R4.2). `confirm`: a countdown once both have (R4.3)."""

    READY = "ready"
    CONFIRM = "confirm"


class BadTerms(Exception):
    """Terms that no preset admits; `field` names the first one that is wrong."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


@dataclass(frozen=True, slots=True)
class Clock:
    kind: ClockKind
    seconds: int

    @property
    def ms(self) -> int:
        return self.seconds * 1000


@dataclass(frozen=True, slots=True)
class Terms:
    """Everything two players agree on. Never changes once a match exists."""

    preset: str
    length: int
    repeats: bool
    guesses: GuessRule
    feedback: Feedback
    totals: Totals
    clock: Clock
    start: Start
    never_started: Literal["void", "draw"]
    grace: bool
    rated: bool

    @property
    def patient(self) -> bool:
        """An hour or more a move: played from one's pocket, not sat through."""
        return self.clock.kind is ClockKind.MOVE and self.clock.seconds >= 3600

    def admits_secret(self, code: object) -> bool:
        """R1, R2.1, R2.2."""
        return isinstance(code, str) and is_code(code, self.length) and (self.repeats or all_different(code))

    def admits_guess(self, code: object) -> bool:
        """R1, R2.3: a free guess may repeat a digit even where the secret may not."""
        if self.guesses is GuessRule.FREE:
            return is_code(code, self.length)
        return self.admits_secret(code)


@dataclass(frozen=True, slots=True)
class Preset:
    """The values each term may take. One value is a fixed term; the first of several is the default."""

    name: str
    length: tuple[int, ...]
    repeats: tuple[bool, ...]
    guesses: GuessRule
    feedback: tuple[Feedback, ...]
    totals: Totals
    clock: ClockKind
    seconds: int
    start: Start
    never_started: Literal["void", "draw"]
    grace: bool


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            name="duel",
            length=LENGTHS,
            repeats=(True, False),
            guesses=GuessRule.STRICT,
            feedback=(Feedback.POSITIONS, Feedback.TOTALS),
            totals=Totals.EXACT_MISPLACED,
            clock=ClockKind.BUDGET,
            seconds=300,
            start=Start.READY,
            never_started="void",
            grace=True,
        ),
        Preset(
            name="probe",
            length=LENGTHS,
            repeats=(True, False),
            guesses=GuessRule.FREE,
            feedback=(Feedback.POSITIONS, Feedback.TOTALS),
            totals=Totals.EXACT_MISPLACED,
            clock=ClockKind.BUDGET,
            seconds=300,
            start=Start.READY,
            never_started="draw",
            grace=True,
        ),
        Preset(
            name="classic",
            length=(5,),
            repeats=(False,),
            guesses=GuessRule.STRICT,
            feedback=(Feedback.TOTALS,),
            totals=Totals.FOUND_IN_PLACE,
            clock=ClockKind.MOVE,
            seconds=120,
            start=Start.CONFIRM,
            never_started="void",
            grace=False,
        ),
    )
}
DEFAULT_PRESET = "duel"

Menus = Mapping[ClockKind, tuple[int, ...]]
"""The seconds that the site offers for each kind of clock."""


def default_seconds(preset: Preset, menus: Menus) -> int:
    """The preset's own time where the site offers it, else the offered one nearest to it."""
    return min(menus[preset.clock], key=lambda offered: abs(offered - preset.seconds))


def agree(asked: Mapping[str, object], menus: Menus) -> Terms:
    """Turn what somebody asked for into terms, filling in what was left out.

    Raises `BadTerms` for an unknown term, a fixed term with another value, or a value not offered.
    """
    preset = PRESETS.get(str(asked.get("preset", DEFAULT_PRESET)))
    if preset is None or not isinstance(asked.get("preset", ""), str):
        raise BadTerms("preset")
    unknown = sorted(set(asked) - {"preset", "length", "repeats", "guesses", "feedback", "clock", "rated"})
    if unknown:
        raise BadTerms(unknown[0])
    return Terms(
        preset=preset.name,
        length=_pick(asked, "length", preset.length),
        repeats=_pick(asked, "repeats", preset.repeats),
        guesses=_pick(asked, "guesses", (preset.guesses,)),
        feedback=_pick(asked, "feedback", preset.feedback),
        totals=preset.totals,
        clock=_pick_clock(asked.get("clock", {}), preset, menus),
        start=preset.start,
        never_started=preset.never_started,
        grace=preset.grace,
        rated=_pick(asked, "rated", (True, False)),
    )


T = TypeVar("T")


def _pick(asked: Mapping[str, object], field: str, offered: tuple[T, ...]) -> T:
    if field not in asked:
        return offered[0]
    for value in offered:
        if _same(asked[field], value):
            return value
    raise BadTerms(field)


def _pick_clock(asked: object, preset: Preset, menus: Menus) -> Clock:
    if not isinstance(asked, Mapping) or set(asked) - {"kind", "seconds"}:
        raise BadTerms("clock")
    if not _same(asked.get("kind", preset.clock), preset.clock):
        raise BadTerms("clock")
    for seconds in menus[preset.clock]:
        if _same(asked.get("seconds", default_seconds(preset, menus)), seconds):
            return Clock(preset.clock, seconds)
    raise BadTerms("clock")


def _same(asked: object, value: object) -> bool:
    """Equal in kind too: JSON's `true` is not the length 1, nor is `4.0` the length 4."""
    return (
        asked == value and isinstance(asked, bool) == isinstance(value, bool) and not isinstance(asked, float)
    )
