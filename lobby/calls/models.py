"""The rows of calls: which devices may be called, who wants letters, and which turn has been called out."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from matches.models import Match

LONGEST_ENDPOINT = 600


class Device(models.Model):
    """A browser that has agreed to be called: an address at its maker's push service, and the keys to write to it."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="devices")
    endpoint = models.CharField(max_length=LONGEST_ENDPOINT, unique=True)
    p256dh = models.CharField(max_length=100)
    auth = models.CharField(max_length=40)
    language = models.CharField(max_length=7)
    """Of the page it agreed on, for who has chosen none."""
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.player} {self.created_at:%Y-%m-%d}"


class Letters(models.Model):
    """A player who wants to be called by letter. `origin` is the site as they know it, which no setting says."""

    player = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="letters")
    language = models.CharField(max_length=7)
    origin = models.CharField(max_length=300)

    def __str__(self) -> str:
        return str(self.player)


class Called(models.Model):
    """The latest turn of a match that was called out, by the guesses before it: a turn is called out once."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="called")
    moves = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.match_id} {self.moves}"
