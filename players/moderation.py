"""What moderators do to players: each act with a reason, into the log; and what time ends by itself.

Other rooms hear of a suspension by a signal, in its transaction (players/signals.py), sockets after the commit
(players/doors.py).
"""

import logging
from datetime import datetime, timedelta

from django.contrib.auth import SESSION_KEY
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from players import audit, doors
from players.models import Note, Report, Suspension, User
from players.names import check_free, check_name
from players.problems import Problem
from players.signals import player_suspended

logger = logging.getLogger(__name__)

SUSPENDED = audit.act("suspended", pgettext_lazy("a player", "suspended"))
LIFTED = audit.act("lifted", gettext_lazy("suspension lifted"))
RENAMED = audit.act("renamed", pgettext_lazy("a player", "renamed"))
NOTED = audit.act("noted", gettext_lazy("note written"))
CLAIMED = audit.act("report.claimed", gettext_lazy("report claimed"))
CLOSED = audit.act("report.closed", gettext_lazy("report closed"))

FRESH = timedelta(minutes=1)
"""So long after a suspension is begun is looked for what slipped in beside it."""


def may_moderate(by: User, player: User) -> bool:
    """Moderators have a say over everybody but staff, superusers over staff too; nobody over our bots or oneself."""
    below = by.is_superuser or not (player.is_staff or player.is_superuser)
    return below and by.pk != player.pk and not player.of_the_house and by.has_perm("players.moderate")


def check_may_moderate(by: User | None, player: User) -> None:
    """Raise `Problem` forbidden. None is who runs the site, at its own machine."""
    if by is not None and not may_moderate(by, player):
        raise Problem("forbidden")


def check_not_about(by: User | None, *player_ids: int | None) -> None:
    """Raise `Problem` forbidden for who would judge what is about themselves."""
    if by is not None and by.pk in player_ids:
        raise Problem("forbidden", _("This is about yourself: leave it to another moderator."))


# Suspensions


def suspend(player: User, by: User | None, reason: str, until: datetime | None = None) -> Suspension:
    """Let a player play no more, until then or for good: what they offer is withdrawn, what they play is lost (R5.7).

    Raises `Problem`: forbidden, invalid (an end in the past), already_ready (suspended as it is).
    """
    check_may_moderate(by, player)
    if until is not None and until <= timezone.now():
        raise Problem("invalid", _("The end of a suspension must lie in the future."))
    with transaction.atomic():
        locked = _lock(player.pk)  # before what they offer and what they play, as everybody does
        suspension = _begin(locked, by, reason, until)
        player_suspended.send(User, player=player)
        player.is_active = False
        doors.tell()
    logger.info("a player has been suspended")
    return suspension


def _begin(player: User, by: User | None, reason: str, until: datetime | None) -> Suspension:
    """Write it down. The player is locked."""
    if player.suspensions.filter(ended_at=None).exists():
        raise Problem("already_ready", _("This player is suspended already: lift that first."))
    player.is_active = False
    player.save(update_fields=["is_active"])
    after = {"until": until.isoformat() if until else None}
    audit.record(by, SUSPENDED, player, reason=reason, after=after)
    return Suspension.objects.create(player=player, by=by, reason=reason, until=until)


def lift(player: User, by: User | None, reason: str) -> None:
    """Let a suspended player play again. Raises `Problem`: forbidden, closed (not suspended)."""
    check_may_moderate(by, player)
    with transaction.atomic():
        suspension = _locked(player.pk)
        if suspension is None:
            raise Problem("closed", _("This player is not suspended."))
        _end(suspension, timezone.now())
        audit.record(by, LIFTED, player, reason=reason, before={"reason": suspension.reason})
    player.is_active = True


def suspension_of(player_id: int) -> Suspension | None:
    """What keeps a player from playing now. One whose time is up is ended on the way."""
    found = Suspension.objects.filter(player_id=player_id, ended_at=None).first()
    if found is None or found.until is None or found.until > timezone.now():
        return found
    _time_is_up(player_id)
    return None


def suspension_behind(request: HttpRequest) -> Suspension | None:
    """Why a session that belongs to somebody speaks for nobody just now, if it is for a suspension."""
    player_id = request.session.get(SESSION_KEY)
    return None if player_id is None or request.user.is_authenticated else suspension_of(int(player_id))


