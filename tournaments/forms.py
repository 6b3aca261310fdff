"""The form in which a tournament is made and changed: what it shows, and a submitted one read back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.utils import timezone
from django.utils.translation import gettext as _

from matches import choices
from matches.choices import PresetChoice
from matches.core.terms import Terms
from players.problems import Problem
from tournaments.core.occasions import wall_clock
from tournaments.models import FEWEST, LONGEST_NAME, MOST
from tournaments.services import SHORTEST_NAME, Plan

HOME_ZONE = "Europe/Rome"
"""Where a form begins that no script has told the reader's own zone."""


@dataclass(frozen=True, slots=True)
class Form:
    """The fields as they stand in the page, as text."""

    name: str = ""
    day: str = ""
    hour: str = ""
    zone: str = HOME_ZONE
    private: bool = False
    maximum: str = str(16)

    shortest, longest, fewest, most = SHORTEST_NAME, LONGEST_NAME, FEWEST, MOST

    @property
    def zones(self) -> tuple[str, ...]:
        return zones()


@cache
def zones() -> tuple[str, ...]:
    """Every region's cities, and Greenwich: what a browser may name, without the aliases of old."""
    regions = (
        "Africa",
        "America",
        "Antarctica",
        "Asia",
        "Atlantic",
        "Australia",
        "Europe",
        "Indian",
        "Pacific",
    )
    return (*sorted(zone for zone in available_timezones() if zone.split("/")[0] in regions), "UTC")


def blank() -> Form:
    """An hour from now, on the hour."""
    return at(Form(), timezone.now() + timedelta(hours=2))


def at(form: Form, instant: datetime) -> Form:
    local = instant.astimezone(ZoneInfo(form.zone))
    return replace(form, day=local.strftime("%Y-%m-%d"), hour=local.strftime("%H:00"))


def filled(plan: Plan) -> Form:
    local = plan.starts_at.astimezone(ZoneInfo(plan.zone))
    return Form(
        name=plan.name,
        day=local.strftime("%Y-%m-%d"),
        hour=local.strftime("%H:%M"),
        zone=plan.zone,
        private=plan.private,
        maximum=str(plan.maximum),
    )


def sent(form: Mapping[str, str]) -> Form:
    """What was sent, to be shown again."""
    return Form(
        name=form.get("name", ""),
        day=form.get("day", ""),
        hour=form.get("hour", ""),
        zone=form.get("zone", ""),
        private=form.get("private") == "yes",
        maximum=form.get("maximum", ""),
    )


def read(form: Mapping[str, str]) -> Plan:
    """Raises `Problem`: invalid, bad_terms."""
    given = sent(form)
    maximum = given.maximum.strip()
    return Plan(
        name=given.name,
        terms=choices.agreed(choices.read_form(form)),
        starts_at=_instant(given),
        zone=given.zone,
        private=given.private,
        maximum=int(maximum) if maximum.isascii() and maximum.isdigit() and len(maximum) < 4 else 0,
    )


def _instant(given: Form) -> datetime:
    if given.zone not in available_timezones():
        raise Problem("invalid", _("That is not a time zone."))
    try:
        day, hour = date.fromisoformat(given.day), time.fromisoformat(given.hour)
        instant = wall_clock(day, hour.replace(tzinfo=None), given.zone)
    except (ValueError, OverflowError):
        raise Problem("invalid", _("Say on which day and at what time it starts.")) from None
    if instant is None:
        raise Problem("invalid", _("The clocks are changed at that hour: that time does not exist."))
    return instant


def preset_choices(terms: Terms) -> list[PresetChoice]:
    """The terms to choose from; whether they are rated is no choice here (R8.6)."""
    return [
        replace(choice, fields=tuple(field for field in choice.fields if not field.name.endswith("-rated")))
        for choice in choices.preset_choices(terms)
    ]
