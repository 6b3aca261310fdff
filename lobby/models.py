"""The rows of the lobby: open seeks, challenges to a player, invitations by link."""

import secrets
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from matches.models import ID_LENGTH, Match, new_id


class Seek(models.Model):
    """An offer to play whoever comes. It is open until it is taken or withdrawn, or nobody renews it any more."""

    class Fate(models.TextChoices):
        OPEN = "open", _("open")
        TAKEN = "taken", _("taken")
        WITHDRAWN = "withdrawn", _("withdrawn")
        EXPIRED = "expired", _("expired")

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_id, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="seeks", verbose_name=_("player")
    )
    terms = models.JSONField(_("terms"))
    lasting = models.BooleanField(default=False)
    """Made with a token: it needs nobody who is there."""
    fate = models.CharField(_("fate"), max_length=9, choices=Fate, default=Fate.OPEN)
    match = models.OneToOneField(Match, null=True, on_delete=models.CASCADE, related_name="seek")
    taken_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="seeks_taken"
    )
    created_at = models.DateTimeField(_("created"), db_default=Now())
    expires_at = models.DateTimeField()

    class Meta:
        verbose_name = _("seek")
        verbose_name_plural = _("seeks")
        ordering: ClassVar[list[str]] = ["created_at", "pk"]
        indexes = [models.Index(fields=["created_at"], name="seek_open", condition=models.Q(fate="open"))]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "terms"], condition=models.Q(fate="open"), name="seek_open_once"
            ),
            models.CheckConstraint(
                condition=models.Q(fate="taken", match__isnull=False)
                | ~models.Q(fate="taken") & models.Q(match__isnull=True),
                name="seek_taken_has_a_match",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.owner} {self.created_at:%Y-%m-%d %H:%M}"


class Challenge(models.Model):
    """One player asks another, by name, for a match on given terms."""

    class Fate(models.TextChoices):
        OPEN = "open", _("open")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")
        WITHDRAWN = "withdrawn", _("withdrawn")
        EXPIRED = "expired", _("expired")

    class Reason(models.TextChoices):
        NONE = "", _("no reason given")
        LATER = "later", _("not now")
        TERMS = "terms", _("other terms, please")
        NO = "no", _("no, thank you")

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_id, editable=False)
    challenger = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="challenges_made",
        verbose_name=_("challenger"),
    )
    opponent = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="challenges_met",
        verbose_name=_("opponent"),
    )
    terms = models.JSONField(_("terms"))
    fate = models.CharField(_("fate"), max_length=9, choices=Fate, default=Fate.OPEN)
    reason = models.CharField(_("reason"), max_length=5, choices=Reason, blank=True, default=Reason.NONE)
    match = models.OneToOneField(Match, null=True, on_delete=models.CASCADE, related_name="challenge")
    created_at = models.DateTimeField(_("created"), db_default=Now())
    expires_at = models.DateTimeField()
    closed_at = models.DateTimeField(_("closed"), null=True, db_index=True)

    class Meta:
        verbose_name = _("challenge")
        verbose_name_plural = _("challenges")
        ordering: ClassVar[list[str]] = ["created_at", "pk"]
        indexes = [
            models.Index(fields=["created_at"], name="challenge_open", condition=models.Q(fate="open"))
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["challenger", "opponent"], condition=models.Q(fate="open"), name="challenge_open_once"
            ),
            models.CheckConstraint(
                condition=~models.Q(challenger=models.F("opponent")), name="challenge_of_another"
            ),
            models.CheckConstraint(
                condition=models.Q(fate="open", closed_at__isnull=True)
                | ~models.Q(fate="open") & models.Q(closed_at__isnull=False),
                name="challenge_closed_at_some_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.challenger} → {self.opponent}"


def new_token() -> str:
    """What makes a link a secret: 128 bits."""
    return secrets.token_urlsafe(16)


class Invitation(models.Model):
    """A link to one match on given terms: good until it expires, is withdrawn, or one player takes it."""

    token = models.CharField(primary_key=True, max_length=22, default=new_token, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitations")
    terms = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    withdrawn = models.BooleanField(default=False)
    match = models.OneToOneField(Match, null=True, on_delete=models.CASCADE, related_name="invitation")
    taken_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="invitations_taken"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(withdrawn=False) | models.Q(match__isnull=True),
                name="invitation_taken_or_withdrawn",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.owner} {self.created_at:%Y-%m-%d}"
