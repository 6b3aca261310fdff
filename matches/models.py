"""The rows of matches: the match with its state, its numbered events, its seats, and the sockets open on it."""

import secrets
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from matches.core.machine import Reason, Status

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: ids are read aloud and typed
ID_LENGTH = 8


def new_id() -> str:
    """A match id nobody can guess or mistype."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(ID_LENGTH))


def _choices(words: type[Status] | type[Reason]) -> list[tuple[str, str]]:
    return [(word.value, word.value) for word in words]


class Match(models.Model):
    """One match. `state` is the machine's own state less the secrets; the other columns are there to be asked for.

    Instants that the rules speak of are milliseconds since the epoch, as in the core.
    """

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_id, editable=False)
    public = models.BooleanField(_("public"))
    status = models.CharField(_("status"), max_length=10, choices=_choices(Status))
    version = models.PositiveIntegerField()
    revision = models.PositiveIntegerField(default=1)
    """Counts every change, presence and credit included, where `version` counts events."""
    state = models.JSONField(editable=False)
    secrets = models.JSONField(editable=False)
    """`[[code, salt in hex] or null, …]`, a seat each: the one place, with the commit events, where secrets stand."""
    answers = models.JSONField(editable=False)
    """`[[[ref, answer], …], …]`, a seat each: what a repeated command is answered (`services.Answer`), oldest first."""
    deadline_at = models.BigIntegerField(null=True, editable=False)
    outcome = models.CharField(_("outcome"), max_length=4, blank=True)
    reason = models.CharField(_("reason"), max_length=11, blank=True, choices=_choices(Reason))
    winner = models.PositiveSmallIntegerField(_("winner"), null=True)
    rematch_of = models.OneToOneField(
        "self", null=True, on_delete=models.SET_NULL, related_name="followed_by", editable=False
    )
    leads_to = models.CharField(max_length=64, blank=True, editable=False)
    """The page its players go on to once it is over, where there is no rematch: that of its tournament."""
    created_at = models.DateTimeField(_("created"), db_default=Now())
    ended_at = models.DateTimeField(_("ended"), null=True)
    counted = models.BooleanField(default=False, editable=False)
    """Whether its end stands in records and ledger: set by `ratings` in the transaction that wrote them."""

    class Meta:
        verbose_name = _("match")
        verbose_name_plural = _("matches")
        indexes = [
            models.Index(
                fields=["deadline_at"], name="match_due", condition=models.Q(deadline_at__isnull=False)
            ),
            # What is live is asked for all the time, and is few among millions.
            models.Index(
                fields=["created_at"], name="match_live", condition=~models.Q(status=Status.OVER.value)
            ),
            # What moderators look at: the newest first, and ends of one kind among millions.
            models.Index(fields=["-created_at"], name="match_newest"),
            models.Index(
                fields=["reason", "-created_at"], name="match_by_reason", condition=~models.Q(reason="")
            ),
            models.Index(
                fields=["ended_at"],
                name="match_uncounted",
                condition=models.Q(status=Status.OVER.value, counted=False),
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=models.Q(status__in=list(Status)), name="match_status_known"),
            models.CheckConstraint(
                condition=models.Q(status=Status.OVER.value, ended_at__isnull=False)
                | ~models.Q(status=Status.OVER.value) & models.Q(ended_at__isnull=True),
                name="match_over_has_an_end",
            ),
            models.CheckConstraint(
                condition=~models.Q(status=Status.OVER.value)
                | models.Q(deadline_at__isnull=True) & ~models.Q(outcome="") & ~models.Q(reason=""),
                name="match_over_is_decided",
            ),
            models.CheckConstraint(
                condition=models.Q(winner__isnull=True) | models.Q(winner__in=[0, 1], outcome="win"),
                name="match_winner_won",
            ),
        ]

    def __str__(self) -> str:
        return self.id


class Seat(models.Model):
    """Who sits where. The player is gone once the account is deleted; the match stays."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="seats"
    )
    live = models.BooleanField(default=True, db_default=True, editable=False)
    """Whether its match goes on: what a player has running is found without passing all they ever played."""

    class Meta:
        ordering: ClassVar[list[str]] = ["index"]
        indexes = [
            models.Index(fields=["player"], name="seat_live", condition=models.Q(live=True)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["match", "index"], name="seat_once"),
            models.UniqueConstraint(fields=["match", "player"], name="seat_one_a_player"),
            models.CheckConstraint(condition=models.Q(index__in=[0, 1]), name="seat_first_or_second"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.index}"


class Event(models.Model):
    """One numbered fact of a match. Only a `ready` event's data holds a secret."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="events")
    version = models.PositiveIntegerField()
    kind = models.CharField(max_length=9)
    data = models.JSONField()
    at = models.BigIntegerField()
    clocks = models.JSONField()
    """`[ms, ms]` right after it: with outages given back, which are no events, so that folding cannot tell."""

    class Meta:
        ordering: ClassVar[list[str]] = ["version"]
        constraints = [
            models.UniqueConstraint(fields=["match", "version"], name="event_numbered_once"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} {self.version} {self.kind}"


class WebProcess(models.Model):
    """A process that serves sockets, and when (ms) it last said that it could commit. Its sockets die with it."""

    id = models.CharField(primary_key=True, max_length=32)
    seen_at = models.BigIntegerField()

    def __str__(self) -> str:
        return self.id


class Pulse(models.Model):
    """One row: when (ms) any web process last said that it could commit (R5.4), and when a sweep last ended."""

    ONLY = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY, editable=False)
    beat_at = models.BigIntegerField()
    swept_at = models.BigIntegerField(null=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="pulse_one")]

    def __str__(self) -> str:
        return str(self.beat_at)


class Outage(models.Model):
    """A time (ms) in which no web process could commit: charged to nobody (R5.4)."""

    began_at = models.BigIntegerField()
    ended_at = models.BigIntegerField(db_index=True)

    class Meta:
        verbose_name = _("outage")
        verbose_name_plural = _("outages")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(ended_at__gt=models.F("began_at")), name="outage_took_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.began_at}–{self.ended_at}"


class Connection(models.Model):
    """One open socket: of a seat, which is connected while it has any (R5.3), or without one, of a spectator."""

    id = models.CharField(primary_key=True, max_length=32)
    process = models.CharField(max_length=32, db_index=True)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="connections")
    seat = models.PositiveSmallIntegerField(null=True)
    opened_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.id
