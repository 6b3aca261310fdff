"""The verbs of players: a guest arrives or becomes a person, tokens, sessions, ties, and leaving for good."""

import hashlib
import secrets
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from players import moderation
from players.models import ApiToken, Kind, Report, Session, SignIn, Tie, User
from players.names import draw_guest_name, name_key
from players.problems import Problem

MOST_TOKENS = 20
IDLE = timedelta(days=30)
"""How long a guest is kept who neither comes back nor plays."""

SIGN_INS_KEPT = timedelta(days=90)

_TRIES = 20


def welcome_guest() -> User:
    """Make a guest under a name nobody has. Raises `IntegrityError` once every try found the name taken."""
    for _try in range(_TRIES - 1):
        try:
            return _make_guest()
        except IntegrityError:
            continue
    return _make_guest()


def _make_guest() -> User:
    guest = User(username=draw_guest_name(), kind=Kind.GUEST)
    guest.set_unusable_password()
    with transaction.atomic():
        guest.save(force_insert=True)
    return guest


def register(guest: User | None, name: str, password: str, email: str) -> User:
    """Make a person: of this guest, who keeps the row and so every match and token, or a new one.

    Raises `IntegrityError` if the name, or one that looks like it, was taken this very moment.
    """
    with transaction.atomic():
        player = _still_a_guest(guest) or User()
        player.username, player.kind, player.email = name, Kind.HUMAN, email
        player.set_password(password)
        player.save()
    return player


def _still_a_guest(guest: User | None) -> User | None:
    """Locked: an idle guest may be about to expire, and two pages may ask at once."""
    if guest is None:
        return None
    return User.objects.select_for_update().filter(pk=guest.pk, kind=Kind.GUEST).first()


def set_password(player: User, password: str, session_key: str | None) -> None:
    """What an old password has opened is shut, but for this session."""
    player.set_password(password)
    player.save(update_fields=["password"])
    sign_out_elsewhere(player, session_key)


def change_email(player: User, email: str) -> None:
    """Where a new password can be sent to from now on: nowhere, if `email` is empty."""
    with transaction.atomic():
        EmailAddress.objects.filter(user=player).delete()
        player.email = email
        player.save(update_fields=["email"])


def prefer(player: User, **chosen: str | bool) -> None:
    """Keep what a player has chosen: `language`, `theme`, `sound`."""
    User.objects.filter(pk=player.pk).update(**chosen)


def leave(player: User) -> None:
    """Delete a player for good. Other rooms hear of it first, as of every deletion (numbers_site/wiring.py)."""
    player.delete()


def seen(player: User) -> bool:
    """Note a sign of life: one write a day at the most. False if there is no such player any more."""
    if seen_today(player):
        return True
    player.last_seen_at = timezone.now()
    return bool(User.objects.filter(pk=player.pk).update(last_seen_at=player.last_seen_at))


def seen_today(player: User) -> bool:
    return player.last_seen_at.date() == timezone.now().date()


def sign_out_elsewhere(player: User, session_key: str | None) -> None:
    """End every session of the player but this one."""
    Session.objects.filter(user=player).exclude(pk=session_key).delete()


# Sign-ins


def note_sign_in(player: User, address: str, device: str) -> None:
    SignIn.objects.create(player=player, address=_blurred(address), device=device)


def _blurred(address: str) -> str:
    """The same for the same address, and nothing that can be read."""
    return salted_hmac("players.sign_in", address, algorithm="sha256").hexdigest()[:16]


def forget_sign_ins() -> None:
    SignIn.objects.filter(at__lt=timezone.now() - SIGN_INS_KEPT).delete()


# Tokens


def issue_token(user: User, label: str = "") -> str:
    """Make a token for `user` and return it; it cannot be read again."""
    token = secrets.token_urlsafe(32)
    ApiToken.objects.create(user=user, label=label, digest=digest(token))
    return token


def check_room_for_token(user: User) -> None:
    """Raise `Problem` full for who has as many as one may make on the page."""
    if user.tokens.count() >= MOST_TOKENS:
        raise Problem("full", _("You have as many tokens as you may have: revoke one first."))


def revoke_token(user: User, token_id: int) -> None:
    """Raises `Problem` not_found for what is no token of theirs."""
    if not user.tokens.filter(pk=token_id).delete()[0]:
        raise Problem("not_found")


def player_by_token(token: str) -> User | None:
    """Whose token this is; None if it is nobody's, or its account is closed. Both have been seen today.

    Raises `Problem` suspended.
    """
    found = ApiToken.objects.select_related("user").filter(digest=digest(token)).first()
    if found is None:
        return None
    if not found.user.is_active:
        moderation.check_may_play(found.user_id)
        return None
    if not seen(found.user):
        return None
    now = timezone.now()
    if found.used_at is None or found.used_at.date() != now.date():
        ApiToken.objects.filter(pk=found.pk).update(used_at=now)
    return found.user


def digest(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def find_player(name: str) -> User | None:
    """Whoever has this name, or one that looks like it. What no database could hold is nobody's name."""
    if not name.isprintable():
        return None
    return User.objects.filter(name_key=name_key(name), is_active=True).first()


# Reports


def report(reporter: User, player: User | None, match_id: str, why: str, text: str = "") -> Report:
    """Tell moderators of a player or a match. Told again while it waits, it is the same report, with the newer words.

    Raises `Problem` forbidden (of oneself, of a bot of ours).
    """
    if player is not None and (player.pk == reporter.pk or player.of_the_house):
        raise Problem("forbidden")
    told = {"why": why, "text": text}
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=reporter.pk)  # one report of theirs at a time
        waiting = Report.objects.exclude(state=Report.State.CLOSED)
        found = waiting.filter(reporter=reporter, player=player, match_id=match_id).first()
        if found is None:
            return Report.objects.create(reporter=reporter, player=player, match_id=match_id, **told)
        Report.objects.filter(pk=found.pk).update(**told)
        return found


# Ties


def block(player: User, other: User) -> None:
    """Take no challenge of theirs, and offer them none. Raises `Problem` forbidden (oneself, bots)."""
    _tie(player, other, Tie.Kind.BLOCK)


def unblock(player: User, other: User) -> None:
    _untie(player, other, Tie.Kind.BLOCK)


def mute(player: User, other: User) -> None:
    """Hear no phrase of theirs. Raises `Problem` forbidden (oneself, bots)."""
    _tie(player, other, Tie.Kind.MUTE)


def unmute(player: User, other: User) -> None:
    _untie(player, other, Tie.Kind.MUTE)


def blocked(one: User, two: User) -> bool:
    """Whether either has blocked the other."""
    return Tie.objects.filter(
        kind=Tie.Kind.BLOCK, player__in=(one.pk, two.pk), other__in=(one.pk, two.pk)
    ).exists()


def blocked_by_or_blocking(user_id: int | None) -> set[int]:
    """Whom a player has blocked, and who has blocked them."""
    if user_id is None:
        return set()
    ties = Tie.objects.filter(Q(player=user_id) | Q(other=user_id), kind=Tie.Kind.BLOCK)
    return {one for pair in ties.values_list("player_id", "other_id") for one in pair} - {user_id}


def _tie(player: User, other: User, kind: Tie.Kind) -> None:
    if player.pk == other.pk or other.kind == Kind.BOT:
        raise Problem("forbidden")
    Tie.objects.get_or_create(player=player, other=other, kind=kind)


def _untie(player: User, other: User, kind: Tie.Kind) -> None:
    Tie.objects.filter(player=player, other=other, kind=kind).delete()
