"""Pages of accounts: coming in, one's own page, and what one wants no more of whom."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.views import LoginView, SignupView, password_change
from allauth.account.views import logout as allauth_logout
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.i18n import set_language

from players import queries, services
from players.accounts import guest_of, member_of
from players.agents import device
from players.forms import ChangeEmail, Choices, Farewell, GuestFarewell, TokenLabel
from players.models import Kind, User
from players.preferences import Preferences, preferences, remember
from players.problems import Problem
from players.reporting import report_page

View = Callable[..., HttpResponseBase]
_TIES = {
    "block": services.block,
    "unblock": services.unblock,
    "mute": services.mute,
    "unmute": services.unmute,
}


def players_only(view: View) -> View:
    """For guests and members: nobody is asked to sign in first."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not isinstance(request.user, User):
            return _come_in(request)
        return view(request, *args, **kwargs)

    return never_cache(wrapped)


def members_only(view: View) -> View:
    """For members: a guest has neither password nor address."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if member_of(request) is None:
            return _come_in(request)
        return view(request, *args, **kwargs)

    return never_cache(wrapped)


@members_only
def change_password(request: HttpRequest) -> HttpResponseBase:
    """Who has none yet, as whom staff have made without one, gets one by letter."""
    if not _own(request).has_usable_password():
        return redirect("account_reset_password")
    changed: HttpResponseBase = password_change(request)
    return changed


def _come_in(request: HttpRequest) -> HttpResponse:
    """And then back to the page that was asked for, if it was one."""
    return redirect_to_login(request.get_full_path() if request.method == "GET" else reverse("account"))


def _own(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


# Coming in


class _NotForMembers:
    """A member has nothing to do here. A guest has: signing up, or signing in as somebody else."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if member_of(request) is not None:
            return redirect(self.get_authenticated_redirect_url())  # type: ignore[attr-defined]  # allauth's
        return super().dispatch(request, *args, **kwargs)  # type: ignore[misc,no-any-return]  # a mixin

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)  # type: ignore[misc]  # a mixin
        return {**context, "guest": guest_of(self.request)}  # type: ignore[attr-defined]  # a view's


class SignIn(_NotForMembers, LoginView):  # type: ignore[misc]  # allauth has no types
    pass


class SignUp(_NotForMembers, SignupView):  # type: ignore[misc]  # allauth has no types
    def form_valid(self, form: Any) -> HttpResponse:
        """The form has found the name free; only the database knows whether it still is."""
        try:
            with transaction.atomic():
                return super().form_valid(form)  # type: ignore[no-any-return]  # allauth has no types
        except IntegrityError:
            form.add_error("username", _("That name is taken."))
            return self.form_invalid(form)  # type: ignore[no-any-return]  # allauth has no types


def sign_out(request: HttpRequest) -> HttpResponseBase:
    """Also for who is suspended, and so signed in as nobody, with a session all the same."""
    if request.method == "POST" and not request.user.is_authenticated:
        logout(request)
    left: HttpResponseBase = allauth_logout(request)
    return left


# One's own page


@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    return _account(request)


def _account(request: HttpRequest, status: int = 200) -> HttpResponse:
    player = request.user if isinstance(request.user, User) else None
    shown = {
        "player": player,
        "choices": _choices(request),
        "idle_days": services.IDLE.days,
    }
    return render(request, "players/account.html", shown, status=status)


