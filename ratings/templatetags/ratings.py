"""What a finished match has moved, for the page of the match."""

from django import template

from matches.presenters import MatchView
from ratings import queries, words

register = template.Library()


@register.inclusion_tag("ratings/_told.html")
def points_told(view: MatchView) -> dict[str, object]:
    """A line for each seat of a counted match: what it got, and why. Nothing before its end is counted.

    Where no points were moved, one line says so for both.
    """
    told = queries.told(view.id)
    rows = [
        {
            "name": seat.name,
            "you": seat.you,
            "change": words.signed(line.moved.change) if line.moved else "",
            "why": words.why(line),
        }
        for seat in view.seats
        if (line := told.get(seat.index))
    ]
    moved = [row for row in rows if row["change"]]
    return {"rows": moved and rows, "nothing": "" if moved or not rows else rows[0]["why"]}
