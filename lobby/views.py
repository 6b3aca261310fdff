"""Home, lobby, challenges, and invitations by link: read what was asked, call one verb, render."""

import io
import re
from contextlib import suppress
from dataclasses import replace

import segno
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from lobby import pages, services
from lobby import queries as lobby_queries
from lobby.models import Challenge, Invitation
from lobby.paths import InvitationToken, invitation_url
from matches import choices, guide, wire, words
from matches.choices import agreed, read_form
from matches.core.terms import Feedback, Terms
from matches.models import Match
from matches.services import limits as times
from matches.views import Request
from players import limits
from players.auth import player
from players.models import User
from players.problems import Problem
from players.services import find_player

_CHOSEN = "terms"  # the session's memory of the last terms chosen
_STRIP = ("72815", ("71830",))


def strip(request: HttpRequest) -> dict[str, object]:
    """The strip that shows how a guess is read, unless the reader has put it away."""
    if request.COOKIES.get("strip") == "away":
        return {"strip": ()}
    shown = guide.example("strip", *_STRIP, choices.default_terms())
    return {"strip": [replace(row, fresh=True) for row in shown.rows], "strip_secret": shown.secret}


# Lobby


@never_cache
@require_safe
def lobby(request: Request) -> HttpResponse:
    """Asked for is also a sign of life: who has no script keeps a seek open by looking."""
    if request.user.is_authenticated:
        services.renew([request.user.pk])
    return _lobby(request)


def _lobby(request: Request, problem: Problem | None = None) -> HttpResponse:
    if problem is not None and request.htmx:
        return _note(request, problem)
    seeks = list(lobby_queries.open_seeks())
    viewer = request.user
    asked = lobby_queries.challenges_of(viewer) if isinstance(viewer, User) else []
    context = {
        "seeks": [pages.seek_row(viewer, seek) for seek in seeks[: lobby_queries.SHOWN]],
        "count": len(seeks),
        "waiting": any(seek.owner_id == viewer.pk for seek in seeks),
        "challenges": [pages.challenge_card(viewer, one) for one in asked if one.fate == Challenge.Fate.OPEN],
        "presets": choices.preset_choices(agreed(_chosen(request))),
        "error": problem.detail if problem else "",
    }
    return render(request, "lobby/lobby.html", context, status=problem.status if problem else 200)


def _note(request: Request, problem: Problem) -> HttpResponse:
    """A refusal for a page that stays where it is."""
    return render(request, "_note.html", {"error": problem.detail}, status=problem.status)


def _go(request: Request, to: str, *arguments: str) -> HttpResponse:
    """Lead on, whether htmx has asked or the browser itself."""
    if request.htmx:
        return HttpResponseClientRedirect(reverse(to, args=arguments))
    return redirect(to, *arguments)


@require_POST
def open_seek(request: Request) -> HttpResponse:
    try:
        limits.spend(request, "seek")
        services.open_seek(*_asked(request), lasting=False)
    except Problem as problem:
        return _lobby(request, problem)
    return _go(request, "lobby")


@require_POST
def play_now(request: Request) -> HttpResponse:
    try:
        limits.spend(request, "seek")
        found = services.play_now(player(request), agreed(_chosen(request)))
    except Problem as problem:
        return _lobby(request, problem)
    return _go(request, "match", found.pk) if isinstance(found, Match) else _go(request, "lobby")


@require_POST
def play_bot(request: Request) -> HttpResponse:
    """At once, on the terms chosen last."""
    try:
        limits.spend(request, "challenge")
        terms = agreed(_chosen(request))
        match = services.play_bot(player(request), request.POST.get("level", ""), terms)
    except Problem as problem:
        return _lobby(request, problem)
    return _go(request, "match", match.pk)


@require_POST
def accept_seek(request: Request, seek_id: str) -> HttpResponse:
    try:
        if not request.user.is_authenticated:
            services.check_seek_open(seek_id)  # one that is gone makes no guest
        return _go(request, "match", services.accept_seek(seek_id, player(request)))
    except Problem as problem:
        return _lobby(request, problem)


@require_POST
def withdraw_seek(request: Request, seek_id: str) -> HttpResponse:
    try:
        services.withdraw_seek(seek_id, request.user.pk)
    except Problem as problem:
        return _lobby(request, problem)
    return _go(request, "lobby")


def _asked(request: Request) -> tuple[User, Terms]:
    """Who asks, and for which terms: the form's, remembered for the next time. Raises `Problem` bad_terms."""
    terms = agreed(read_form(request.POST))
    asking = player(request)
    request.session[_CHOSEN] = wire.terms_json(terms)
    return asking, terms


# Challenges


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def challenge(request: Request, name: str) -> HttpResponse:
    """The form to challenge a player by name, and its answer. A bot is played at once."""
    opponent = find_player(name)
    if opponent is None:
        raise Http404
    if request.method != "POST":
        return _challenge_form(request, opponent)
    try:
        limits.spend(request, "challenge")
        asking, terms = _asked(request)
        if opponent.of_the_house:
            return redirect("match", match_id=services.play_bot(asking, opponent.username, terms).pk)
        services.challenge(asking, opponent, terms)
    except Problem as problem:
        return _challenge_form(request, opponent, problem)
    return redirect("lobby")


def _challenge_form(request: Request, opponent: User, problem: Problem | None = None) -> HttpResponse:
    context = {
        "opponent": opponent.username,
        "presets": choices.preset_choices(agreed(_chosen(request))),
        "error": problem.detail if problem else "",
    }
    return render(request, "lobby/challenge.html", context, status=problem.status if problem else 200)


