"""The rows of ratings: the ledger, and what is kept so that nobody has to add it up: results, tallies, standings.

A deleted player's own rows go along; the others' stay, with nobody for an opponent (D26). Keys have no index of their
own where a constraint or an order begins with them.
"""

from datetime import UTC, datetime

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from matches.core.machine import Reason
from matches.models import Match

ALL_TIME = ""
"""The period that never ends. The others are months, `2026-11`."""


def month_of(at: datetime) -> str:
    """The month of an instant in UTC: it turns at 00:00."""
    return f"{at.astimezone(UTC):%Y-%m}"


class Ladder(models.TextChoices):
    GENERAL = "general", _("general")
    TOURNAMENT = "tournament", _("tournament")


class Outcome(models.TextChoices):
    """How a match went for one player."""

    WON = "won", _("won")
    LOST = "lost", _("lost")
    DRAWN = "drawn", _("drawn")
    VOID = "void", _("void")


class Cause(models.TextChoices):
    """Why the ledger has a row."""

    WON = "won", _("won")
    LOST = "lost", _("lost")
    REVERSED = "reversed", _("reversed")
    RESET = "reset", _("reset")


class MatchLadder(models.Model):
    """The ladder that a match moves, where it is not the general one (R6.6)."""

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="+")
    ladder = models.CharField(max_length=10, choices=Ladder)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(ladder__in=Ladder.values), name="match_ladder_known"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} {self.ladder}"