def check_may_play(player_id: int) -> None:
    """Raise `Problem` suspended, with why and until when."""
    suspension = suspension_of(player_id)
    if suspension is not None:
        raise Problem("suspended", told(suspension))


def told(suspension: Suspension) -> str:
    """What a suspended player is told: until when and why, in the active language."""
    words = {"reason": suspension.reason}
    if suspension.until is None:
        return _("This account is suspended for good. The reason: %(reason)s") % words
    words["until"] = date_format(suspension.until, "j F Y, H:i e")
    return _("This account is suspended until %(until)s. The reason: %(reason)s") % words


def sweep() -> None:
    """End what has had its time, and have once more done what a new suspension asks for, should any have slipped by."""
    now = timezone.now()
    over = Suspension.objects.filter(ended_at=None, until__lte=now)
    fresh = Suspension.objects.filter(ended_at=None, created_at__gt=now - FRESH)
    for do, suspensions in ((_time_is_up, over), (_enforce, fresh)):
        for player_id in list(suspensions.values_list("player_id", flat=True)):
            try:
                do(player_id)
            except Exception:
                logger.exception("a suspension could not be seen to")  # the next sweep tries again


def _enforce(player_id: int) -> None:
    with transaction.atomic():
        player = _lock(player_id)
        if not player.is_active:  # nor lifted meanwhile
            player_suspended.send(User, player=player)


def _time_is_up(player_id: int) -> None:
    with transaction.atomic():
        suspension = _locked(player_id)
        if suspension is not None and suspension.until is not None and suspension.until <= timezone.now():
            _end(suspension, suspension.until)


def _lock(player_id: int) -> User:
    """Their key stays free: rows that point to it are made meanwhile."""
    return User.objects.select_for_update(no_key=True).get(pk=player_id)


def _locked(player_id: int) -> Suspension | None:
    _lock(player_id)
    return Suspension.objects.filter(player_id=player_id, ended_at=None).first()


def _end(suspension: Suspension, at: datetime) -> None:
    suspension.ended_at = at
    suspension.save(update_fields=["ended_at"])
    User.objects.filter(pk=suspension.player_id).update(is_active=True)


# Names and notes


def rename(player: User, by: User | None, name: str, reason: str) -> None:
    """Give a player another name; the old one stands in the log. Raises `Problem`: forbidden, invalid, taken."""
    check_may_moderate(by, player)
    try:
        check_name(name)
        check_free(name)
    except ValidationError as wrong:
        raise Problem("invalid", " ".join(wrong.messages)) from None
    before = player.username
    player.username = name
    try:
        with transaction.atomic():
            player.save(update_fields=["username"])
            audit.record(by, RENAMED, player, reason=reason, before={"name": before}, after={"name": name})
    except IntegrityError:
        player.username = before
        raise Problem("taken", _("That name is taken.")) from None


def note(player: User, by: User, text: str) -> None:
    """Tell other moderators something of a player. Raises `Problem` forbidden."""
    check_may_moderate(by, player)
    with transaction.atomic():
        Note.objects.create(player=player, by=by, text=text)
        audit.record(by, NOTED, player)


# Reports


def claim(report: Report, by: User) -> None:
    """Take a report on, so that nobody else does. Raises `Problem`: forbidden, closed, taken."""
    check_not_about(by, report.player_id)
    with transaction.atomic():
        row = _waiting(report)
        if row.moderator_id not in (None, by.pk):
            raise Problem("taken", _("Another moderator has claimed this report."))
        row.state, row.moderator = Report.State.CLAIMED, by
        row.save(update_fields=["state", "moderator"])
        audit.record(by, CLAIMED, row)


def close(report: Report, by: User, outcome: str, reason: str = "") -> None:
    """Be done with a report, whoever has claimed it. Raises `Problem`: forbidden, closed."""
    check_not_about(by, report.player_id)
    with transaction.atomic():
        row = _waiting(report)
        row.state, row.moderator, row.outcome = Report.State.CLOSED, by, outcome
        row.closed_at = timezone.now()
        row.save(update_fields=["state", "moderator", "outcome", "closed_at"])
        audit.record(by, CLOSED, row, reason=reason, after={"outcome": outcome})


def _waiting(report: Report) -> Report:
    row = Report.objects.select_for_update().get(pk=report.pk)
    if row.state == Report.State.CLOSED:
        raise Problem("closed", _("This report is closed."))
    return row