def _choices(request: HttpRequest) -> Choices:
    chosen = preferences(request)
    return Choices(
        {
            "language": translation.get_language(),
            "theme": chosen.theme,
            "sound": "on" if chosen.sound else "off",
        }
    )


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Language, theme and sound: kept with the player and in the browser."""
    form = Choices(request.POST)
    if not form.is_valid():
        return _account(request, status=422)
    chosen = Preferences(form.cleaned_data["theme"], form.cleaned_data["sound"] == "on")
    language = form.cleaned_data["language"]
    if isinstance(request.user, User):
        services.prefer(request.user, language=language, theme=chosen.theme, sound=chosen.sound)
    with translation.override(language):
        messages.success(request, _("Saved."))
    response = redirect("account")
    remember(response, chosen)
    _remember_language(response, language)
    return response


def _remember_language(response: HttpResponse, language: str) -> None:
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        samesite="Lax",
        secure=settings.LANGUAGE_COOKIE_SECURE,
    )


def speak(request: HttpRequest) -> HttpResponse:
    """Django's own switch of the language, kept with the player as well."""
    response = set_language(request)
    language = request.POST.get("language", "")
    if isinstance(request.user, User) and language in dict(settings.LANGUAGES):
        services.prefer(request.user, language=language)
    return response


@sensitive_post_parameters("password")
@members_only
def email(request: HttpRequest) -> HttpResponse:
    player = _own(request)
    form = ChangeEmail(player, request.POST or None, initial={"email": player.email})
    if form.is_valid():
        services.change_email(player, form.cleaned_data["email"])
        messages.success(request, _("Saved."))
        return redirect("account")
    return render(request, "players/email.html", {"form": form, "player": player})


@players_only
def tokens(request: HttpRequest) -> HttpResponse:
    """The list; and, once and never again, the token just made."""
    player, made, problem = _own(request), "", ""
    form = TokenLabel(request.POST or None)
    if form.is_valid():
        try:
            services.check_room_for_token(player)
            made = services.issue_token(player, form.cleaned_data["label"])
            form = TokenLabel()
        except Problem as full:
            problem = full.detail
    shown = {"form": form, "made": made, "error": problem, "tokens": player.tokens.order_by("-pk")}
    return render(request, "players/tokens.html", shown)


@require_POST
@players_only
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    try:
        services.revoke_token(_own(request), token_id)
    except Problem:
        raise Http404 from None
    return redirect("account-tokens")


@require_safe
@players_only
def sessions(request: HttpRequest) -> HttpResponse:
    own = request.session.session_key
    shown = [
        {
            "device": device(session.get_decoded().get("agent", "")),
            "seen_at": session.seen_at,
            "here": session.pk == own,
        }
        for session in queries.sessions_of(_own(request), timezone.now())
    ]
    return render(request, "players/sessions.html", {"sessions": shown})


@require_POST
@players_only
def end_sessions(request: HttpRequest) -> HttpResponse:
    services.sign_out_elsewhere(_own(request), request.session.session_key)
    messages.success(request, _("You are signed in here only."))
    return redirect("account-sessions")


@sensitive_post_parameters("password")
@players_only
def delete(request: HttpRequest) -> HttpResponse:
    """For good: live matches are lost, finished ones stay for the others."""
    player = _own(request)
    form = (GuestFarewell if player.kind == Kind.GUEST else Farewell)(player, request.POST or None)
    if not form.is_valid():
        return render(request, "players/delete.html", {"form": form, "player": player})
    services.leave(player)
    logout(request)
    messages.success(request, _("Your account is deleted."))
    return redirect("account")


# Ties


@require_safe
@players_only
def ties(request: HttpRequest) -> HttpResponse:
    found = queries.ties_of(_own(request), _number(request.GET.get("before", "")))
    page = found[: queries.PAGE]
    return render(
        request,
        "players/ties.html",
        {"ties": page, "before": page[-1].pk if len(found) > len(page) else None},
    )


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


@require_http_methods(["GET", "HEAD", "POST"])
@players_only
def report(request: HttpRequest, name: str) -> HttpResponse:
    other = queries.called(name)
    if other is None or other == request.user or other.of_the_house:
        raise Http404
    return report_page(request, [other], reverse("player", args=[other.username]))


@require_POST
@players_only
def tie(request: HttpRequest, name: str, verb: str) -> HttpResponse:
    other = queries.called(name)
    if other is None:
        raise Http404
    try:
        _TIES[verb](_own(request), other)
    except Problem as problem:
        messages.error(request, problem.detail)
    back = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    return redirect(back if ours else "account-ties")
