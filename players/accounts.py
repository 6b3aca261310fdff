"""How accounts are run: allauth's flows, with our names, our limits and our words."""

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from players.models import Kind, User
from players.moderation import suspension_of, told
from players.names import name_key
from players.preferences import preferences
from players.queries import called
from players.services import prefer, register, set_password

logger = logging.getLogger(__name__)

WAIT_SECONDS = 300
"""How long wrong passwords are counted, as their refusal says."""

_WRONG = _("That name and password do not belong together.")


class Accounts(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": _WRONG,
        "email_password_mismatch": _WRONG,
        "too_many_login_attempts": _("Too many attempts. Wait five minutes, then try again."),
        "enter_current_password": _("That is not your password."),
        "email_taken": _("Somebody has already given that address."),
        "invalid_password_reset": _("This link is used up or too old."),
    }

    # Coming in

    def new_user(self, request: HttpRequest) -> User:
        """A guest who signs up stays the same player."""
        return guest_of(request) or User()

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        given = form.cleaned_data
        player = register(
            user if user.pk else None, given["username"], given["password1"], given.get("email") or ""
        )
        chosen = preferences(request)
        prefer(player, language=get_language() or "", theme=chosen.theme, sound=chosen.sound)
        messages.success(
            request,
            _("Welcome, %(name)s. From now on your rated matches with people count for the ladder.")
            % {"name": player.username},
        )
        return player

    def set_password(self, user: User, password: str) -> None:
        own = self.request.session.session_key if self.request.user.pk == user.pk else None
        set_password(user, password, own)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    # Limits

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Too many wrong passwords are said with a status of their own, at either door (`say_when`)."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            request.wait = WAIT_SECONDS  # type: ignore[attr-defined]  # ours
            raise

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """One count an account, however it is written: allauth's own counts each spelling, and each Host, apart."""
        written = str(credentials.get("username") or credentials.get("email") or "")
        player = called(written)
        return f"player {player.pk}" if player else name_key(written)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Who knows the password of a suspended account is told why it does not open, and until when."""
        player = called(str(credentials.get("username") or credentials.get("email") or ""))
        if player is None or player.is_active or not player.check_password(credentials.get("password", "")):
            return
        suspension = suspension_of(player.pk)
        if suspension is not None:
            raise ValidationError(told(suspension), code="suspended")

    # What is said, and how

    def is_ajax(self, request: HttpRequest) -> bool:
        """Every answer is a page."""
        return False

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """A post office that is closed is the operator's concern: whoever asked learns nothing by it."""
        try:
            super().send_mail(template_prefix, email, context)
        except (OSError, SMTPException) as reason:  # whose text may name the reader
            logger.error("a letter could not be sent: %s", type(reason).__name__)


def guest_of(request: HttpRequest) -> User | None:
    """The guest whose page this is, if it is a guest's."""
    return request.user if isinstance(request.user, User) and request.user.kind == Kind.GUEST else None


def member_of(request: HttpRequest) -> User | None:
    """The registered player whose page this is, a person's or a bot's, if it is one's."""
    return request.user if isinstance(request.user, User) and request.user.kind != Kind.GUEST else None