class LedgerRow(models.Model):
    """One change of one total (R6.5). Rows are added, never edited.

    `number` counts a player's rows of a ladder and `total` is their sum so far: a chart reads but the rows it shows.
    `change` is what was really applied; what was earned follows from `length` and `in_place` (R6.2, R6.3).
    """

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="ledger",
        verbose_name=_("player"),
        db_index=False,
    )
    match = models.ForeignKey(
        Match, null=True, on_delete=models.PROTECT, related_name="ledger", verbose_name=_("match")
    )
    """None where a moderator has taken all points away."""
    ladder = models.CharField(_("ladder"), max_length=10, choices=Ladder)
    number = models.PositiveIntegerField()
    cause = models.CharField(_("cause"), max_length=8, choices=Cause)
    length = models.PositiveSmallIntegerField(_("length"))
    in_place = models.PositiveSmallIntegerField(_("in place"), null=True)
    """In the loser's last guess; null in other rows."""
    decision = models.PositiveSmallIntegerField(default=0)
    """How often a moderator had given the match to a side before."""
    change = models.IntegerField(_("change"))
    total = models.PositiveIntegerField(_("total"))
    at = models.DateTimeField(_("at"))

    class Meta:
        verbose_name = _("ledger row")
        verbose_name_plural = _("ledger")
        indexes = [
            # What is rare among millions, for moderators' lists.
            models.Index(
                fields=["id"], name="ledger_tournaments", condition=models.Q(ladder=Ladder.TOURNAMENT.value)
            ),
            models.Index(
                fields=["cause", "id"],
                name="ledger_undone",
                condition=models.Q(cause__in=[Cause.REVERSED.value, Cause.RESET.value]),
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["match", "player", "decision"],
                condition=~models.Q(cause=Cause.REVERSED.value),
                name="ledger_match_applied_once",
            ),
            models.UniqueConstraint(
                fields=["match", "player", "decision"],
                condition=models.Q(cause=Cause.REVERSED.value),
                name="ledger_match_reversed_once",
            ),
            models.UniqueConstraint(fields=["player", "ladder", "number"], name="ledger_numbered_once"),
            models.CheckConstraint(condition=models.Q(total__gte=0), name="ledger_not_below_zero"),
            models.CheckConstraint(condition=models.Q(ladder__in=Ladder.values), name="ledger_ladder_known"),
            models.CheckConstraint(
                condition=models.Q(cause=Cause.LOST.value, in_place__isnull=False)
                | ~models.Q(cause=Cause.LOST.value) & models.Q(in_place__isnull=True),
                name="ledger_says_why",
            ),
            models.CheckConstraint(
                condition=models.Q(cause=Cause.RESET.value, match__isnull=True)
                | ~models.Q(cause=Cause.RESET.value) & models.Q(match__isnull=False),
                name="ledger_but_a_reset_has_a_match",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} {self.player_id} {self.change:+d}"


class Result(models.Model):
    """How one match went for one of its players, as a history shows it."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="results", db_index=False)
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="results", db_index=False
    )
    opponent = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    against_bot = models.BooleanField()
    outcome = models.CharField(max_length=5, choices=Outcome)
    reason = models.CharField(max_length=11, choices=[(reason.value, reason.value) for reason in Reason])
    preset = models.CharField(max_length=7)
    terms = models.CharField(max_length=40)
    """The terms but for the clock, in a word (`ratings.terms`)."""
    seconds = models.PositiveIntegerField()
    rated = models.BooleanField()
    """Whether its end moves a ladder (R6.1)."""
    guesses = models.PositiveIntegerField()
    """Those the player made."""
    ended_at = models.BigIntegerField()
    """In ms, as the rules speak of instants."""

    class Meta:
        indexes = [
            # A history is read from its newest end, whatever it is filtered by.
            models.Index(fields=["player", "-ended_at", "match"], name="result_history"),
            models.Index(fields=["player", "outcome", "-ended_at", "match"], name="result_by_outcome"),
            models.Index(fields=["player", "preset", "-ended_at", "match"], name="result_by_preset"),
            models.Index(fields=["opponent", "player", "-ended_at", "match"], name="result_by_opponent"),
            # What may be played for points only is looked for among the wins of late.
            models.Index(
                fields=["ended_at", "player", "opponent"],
                name="result_rated_win",
                condition=models.Q(rated=True, outcome="won"),
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["match", "seat"], name="result_once"),
            models.CheckConstraint(condition=models.Q(seat__in=[0, 1]), name="result_seat_known"),
            models.CheckConstraint(
                condition=models.Q(outcome__in=Outcome.values), name="result_outcome_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.seat} {self.outcome}"


class Tally(models.Model):
    """How often a player has won and lost on these terms, against people or against bots."""

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tallies", db_index=False
    )
    terms = models.CharField(max_length=40)
    bots = models.BooleanField()
    won = models.PositiveIntegerField(default=0)
    lost = models.PositiveIntegerField(default=0)
    drawn = models.PositiveIntegerField(default=0)
    void = models.PositiveIntegerField(default=0)
    broken = models.PositiveIntegerField(default=0)
    """Matches won by naming the number, and the guesses that took, all told."""
    guesses = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "terms", "bots"], name="tally_once"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} {self.terms} {self.won}–{self.lost}"


class Standing(models.Model):
    """What a player has on a ladder: of all time the total, of a month what its matches have moved.

    A month's points are a sum of changes and may be below zero; a total never is.
    """

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="standings", db_index=False
    )
    ladder = models.CharField(max_length=10, choices=Ladder)
    period = models.CharField(max_length=7)
    points = models.IntegerField(default=0)
    won = models.PositiveIntegerField(default=0)
    lost = models.PositiveIntegerField(default=0)
    last = models.IntegerField(default=0)
    """The newest change."""
    rows = models.PositiveIntegerField(default=0)
    """How many rows of the ledger these points are the sum of."""

    class Meta:
        indexes = [
            # Ties stand in the order of the players' numbers, so that a page never moves under its reader.
            models.Index(fields=["ladder", "period", "-points", "player"], name="standing_order"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["player", "ladder", "period"], name="standing_once"),
            models.CheckConstraint(
                condition=~models.Q(period=ALL_TIME) | models.Q(points__gte=0), name="standing_not_below_zero"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} {self.ladder} {self.period} {self.points}"


class Pattern(models.Model):
    """What looks as if points were passed on, of late: for a moderator to look at, no more.

    It is worked out anew every few minutes, and shown again after it was looked at only if it has grown.
    """

    class Kind(models.TextChoices):
        PAIR = "pair", _("the same pair over and over")
        GIVEN = "given", _("quick resignations")
        FED = "fed", _("new accounts of one address")

    kind = models.CharField(_("kind"), max_length=5, choices=Kind)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="patterns",
        verbose_name=_("who gains"),
    )
    other = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        verbose_name=_("who loses"),
    )
    address = models.CharField(_("address"), max_length=16, blank=True)
    """Whose sign-ins came from there: the digest of `players.SignIn`."""
    matches = models.PositiveIntegerField(_("matches"))
    accounts = models.PositiveIntegerField(_("accounts"), default=1)
    points = models.IntegerField(_("points gained"), default=0)
    last_at = models.DateTimeField(_("last"))
    found_at = models.DateTimeField(pgettext_lazy("pattern", "found"))
    aside = models.BooleanField(_("looked at"), default=False)
    known = models.PositiveIntegerField(default=0, editable=False)
    """Of how many matches it was when a moderator put it aside."""

    class Meta:
        verbose_name = _("pattern")
        verbose_name_plural = _("patterns")
        indexes = [models.Index(fields=["aside", "-matches"], name="pattern_most")]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "player", "other"],
                condition=models.Q(other__isnull=False),
                name="pattern_of_two_once",
            ),
            models.UniqueConstraint(
                fields=["player", "address"],
                condition=models.Q(other__isnull=True),
                name="pattern_of_address_once",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="fed", other__isnull=True)
                | ~models.Q(kind="fed") & models.Q(other__isnull=False),
                name="pattern_of_two_or_an_address",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.player_id} {self.matches}"
