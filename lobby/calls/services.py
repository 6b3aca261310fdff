"""The verbs of calls: agree to be called, and call whoever is to move and not there. Writes no match."""

import logging
from collections.abc import Iterable
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lobby.calls import push
from lobby.calls.models import LONGEST_ENDPOINT, Called, Device, Letters
from matches import queries, store
from matches.core.machine import State, Status
from matches.models import Match, Seat
from matches.queries import Loaded
from players.models import User
from players.problems import Problem

logger = logging.getLogger(__name__)

MOST_DEVICES = 10
_MINUTE_MS = 60_000
IN_SESSION = "device"
"""Where a session says which device it is on: a browser that is signed out is called no more."""


# Agreeing


def add_device(player: User, address: push.Address, language: str) -> Device:
    """Call this browser from now on, and nobody else at it. Raises `Problem` bad_request for what is no address."""
    if len(address.endpoint) > LONGEST_ENDPOINT or not push.lawful(address):
        raise Problem("bad_request")
    keys = {"p256dh": address.p256dh, "auth": address.auth, "language": language}
    device, _made = Device.objects.update_or_create(
        endpoint=address.endpoint, defaults={"player": player, **keys}
    )
    own = Device.objects.filter(player=player)
    kept = own.order_by("-created_at", "-pk").values_list("pk", flat=True)[:MOST_DEVICES]
    own.exclude(pk__in=list(kept)).delete()
    return device


def forget_device(player: User, device_id: int) -> None:
    Device.objects.filter(player=player, pk=device_id).delete()


def want_letters(player: User, *, wanted: bool, language: str, origin: str) -> None:
    """Raises `Problem` forbidden to who has no address, or where no letters leave."""
    if not wanted:
        Letters.objects.filter(player=player).delete()
        return
    if not (player.email and settings.MAIL.sends):
        raise Problem("forbidden")
    Letters.objects.update_or_create(player=player, defaults={"language": language, "origin": origin})


# Calling


def absent_mover(state: State) -> int | None:
    """The seat that is to move, has long for it, and was not there when its turn came; None if nobody is to be called.

    Who was there has seen it, and may well have closed the page to think.
    """
    if state.status is not Status.PLAYING or state.turn is None or not state.terms.patient:
        return None
    mover, rival = state.seats[state.turn], state.seats[1 - state.turn]
    came = rival.guesses[-1].at if rival.guesses else state.at
    return None if mover.connected or mover.seen_at > came else state.turn


def call(match_id: str) -> int:
    """Call whoever is to move in this match, if they are away and want it; returns how many calls went out.

    Once a turn, whoever asks and however often. Noted before it is sent: of a process that dies between the two the
    player misses one call, and otherwise would get it twice.
    """
    loaded = queries.load(match_id)
    seat = absent_mover(loaded.state)
    player = None if seat is None else loaded.players[seat]
    if seat is None or player is None or not player.is_active or not _first(match_id, loaded.state.moves):
        return 0
    left = loaded.state.clocks.left_at(store.now_ms())[seat]
    return _by_push(player, loaded, seat, left) + _by_letter(player, loaded, seat, left)


def _first(match_id: str, moves: int) -> bool:
    """Whether this turn has not been called out yet; from now on it has."""
    if Called.objects.filter(match=match_id, moves__lt=moves).update(moves=moves):
        return True
    try:
        with transaction.atomic():
            return Called.objects.get_or_create(match_id=match_id, defaults={"moves": moves})[1]
    except IntegrityError:
        return False


def _by_push(player: User, loaded: Loaded, seat: int, left: int) -> int:
    reached = 0
    for device in _signed_in(player):
        with translation.override(player.language or device.language):
            title, body = _words(loaded, seat, left)
            message = {
                "title": title,
                "body": body,
                "url": f"/m/{loaded.id}/",
                "tag": f"match-{loaded.id}",
                "lang": translation.get_language(),
            }
        address = push.Address(device.endpoint, device.p256dh, device.auth)
        try:
            push.send(address, message, seconds=max(1, left // 1000))
        except push.Gone:
            device.delete()
        except push.Unreachable as reason:
            logger.warning("a call could not be sent: %s", reason, extra={"match": loaded.id})
        else:
            reached += 1
    return reached


def _signed_in(player: User) -> list[Device]:
    """The player's devices that are still signed in; the others are forgotten."""
    alive = player.sessions.filter(expire_date__gt=timezone.now())
    held = {session.get_decoded().get(IN_SESSION) for session in alive}
    devices = list(Device.objects.filter(player=player))
    Device.objects.filter(pk__in=[device.pk for device in devices if device.pk not in held]).delete()
    return [device for device in devices if device.pk in held]


def _by_letter(player: User, loaded: Loaded, seat: int, left: int) -> int:
    wish = Letters.objects.filter(player=player).first()
    if wish is None or not (player.email and settings.MAIL.sends):
        return 0
    with translation.override(player.language or wish.language):
        title, body = _words(loaded, seat, left)
        told = {"title": title, "body": body, "origin": wish.origin, "match": loaded.id}
        letter = EmailMessage(title, render_to_string("lobby/calls/letter.txt", told), to=[player.email])
    try:
        letter.send()
    except (OSError, SMTPException) as reason:  # whose text may name the reader
        logger.warning(
            "a call could not be sent by letter: %s", type(reason).__name__, extra={"match": loaded.id}
        )
        return 0
    return 1


def _words(loaded: Loaded, seat: int, left: int) -> tuple[str, str]:
    name = queries.face(loaded.players[1 - seat]).shown
    minutes = left // _MINUTE_MS
    return (
        _("Your turn against %(name)s") % {"name": name},
        ngettext("%(n)d minute left for this move.", "%(n)d minutes left for this move.", minutes)
        % {"n": minutes},
    )


def sweep() -> int:
    """Call whoever was not: a process may have died between a move and its call. Returns how many matches were due."""
    due = [match_id for match_id in _wanting() if absent_mover(queries.load(match_id).state) is not None]
    for match_id in due:
        try:
            call(match_id)
        except Exception:
            logger.exception(
                "a call could not be made", extra={"match": match_id}
            )  # the next sweep tries again
    return len(due)


def _wanting() -> Iterable[str]:
    """Matches under way whose players have anything to be called by."""
    reachable = Seat.objects.filter(match=OuterRef("pk")).filter(
        Q(player__devices__isnull=False) | Q(player__letters__isnull=False)
    )
    live = Match.objects.filter(
        ~Q(status=Status.OVER.value), status=Status.PLAYING.value
    )  # as the index has it
    return live.filter(Exists(reachable)).values_list("pk", flat=True)
