"""The rows of players: one user model for people, guests and bots, their sessions and tokens, their ties; and what
moderators keep: reports, suspensions, notes, sign-ins, and a log that only grows."""

from typing import Any

from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.sessions.base_session import AbstractBaseSession
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from players.names import HOUSE_BOTS, LONGEST, check_name, name_key

LONGEST_TEXT = 300
"""Of a report or a reason: in an address's way of writing the longest is still under the 4 KB that a body may have."""


class Kind(models.TextChoices):
    HUMAN = "human", _("person")
    GUEST = "guest", _("guest")
    BOT = "bot", _("bot")


class Theme(models.TextChoices):
    SYSTEM = "system", _("Automatic")
    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")


class Players(UserManager["User"]):
    use_in_migrations = False

    def get_by_natural_key(self, username: str | None) -> "User":
        """By a name as somebody writes it: whoever looks like it, since only one may (players/names.py).

        Or by e-mail address, which no name can be. An operator may have given one to two players: the first has it.
        """
        written = username or ""
        if "@" in written:
            return self.filter(email=self.normalize_email(written)).order_by("pk")[:1].get()
        return self.get(name_key=name_key(written))

    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        """In small letters throughout: nobody has two boxes that differ in case."""
        return (email or "").strip().lower()


class User(AbstractUser):
    """A player. `username` is the public name; `name_key` keeps look-alikes of it out."""

    first_name = None  # type: ignore[assignment]  # a player has one name, the public one
    last_name = None  # type: ignore[assignment]
    username = models.CharField(
        _("name"),
        max_length=LONGEST,
        unique=True,
        validators=[check_name],
        error_messages={"unique": _("That name is taken.")},
    )
    name_key = models.CharField(max_length=2 * LONGEST, unique=True, editable=False)
    kind = models.CharField(_("kind"), max_length=5, choices=Kind, default=Kind.HUMAN)
    points = models.PositiveIntegerField(_("points"), default=0)
    last_seen_at = models.DateTimeField(_("last seen"), default=timezone.now, editable=False)
    """A sign of life on a page, by token or by socket, to the day (`services.seen`)."""
    # What is unset follows the browser: its language, and its cookies of the same names.
    language = models.CharField(_("language"), max_length=7, blank=True)
    theme = models.CharField(_("theme"), max_length=6, choices=Theme, blank=True)
    sound = models.BooleanField(_("sound"), null=True)

    objects = Players()  # type: ignore[misc]  # AbstractUser declares its own

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        permissions = [("moderate", "Can moderate players, matches, seeks and tournaments")]
        constraints = [
            models.CheckConstraint(condition=models.Q(kind__in=Kind.values), name="player_kind_known"),
        ]
        indexes = [
            models.Index(
                fields=["last_seen_at"], name="player_guest_idle", condition=models.Q(kind=Kind.GUEST)
            ),
            models.Index(fields=["email"], name="player_email", condition=~models.Q(email="")),
        ]

    def clean(self) -> None:
        """Raise `ValidationError` if another player is called, or looks to be called, the same."""
        super().clean()
        if (
            self.username
            and User.objects.filter(name_key=name_key(self.username)).exclude(pk=self.pk).exists()
        ):
            raise ValidationError({"username": _("That name is taken.")}, code="unique")

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.name_key = name_key(self.username)
        if "username" in (kwargs.get("update_fields") or ()):
            kwargs["update_fields"] = {*kwargs["update_fields"], "name_key"}
        renewed = getattr(self, "_password", None) is not None and not self._state.adding
        super().save(*args, **kwargs)
        if renewed:  # on whatever page or command: what the old password has opened is shut
            self.sessions.all().delete()

    @property
    def of_the_house(self) -> bool:
        """One of the site's own bots: always there (R7). Other people's come and go like everybody (R5.3)."""
        return self.kind == Kind.BOT and self.username in HOUSE_BOTS

    def get_full_name(self) -> str:
        return self.username

    def get_short_name(self) -> str:
        return self.username


