"""The rows of bots: a seat that one of ours plays; analyses; a player's tries at the numbers of the day."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from bots.core.daily import GUESSES
from bots.core.levels import Level
from matches.models import Match


class BotGame(models.Model):
    """A seat of ours. What it owes the match is due at `due_at` (ms), null while the match waits for somebody else.

    No move is kept: it follows from `seed` and what the seat can see, so that choosing it again is choosing the same.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="bot_games")
    seat = models.PositiveSmallIntegerField()
    level = models.CharField(max_length=6, choices=[(level.value, level.value) for level in Level])
    seed = models.BigIntegerField()
    version = models.PositiveIntegerField()
    """Of the match, when it was last looked at. Less than the match's own: something has not been heard of."""
    due_at = models.BigIntegerField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], name="bot_due", condition=models.Q(due_at__isnull=False)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["match", "seat"], name="bot_game_one_a_seat"),
            models.CheckConstraint(
                condition=models.Q(level__in=[level.value for level in Level]), name="bot_game_level_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.seat} {self.level}"


class Analysis(models.Model):
    """What the guesses of one seat told, worked out after the end. It follows from the match, and can be made again."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="analyses")
    seat = models.PositiveSmallIntegerField()
    steps = models.JSONField(null=True)
    """A list for each guess (`analyses.to_json`); null while it is still owed."""

    class Meta:
        verbose_name_plural = "analyses"
        indexes = [
            models.Index(fields=["id"], name="analysis_owed", condition=models.Q(steps__isnull=True)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["match", "seat"], name="analysis_one_a_seat"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.seat}"


class DailyTry(models.Model):
    """A player's one try at a day's number: the codes guessed, in order. The number itself is nowhere in the rows."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="daily_tries")
    day = models.DateField()
    guesses = models.JSONField(default=list)
    taken = models.PositiveSmallIntegerField(default=0)
    """How many guesses, for the database to count by."""
    found = models.BooleanField(null=True)
    """Null while the try goes on."""

    class Meta:
        verbose_name = _("daily try")
        verbose_name_plural = _("daily tries")
        indexes = [models.Index(fields=["day", "found", "taken"], name="daily_distribution")]
        constraints = [
            models.UniqueConstraint(fields=["player", "day"], name="daily_one_try"),
            models.CheckConstraint(condition=models.Q(taken__lte=GUESSES), name="daily_room"),
        ]

    def __str__(self) -> str:
        return f"{self.player} {self.day}"
