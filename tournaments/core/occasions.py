"""When a weekly tournament is held: an hour of a zone, across changes of its clocks. Time is handed in."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

WEEK = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class Weekly:
    """`weekday` counts from Monday, 0."""

    weekday: int
    hour: time
    zone: str

    def on(self, day: date) -> datetime:
        """The instant of that day's occasion. An hour that the change of the clock leaves out is held as long after
        midnight as it would have been; of one that comes twice, the first counts."""
        return datetime.combine(day, self.hour, ZoneInfo(self.zone)).astimezone(UTC)


def next_occasion(weekly: Weekly, now: datetime) -> date:
    """The day, in its own zone, of the first occasion after `now`."""
    today = now.astimezone(ZoneInfo(weekly.zone)).date()
    day = today + timedelta(days=(weekly.weekday - today.weekday()) % 7)
    return day if weekly.on(day) > now else day + WEEK


def wall_clock(day: date, hour: time, zone: str) -> datetime | None:
    """The instant at which clocks in `zone` show so; None for an hour that their change leaves out."""
    local = datetime.combine(day, hour, ZoneInfo(zone))
    instant = local.astimezone(UTC)
    shown = instant.astimezone(local.tzinfo)
    return instant if shown.replace(tzinfo=None) == local.replace(tzinfo=None) else None