class Session(AbstractBaseSession):
    """A browser that is signed in, or not yet. Its key opens the account: it is never shown."""

    # No constraint in the database: a session is written again until its key is free, which for a player who is
    # deleted meanwhile would be for ever.
    user = models.ForeignKey(
        User, null=True, on_delete=models.CASCADE, related_name="sessions", db_constraint=False
    )
    seen_at = models.DateTimeField(_("last seen"))

    def __str__(self) -> str:
        return f"{self.seen_at:%Y-%m-%d}"

    @classmethod
    def get_session_store_class(cls) -> Any:
        from players.sessions import SessionStore  # which imports this module

        return SessionStore


class ApiToken(models.Model):
    """A key to play by. Only its digest is kept, so a stolen database opens nothing."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens", verbose_name=_("player"))
    label = models.CharField(_("label"), max_length=40, blank=True)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(_("created"), db_default=Now())
    used_at = models.DateTimeField(_("last used"), null=True, editable=False)
    """To the day."""

    class Meta:
        verbose_name = _("token")
        verbose_name_plural = _("tokens")

    def __str__(self) -> str:
        return f"{self.user} {self.created_at:%Y-%m-%d}"


class Tie(models.Model):
    """What one player wants no more of another: `block` their challenges, `mute` their phrases."""

    class Kind(models.TextChoices):
        BLOCK = "block", _("blocked")
        MUTE = "mute", _("muted")

    player = models.ForeignKey(User, on_delete=models.CASCADE, related_name="ties")
    other = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=5, choices=Kind)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "other", "kind"], name="tie_once"),
            models.CheckConstraint(condition=~models.Q(player=models.F("other")), name="tie_between_two"),
            models.CheckConstraint(condition=models.Q(kind__in=["block", "mute"]), name="tie_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.player} {self.kind} {self.other}"


# What moderators keep


class SignIn(models.Model):
    """The first request of a day in a session: when, with what, and from where. Forgotten after a while.

    `address` is a keyed digest: equal addresses are told apart from others, and none can be read.
    """

    player = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="sign_ins", verbose_name=_("player"), db_index=False
    )
    at = models.DateTimeField(_("at"), default=timezone.now, db_index=True)
    address = models.CharField(_("address"), max_length=16)
    device = models.CharField(_("device"), max_length=60, blank=True)

    class Meta:
        verbose_name = _("sign-in")
        verbose_name_plural = _("sign-ins")
        indexes = [
            models.Index(fields=["player", "-at"], name="sign_in_of_player"),
            models.Index(fields=["address", "-at"], name="sign_in_from_address"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} {self.at:%Y-%m-%d}"


class Suspension(models.Model):
    """A time in which a player may not play. `is_active` of the player follows it; the player is told the reason."""

    player = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="suspensions", verbose_name=_("player")
    )
    reason = models.CharField(_("reason"), max_length=LONGEST_TEXT)
    until = models.DateTimeField(_("until"), null=True)
    """None: for good."""
    by = models.ForeignKey(
        User, null=True, on_delete=models.SET_NULL, related_name="+", verbose_name=_("moderator")
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now, db_index=True)
    ended_at = models.DateTimeField(_("ended"), null=True)
    """Its time was up, or a moderator has lifted it."""

    class Meta:
        verbose_name = _("suspension")
        verbose_name_plural = _("suspensions")
        indexes = [
            models.Index(fields=["until"], name="suspension_ends", condition=models.Q(ended_at__isnull=True)),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["player"], condition=models.Q(ended_at__isnull=True), name="suspension_one_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} {self.created_at:%Y-%m-%d}"


class Report(models.Model):
    """What a player has told moderators of another, or of a match. It outlives whom it speaks of.

    `match_id` is a match's id: this room knows no matches.
    """

    class Why(models.TextChoices):
        CHEATING = "cheating", _("unfair play")
        STALLING = "stalling", _("lets the clock run, or leaves")
        GIVING = "giving", _("gives points away, or is given them")
        NAME = "name", _("an offensive name")
        PESTERING = "pestering", _("pesters other players")
        OTHER = "other", _("something else")

    class State(models.IntegerChoices):
        """In the order of the queue."""

        OPEN = 0, _("open")
        CLAIMED = 1, _("claimed")
        CLOSED = 2, _("closed")

    class Outcome(models.TextChoices):
        NONE = "", _("none yet")
        UPHELD = "upheld", _("upheld")
        DISMISSED = "dismissed", _("dismissed")
        DOUBLE = "double", _("reported before")

    reporter = models.ForeignKey(
        User, null=True, on_delete=models.SET_NULL, related_name="reports_made", verbose_name=_("reporter")
    )
    player = models.ForeignKey(
        User, null=True, on_delete=models.SET_NULL, related_name="reports", verbose_name=_("player")
    )
    match_id = models.CharField(_("match"), max_length=8, blank=True, db_index=True)
    why = models.CharField(_("reason"), max_length=9, choices=Why)
    text = models.CharField(_("text"), max_length=LONGEST_TEXT, blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    state = models.PositiveSmallIntegerField(_("state"), choices=State, default=State.OPEN)
    moderator = models.ForeignKey(
        User, null=True, on_delete=models.SET_NULL, related_name="+", verbose_name=_("moderator")
    )
    outcome = models.CharField(_("outcome"), max_length=9, choices=Outcome, blank=True)
    closed_at = models.DateTimeField(_("closed"), null=True)

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        indexes = [
            models.Index(fields=["state", "created_at"], name="report_queue"),
            models.Index(fields=["why", "created_at"], name="report_by_reason"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["reporter", "player", "match_id"],
                condition=~models.Q(state=2),
                name="report_waits_once",
            ),
            models.CheckConstraint(
                condition=models.Q(state=2, closed_at__isnull=False) & ~models.Q(outcome="")
                | ~models.Q(state=2) & models.Q(closed_at__isnull=True, outcome=""),
                name="report_closed_with_an_outcome",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pk} {self.why}"


class Note(models.Model):
    """What one moderator wants the others to know of a player. The player never sees it."""

    player = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notes", verbose_name=_("player"))
    by = models.ForeignKey(
        User, null=True, on_delete=models.SET_NULL, related_name="+", verbose_name=_("moderator")
    )
    text = models.CharField(_("text"), max_length=2000)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")

    def __str__(self) -> str:
        return f"{self.player_id} {self.created_at:%Y-%m-%d}"


class OnlyGrowing(models.QuerySet["AuditRow"]):
    """Rows to read and to add."""

    def update(self, **changes: Any) -> int:
        raise TypeError("The log only grows.")

    def delete(self) -> Any:
        raise TypeError("The log only grows.")


class AuditRow(models.Model):
    """One act of a moderator: who, what, to what, why, and what it changed. Rows are added, and that is all.

    Names and keys stand here as text and no row points anywhere: what is deleted elsewhere changes nothing here. On
    PostgreSQL the database itself refuses everything but an INSERT (migration 0004).
    """

    at = models.DateTimeField(_("at"), default=timezone.now, db_index=True)
    actor_id = models.BigIntegerField(null=True)
    actor = models.CharField(_("moderator"), max_length=LONGEST, blank=True)
    act = models.CharField(_("act"), max_length=40)
    kind = models.CharField(_("kind"), max_length=60)
    """What it was done to: the label of a model, `players.user`."""
    key = models.CharField(max_length=64)
    name = models.CharField(_("of"), max_length=200)
    reason = models.CharField(_("reason"), max_length=LONGEST_TEXT, blank=True)
    before = models.JSONField(_("before"), default=dict)
    after = models.JSONField(_("after"), default=dict)

    objects = OnlyGrowing.as_manager()

    class Meta:
        verbose_name = _("act")
        verbose_name_plural = _("log of acts")
        indexes = [
            models.Index(fields=["kind", "key", "-at"], name="audit_of_object"),
            models.Index(fields=["actor_id", "-at"], name="audit_of_actor"),
            models.Index(fields=["act", "-at"], name="audit_of_act"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor} {self.act} {self.name}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("The log only grows.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("The log only grows.")
