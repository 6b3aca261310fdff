"""The rows of tournaments: who entered, who was drawn against whom, which match decided it; what comes weekly."""

import secrets
from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from matches.models import ID_LENGTH, Match, new_id
from tournaments.core.machine import Fall, Status, Why

FEWEST, MOST = 2, 50
LONGEST_NAME = 60


def new_code() -> str:
    """What opens a private tournament: spoken, typed, and not to be guessed."""
    return new_id()


def new_seed() -> int:
    """Chance for a draw, from a cryptographic source."""
    return secrets.randbits(63)


class Agreed(models.Model):
    """What a tournament is held on, and what a weekly one is held on each time."""

    name = models.CharField(_("name"), max_length=LONGEST_NAME)
    terms = models.JSONField(_("terms"))
    zone = models.CharField(_("time zone"), max_length=64)
    maximum = models.PositiveSmallIntegerField(
        _("most players"), default=MOST, validators=[MinValueValidator(FEWEST), MaxValueValidator(MOST)]
    )

    class Meta:
        abstract = True


class Weekly(Agreed):
    """A tournament that is held every week at the same hour of its zone, whatever its clocks do."""

    class Day(models.IntegerChoices):
        MONDAY = 0, _("Monday")
        TUESDAY = 1, _("Tuesday")
        WEDNESDAY = 2, _("Wednesday")
        THURSDAY = 3, _("Thursday")
        FRIDAY = 4, _("Friday")
        SATURDAY = 5, _("Saturday")
        SUNDAY = 6, _("Sunday")

    weekday = models.PositiveSmallIntegerField(_("day"), choices=Day)
    hour = models.TimeField(_("hour"))
    active = models.BooleanField(_("held"), default=True)

    class Meta:
        verbose_name = _("weekly tournament")
        verbose_name_plural = _("weekly tournaments")
        constraints = [
            models.CheckConstraint(condition=models.Q(weekday__range=(0, 6)), name="weekly_on_a_day"),
            models.CheckConstraint(
                condition=models.Q(maximum__range=(FEWEST, MOST)), name="weekly_of_two_to_fifty"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Tournament(Agreed):
    """One knock-out. `due_at` (ms) is the next instant at which it moves on by itself, as the machine says."""

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_id, editable=False)
    starts_at = models.DateTimeField(_("starts"))
    private = models.BooleanField(_("private"), default=False)
    code = models.CharField(_("join code"), max_length=ID_LENGTH, default=new_code, editable=False)
    creator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="tournaments_made",
        verbose_name=_("made by"),
    )
    weekly = models.ForeignKey(
        Weekly, null=True, on_delete=models.SET_NULL, related_name="held", editable=False
    )
    day = models.DateField(null=True, editable=False)
    """Of a weekly one: which week's it is, however it is moved later."""
    status = models.CharField(
        _("status"), max_length=9, choices=[(word.value, word.value) for word in Status], default=Status.OPEN
    )
    why = models.CharField(
        _("why"), max_length=11, choices=[(word.value, word.value) for word in Why], blank=True
    )
    champion = models.ForeignKey(
        "Entry", null=True, on_delete=models.SET_NULL, related_name="+", verbose_name=_("champion")
    )
    due_at = models.BigIntegerField(null=True, editable=False)
    rests_from = models.BigIntegerField(default=0, editable=False)
    revision = models.PositiveIntegerField(default=1, editable=False)
    """Counts every change, entries included: how a socket knows that it has been left behind."""
    created_at = models.DateTimeField(_("created"), db_default=Now())
    ended_at = models.DateTimeField(_("ended"), null=True)

    class Meta:
        verbose_name = _("tournament")
        verbose_name_plural = _("tournaments")
        indexes = [
            models.Index(fields=["due_at"], name="tournament_due", condition=models.Q(due_at__isnull=False)),
            models.Index(fields=["status", "starts_at", "id"], name="tournament_listed"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=list(Status)), name="tournament_status_known"
            ),
            models.CheckConstraint(
                condition=models.Q(maximum__range=(FEWEST, MOST)), name="tournament_of_two_to_fifty"
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["open", "running"], ended_at__isnull=True)
                | models.Q(status__in=["over", "cancelled"], ended_at__isnull=False, due_at__isnull=True),
                name="tournament_over_has_an_end",
            ),
            models.CheckConstraint(
                condition=models.Q(champion__isnull=True) | models.Q(status="over", why=""),
                name="tournament_champion_or_why",
            ),
            models.UniqueConstraint(fields=["weekly", "day"], name="tournament_once_a_week"),
        ]

    def __str__(self) -> str:
        return self.name


class Entry(models.Model):
    """Who takes part. The player is gone once the account is deleted; the bracket stays."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entries")
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="entries"
    )
    fall = models.CharField(
        max_length=9, choices=[(word.value, word.value) for word in Fall], blank=True, editable=False
    )
    entered_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        ordering: ClassVar[list[str]] = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "player"], name="entry_once"),
        ]

    def __str__(self) -> str:
        return f"{self.tournament_id} {self.player}"


class Round(models.Model):
    """One draw: its number from 1, and the seed that gives the same draw again."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    seed = models.BigIntegerField()
    drawn_at = models.BigIntegerField()

    class Meta:
        ordering: ClassVar[list[str]] = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="round_once"),
        ]

    def __str__(self) -> str:
        return f"{self.tournament_id} {self.number}"


class Pairing(models.Model):
    """Two who meet, or one who meets the Easy bot, and the match that decides it. `through` is a seat."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="pairings")
    index = models.PositiveSmallIntegerField()
    against_bot = models.BooleanField()
    match = models.OneToOneField(Match, null=True, on_delete=models.SET_NULL, related_name="pairing")
    decided = models.BooleanField(default=False)
    through = models.PositiveSmallIntegerField(null=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["index"]
        indexes = [
            models.Index(fields=["match"], name="pairing_undecided", condition=models.Q(decided=False)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["round", "index"], name="pairing_once"),
            models.CheckConstraint(
                condition=models.Q(through__isnull=True)
                | models.Q(decided=True, through__in=[0, 1]) & ~models.Q(against_bot=True, through=1),
                name="pairing_through_is_an_entrant",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round} {self.index}"


class Place(models.Model):
    """A seat of a pairing that an entrant holds: in one round, one place each (D18)."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="places")
    pairing = models.ForeignKey(Pairing, on_delete=models.CASCADE, related_name="places")
    seat = models.PositiveSmallIntegerField()
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="places")

    class Meta:
        ordering: ClassVar[list[str]] = ["seat"]
        constraints = [
            models.UniqueConstraint(fields=["round", "entry"], name="place_one_a_round"),
            models.UniqueConstraint(fields=["pairing", "seat"], name="place_one_a_seat"),
            models.CheckConstraint(condition=models.Q(seat__in=[0, 1]), name="place_first_or_second"),
        ]

    def __str__(self) -> str:
        return f"{self.pairing}/{self.seat}"
