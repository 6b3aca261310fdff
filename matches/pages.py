"""The match page and its pieces as HTML, one renderer for the first answer and for what is pushed later."""

from dataclasses import replace

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from matches import presenters, queries, store, uptime, words
from matches.core.machine import Status
from matches.core.sight import Moment
from matches.presenters import MatchView
from matches.queries import Loaded

NOTE_MS = 60_000
"""How long after an outage it is still news."""


def view(
    loaded: Loaded,
    user_id: int | None,
    fresh: int | None = None,
    watchers: int | None = None,
    *,
    news: bool = False,
) -> MatchView:
    """The page of a match as this caller may see it; `fresh` is the seat that has just guessed, and `news` asks of the
    boards only for what that has changed.

    How many watch is looked up where it is not known.
    """
    sight = loaded.sight(user_id)
    faces = queries.faces(loaded.players)
    view = presenters.present(loaded.id, loaded.public, sight, faces, loaded.state.limits, fresh, news=news)
    if watchers is None:
        watchers = watching(loaded)
    return replace(view, note=note(loaded), watchers=watchers, leads_to=loaded.leads_to)


def watching(loaded: Loaded) -> int:
    """Nobody watches what is private, and of what is over it is not said."""
    if not loaded.public or loaded.state.status is Status.OVER:
        return 0
    return queries.watchers([loaded.id]).get(loaded.id, 0)


def note(loaded: Loaded) -> str:
    """What players who come back to a match after an outage are told about it; empty where there was none."""
    now = store.now_ms()
    late = [gap for gap in uptime.gaps() if now - gap.ended_at < NOTE_MS and loaded.created_at < gap.began_at]
    if not late or loaded.state.status is Status.OVER:
        return ""
    return words.outage(late[-1].ms)


def replay(loaded: Loaded, moment: Moment) -> dict[str, object]:
    """What the page shows on which a finished match is stepped through; a guess turns over on its own step."""
    faces = queries.faces(loaded.players)
    fresh = moment.seat if moment.kind == "guess" else None
    return {
        "view": presenters.present(loaded.id, loaded.public, moment.sight, faces, loaded.state.limits, fresh),
        "steps": presenters.steps(moment, (faces[0].shown, faces[1].shown)),
    }


def stage(view: MatchView) -> str:
    """The stage, and behind it what the sheet says of the numbers."""
    seals = render_to_string("matches/_seals.html", {"view": view, "place": "seals"})
    return render_to_string("matches/_stage.html", {"view": view}) + seals


def closing(loaded: Loaded, user_id: int | None, view: MatchView) -> str:
    """The row of the guess that ended a match, which turns over before the end is shown; empty where none did."""
    row = presenters.closing_row(loaded.sight(user_id))
    return render_to_string("matches/_row.html", {"view": view, "row": row}).strip() if row else ""


def seat(view: MatchView, index: int) -> str:
    one = next(seat for seat in view.seats if seat.index == index)
    return render_to_string("matches/_seat.html", {"view": view, "seat": one})


def watchers(view: MatchView) -> str:
    return render_to_string("matches/_watchers.html", {"view": view})


def fragments(view: MatchView, guessed: int | None) -> str:
    """What one event has changed: both seats, and after a guess its row, the rows that wait, and the dock."""
    sides = view.seats if guessed is not None else ()
    rows = [{"row": row, "near": side.near} for side in sides for row in side.rows]
    return render_to_string("matches/_fragments.html", {"view": view, "rows": rows, "guessed": guessed})


def spoken(loaded: Loaded, user_id: int | None, kind: str, seat: int | None) -> str:
    """The sentence read out once for an event."""
    first, second = queries.faces(loaded.players)
    return words.event_sentence(loaded.sight(user_id), (first.shown, second.shown), kind, seat)


def phrases(loaded: Loaded, user_id: int | None, since: int) -> list[str]:
    """What has been said since a version, as this caller hears it: without whom they have muted or blocked."""
    heard = []
    for seat, phrase in queries.phrases(loaded.id, since, loaded.state.version):
        mine, speaker = loaded.seat_of(user_id) == seat, loaded.players[seat]
        if mine or not queries.deaf_to(user_id, speaker):
            name = _("You") if mine else queries.face(speaker).shown
            heard.append(words.phrase_sentence(phrase, name))
    return heard