@require_POST
def answer_challenge(request: Request, challenge_id: str, verb: str) -> HttpResponse:
    answering = request.user
    if not isinstance(answering, User):
        raise Http404
    try:
        match verb:
            case "accept":
                return _go(request, "match", services.accept_challenge(challenge_id, answering))
            case "decline":
                reason = request.POST.get("reason", "")
                services.decline_challenge(challenge_id, answering, reason)
            case "withdraw":
                services.withdraw_challenge(challenge_id, answering)
            case _:
                raise Http404
    except Problem as problem:
        return _lobby(request, problem)
    return HttpResponse(status=204) if request.htmx else redirect("lobby")


# Invitations by link


@require_POST
def invite(request: Request) -> HttpResponse:
    """Make a link; with other terms than before it replaces the one it was made from."""
    replaced = _own(request, request.POST.get("replaces", ""))
    try:
        limits.spend(request, "invitation")
        terms = agreed(read_form(request.POST) if "preset" in request.POST else _chosen(request))
        owner = player(request)
    except Problem as problem:
        return _page(request, replaced, problem) if replaced else _lobby(request, problem)
    if replaced and replaced.match_id:
        return redirect("invitation", token=replaced.pk)  # taken meanwhile: the page leads to the match
    request.session[_CHOSEN] = wire.terms_json(terms)
    if replaced:
        with suppress(Problem):  # taken this very moment: then there are two matches to play
            services.withdraw(replaced.pk, owner.pk)
    return redirect("invitation", token=services.invite(owner, terms).token)


def _own(request: Request, token: str) -> Invitation | None:
    """The caller's own invitation of this token, if it is one."""
    if not re.fullmatch(InvitationToken.regex, token, re.ASCII):
        return None
    return Invitation.objects.select_related("owner").filter(pk=token, owner_id=request.user.pk).first()


def _chosen(request: Request) -> dict[str, object]:
    """The terms chosen last, if this site still offers them."""
    chosen: dict[str, object] = request.session.get(_CHOSEN, {})
    try:
        agreed(chosen)
    except Problem:
        return {}
    return chosen


@never_cache
@require_safe
def invitation(request: Request, token: str) -> HttpResponse:
    found = _found(token)
    if found.match_id and request.user.pk in (found.owner_id, found.taken_by_id):
        return redirect("match", match_id=found.match_id)
    return _page(request, found)


@never_cache
@require_safe
def invitation_state(request: Request, token: str) -> HttpResponse:
    """What the waiting owner's page asks: nothing new, off to the match, or why nobody can come any more."""
    found = _found(token)
    if found.match_id and request.user.pk == found.owner_id:
        return HttpResponseClientRedirect(f"/m/{found.match_id}/")
    if services.state_of(found) == "open":
        return HttpResponse(status=204)
    return render(request, "lobby/_waiting.html", {"invitation": _shown(request, found)})


@require_POST
def accept(request: Request, token: str) -> HttpResponse:
    found = _found(token)
    try:
        if not request.user.is_authenticated:
            services.check_open(found)  # a dead link makes no guest
        return redirect("match", match_id=services.accept(token, player(request)))
    except Problem as problem:
        found.refresh_from_db()
        return _page(request, found, problem)


@require_POST
def withdraw(request: Request, token: str) -> HttpResponse:
    found = _found(token)
    try:
        services.withdraw(token, request.user.pk)
    except Problem as problem:
        return _page(request, found, problem)
    return redirect("home")


def _found(token: str) -> Invitation:
    try:
        return services.find(token)
    except Problem:
        raise Http404 from None


def _page(request: HttpRequest, found: Invitation, problem: Problem | None = None) -> HttpResponse:
    terms = lobby_queries.terms_of(found)
    shown = _shown(request, found)
    owner = bool(shown["owner"])
    site = times()
    state = services.state_of(found)
    context = {
        "invitation": shown,
        "chips": words.chips(terms, _known(terms, found, request)),
        "small_print": words.small_print(terms, site.grace_ms, site.confirm_ms),
        "qr": _qr(str(shown["url"])) if owner else "",
        "presets": choices.preset_choices(terms) if owner else [],
        "error": problem.detail if problem else "",
        **({} if owner or terms.feedback is Feedback.TOTALS else strip(request)),
    }
    gone = 410 if state in ("expired", "withdrawn") else 200
    return render(request, "lobby/invitation.html", context, status=problem.status if problem else gone)


def _known(terms: Terms, found: Invitation, request: HttpRequest) -> bool | None:
    """Whether the match would move the ladder: known once the reader is the one who would play it (R6.1)."""
    guests = found.owner.kind != "human"
    reader = request.user
    if isinstance(reader, User) and reader.pk != found.owner_id:
        return not guests and reader.kind == "human"
    return False if guests else None


def _shown(request: HttpRequest, found: Invitation) -> dict[str, object]:
    return {
        "token": found.token,
        "url": invitation_url(request, found.token),
        "owner": request.user.pk == found.owner_id,
        "owner_name": found.owner.username,
        "state": services.state_of(found),
        "match": found.match_id if request.user.pk in (found.owner_id, found.taken_by_id) else None,
        "expires": found.expires_at,
        "length": lobby_queries.terms_of(found).length,
    }


def _qr(url: str) -> SafeString:
    """The link as a QR code: SVG of our own making, without style of its own."""
    out = io.BytesIO()
    code = segno.make(url, error="m")
    code.save(out, kind="svg", xmldecl=False, omitsize=True, border=2, svgclass="qr", lineclass=None)
    return mark_safe(out.getvalue().decode())  # noqa: S308  made here from our own URL
