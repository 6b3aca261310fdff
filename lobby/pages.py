"""The lobby's pieces as HTML: one renderer for the page's first answer and for what is pushed to it later."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from lobby import queries
from lobby.models import Challenge, Seek
from lobby.queries import SHOWN, Call, Notice
from matches import choices, words
from matches.core.terms import Terms
from matches.queries import face
from matches.services import limits
from matches.wire import Json
from players.models import Kind, User

Renderer = Callable[..., Json]
Viewer = Any
"""A user, or nobody (`AnonymousUser`)."""


@dataclass(frozen=True, slots=True)
class SeekRow:
    """One open seek as its reader sees it, every term in words."""

    id: str
    name: str
    kind: str
    points: int
    preset: str
    chips: tuple[str, ...]
    small_print: tuple[str, ...]
    own: bool


@dataclass(frozen=True, slots=True)
class ChallengeCard:
    """A challenge as one of its two sees it; `mine` says which."""

    id: str
    fate: str
    mine: bool
    name: str
    preset: str
    chips: tuple[str, ...]
    small_print: tuple[str, ...]
    title: str
    match: str | None


def seek_row(viewer: Viewer, open_seek: Seek) -> SeekRow:
    terms, owner = queries.terms_of(open_seek), face(open_seek.owner)
    own = viewer.pk == open_seek.owner_id
    return SeekRow(
        id=open_seek.pk,
        name=owner.name,
        kind=owner.kind,
        points=owner.points,
        preset=choices.preset_label(terms.preset),
        chips=tuple(words.chips(terms, rated(terms, open_seek.owner, None if own else viewer))),
        small_print=small_print(terms),
        own=own,
    )


def rated(terms: Terms, first: User, second: Viewer) -> bool | None:
    """Whether these two would move the ladder; None while nobody knows, since one may sign in yet (R6.1)."""
    if not terms.rated:
        return False
    kinds = {first.kind, getattr(second, "kind", None)}
    if kinds == {Kind.HUMAN}:
        return True
    return None if None in kinds and first.kind == Kind.HUMAN else False


def small_print(terms: Terms) -> tuple[str, ...]:
    site = limits()
    return tuple(words.small_print(terms, site.grace_ms, site.confirm_ms))


def challenge_card(viewer: Viewer, asked: Challenge) -> ChallengeCard:
    terms, mine = queries.terms_of(asked), viewer.pk == asked.challenger_id
    name = face(asked.opponent if mine else asked.challenger).name
    return ChallengeCard(
        id=asked.pk,
        fate=asked.fate,
        mine=mine,
        name=name,
        preset=choices.preset_label(terms.preset),
        chips=tuple(words.chips(terms, rated(terms, asked.challenger, asked.opponent))),
        small_print=small_print(terms),
        title=_challenge_title(asked, name, mine=mine),
        match=asked.match_id,
    )


def _challenge_title(asked: Challenge, name: str, *, mine: bool) -> str:
    of = {"name": name}
    if not mine:
        return _("%(name)s challenges you") % of
    match asked.fate:
        case Challenge.Fate.OPEN:
            return _("Waiting for %(name)s’s answer") % of
        case Challenge.Fate.DECLINED:
            return _declined(asked, name)
        case Challenge.Fate.EXPIRED:
            return _("%(name)s did not answer.") % of
        case _:
            return _("%(name)s has accepted.") % of


def _declined(asked: Challenge, name: str) -> str:
    of = {"name": name}
    match asked.reason:
        case Challenge.Reason.LATER:
            return _("%(name)s cannot play just now.") % of
        case Challenge.Reason.TERMS:
            return _("%(name)s would play on other terms.") % of
        case _:
            return _("%(name)s has declined.") % of


# What is pushed


def seeks(viewer: Viewer, open_seeks: list[Seek]) -> Json:
    """The whole list, in place of whatever the page shows."""
    rows = [seek_row(viewer, one) for one in open_seeks[:SHOWN]]
    html = render_to_string("lobby/_seeks_pushed.html", {"seeks": rows, "count": len(open_seeks)})
    return {"type": "seeks", "html": html}


def seek(viewer: Viewer, one: Seek, count: int) -> Json:
    row = seek_row(viewer, one)
    html = render_to_string("lobby/_seek_pushed.html", {"seek": row, "count": count})
    return {"type": "seek", "html": html}


def gone(viewer: Viewer, one: Seek, count: int) -> Json:
    html = render_to_string("lobby/_seek_gone.html", {"id": one.pk, "count": count})
    return {"type": "seek_gone", "html": html}


def challenge(viewer: Viewer, asked: Challenge) -> Json:
    """A challenge to answer, one that waits for its answer, or the answer."""
    card = challenge_card(viewer, asked)
    answered = asked.fate in (Challenge.Fate.DECLINED, Challenge.Fate.EXPIRED)
    shown = asked.fate == Challenge.Fate.OPEN or (card.mine and answered)
    html = render_to_string("lobby/_challenge_pushed.html", {"card": card, "shown": shown})
    news = shown and (not card.mine or answered)
    return {"type": "challenge", "html": html, "title": card.title if news else ""}


def call(viewer: Viewer, begun: Call) -> Json:
    """A match has begun: whoever is on another page is brought there."""
    title = _("Your match against %(name)s has begun.") % {"name": face(begun.opponent).shown}
    html = render_to_string("lobby/_call.html", {"match": begun.match, "title": title})
    return {"type": "match", "match": begun.match, "url": f"/m/{begun.match}/", "html": html, "title": title}


def notice(viewer: Viewer, news: Notice) -> Json:
    """What another room has to tell."""
    title = str(news.title)
    html = render_to_string("lobby/_notice.html", {"key": news.key, "title": title, "url": news.url})
    return {"type": "notice", "url": news.url, "html": html, "title": title}
