"""The tournament page and its live part as HTML: one renderer for the first answer and for what is pushed later."""

from django.template.loader import render_to_string

from matches import words
from matches.core.clock import Clocks
from matches.services import limits
from matches.store import now_ms
from matches.wire import Json
from tournaments import presenters
from tournaments.presenters import CupView
from tournaments.queries import Line, Loaded


def chips(loaded: Loaded | Line) -> tuple[str, ...]:
    """The terms in words. Whatever they say of being rated, the tournaments' own ladder is what moves (R8.6)."""
    return (*words.chips(loaded.terms)[:-1], words.tournament_ladder())


def small_print(loaded: Loaded) -> tuple[str, ...]:
    site = limits()
    return tuple(words.small_print(loaded.terms, site.grace_ms, site.confirm_ms))


def cup_json(loaded: Loaded, user_id: int | None) -> Json:
    """The live part of the page, and what to read out of it."""
    cup = presenters.present(loaded, user_id)
    html = render_to_string("tournaments/_pushed.html", {"cup": cup, "pushed": True})
    return {"type": "tournament", "revision": cup.revision, "html": html, "say": spoken(cup)}


def clocks_json(clocks: dict[str, Clocks]) -> Json:
    """What is left to the two of each of these matches at this moment, and whose time runs."""
    now = now_ms()
    return {
        "type": "clocks",
        "matches": {
            match_id: {"clocks": one.left_at(now), "running": one.running} for match_id, one in clocks.items()
        },
    }


def spoken(cup: CupView) -> str:
    """How it stands, in a sentence or two for who cannot see it."""
    said = [f"{cup.standing}, {cup.detail}."]
    if cup.champion:
        said.append(presenters.champion_sentence(cup))
    if cup.why:
        said.append(cup.why)
    if cup.own:
        said.append(f"{cup.own.title}. {cup.own.detail}")
    if cup.ended and not cup.champion:
        said.append(f"{cup.ended[0].sentence}.")
    return " ".join(said)
