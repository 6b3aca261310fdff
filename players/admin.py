"""Players in the admin, what moderators keep of them, and the admin's door."""

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django import forms
from django.contrib import admin, messages
from django.contrib.admin.actions import delete_selected
from django.contrib.admin.widgets import AdminSplitDateTime
from django.contrib.auth.admin import UserAdmin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from players import audit, moderation
from players.auth import caller
from players.desk import Act, Desk, Panel, WithReason, link, listed, of_player, to_match, to_player
from players.forms import AdminSignIn
from players.models import AuditRow, Report, SignIn, Suspension, User
from players.names import LONGEST, name_key
from players.problems import Problem

admin.site.login_form = AdminSignIn
# What a form deletes, it deletes one by one, so that the log has each.
admin.site.disable_action("delete_selected")

_SHOWN = 10
_OWN_WEIGHT = ("is_staff", "is_superuser", "groups", "user_permissions")
"""What makes somebody staff: superusers give it."""


# What is asked before an act


class Suspend(WithReason):
    """The player reads the reason."""

    length = forms.ChoiceField(
        label=_("For"),
        choices=[
            ("1", _("one day")),
            ("3", _("three days")),
            ("7", _("a week")),
            ("30", _("thirty days")),
            ("until", _("until the time below")),
            ("good", _("for good")),
        ],
    )
    until = forms.SplitDateTimeField(
        label=_("Until"), required=False, widget=AdminSplitDateTime, help_text=_("In UTC.")
    )

    def clean(self) -> dict[str, Any]:
        """`until` alone says when, None for good."""
        given: dict[str, Any] = super().clean() or {}
        length, until = given.pop("length", ""), given.get("until")
        if length == "until" and until is None and "until" not in self.errors:
            self.add_error("until", _("Say when it ends."))
        if length.isdigit():
            given["until"] = timezone.now() + timedelta(days=int(length))
        elif length == "good":
            given["until"] = None
        return given


class Rename(WithReason):
    name = forms.CharField(label=_("New name"), max_length=LONGEST)
    field_order = ["name", "reason"]


class WriteNote(forms.Form):
    text = forms.CharField(
        label=_("Text"), max_length=2000, widget=forms.Textarea(attrs={"rows": 6, "cols": 80})
    )


class CloseReport(forms.Form):
    outcome = forms.ChoiceField(
        label=_("Outcome"), choices=[each for each in Report.Outcome.choices if each[0]]
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
    )


# What stands on a player's page


def sign_ins(request: HttpRequest, player: User) -> Panel:
    rows = list(SignIn.objects.filter(player=player).order_by("-at")[:_SHOWN])
    return Panel(
        _("sign-ins"),
        (_("at"), _("device"), _("address")),
        [(row.at, row.device, _from(row.address)) for row in rows],
        listed("players_signin", player=player.pk),
    )


def _from(address: str) -> Any:
    return format_html('<a href="{}">{}</a>', listed("players_signin", address=address), address)


def suspensions(request: HttpRequest, player: User) -> Panel:
    rows = player.suspensions.select_related("by").order_by("-pk")[:_SHOWN]
    head = (_("from"), _("until"), _("ended"), _("reason"), _("moderator"))
    return Panel(
        _("suspensions"),
        head,
        [
            (row.created_at, row.until or _("for good"), row.ended_at or "", row.reason, row.by or "—")
            for row in rows
        ],
    )


def notes(request: HttpRequest, player: User) -> Panel:
    rows = player.notes.select_related("by").order_by("-pk")[:_SHOWN]
    head = (_("at"), _("moderator"), _("text"))
    return Panel(_("notes"), head, [(row.created_at, row.by or "—", row.text) for row in rows])


def reports(request: HttpRequest, player: User) -> Panel:
    rows = Report.objects.filter(player=player).select_related("reporter").order_by("-pk")[:_SHOWN]
    return Panel(
        _("reports"), REPORT_HEAD, list(map(report_line, rows)), listed("players_report", player=player.pk)
    )


REPORT_HEAD = (_("at"), _("reason"), _("match"), _("reporter"), _("state"))


def report_line(report: Report) -> tuple[Any, ...]:
    at = link(f"{report.created_at:%Y-%m-%d %H:%M}", "players_report", report.pk)
    state = report.get_outcome_display() if report.outcome else report.get_state_display()
    return at, report.get_why_display(), to_match(report.match_id), to_player(report.reporter), state


def done_to(request: HttpRequest, row: Any) -> Panel:
    """What has been done to any row."""
    done = AuditRow.objects.filter(kind=row._meta.label_lower, key=str(row.pk)).order_by("-at")[:_SHOWN]
    head = (_("at"), _("moderator"), _("act"), _("reason"))
    return Panel(
        _("acts"),
        head,
        [(act.at, act.actor or "—", audit.words.get(act.act, act.act), act.reason) for act in done],
        listed("players_auditrow", kind=row._meta.label_lower, key=row.pk),
    )


@admin.register(User)
class PlayerAdmin(Desk, UserAdmin):  # type: ignore[type-arg]  # not generic at run time
    list_display = ("username", "kind", "points", "may_play", "is_staff", "date_joined", "last_seen_at")
    list_filter = ("kind", "is_active", "is_staff")
    search_fields = ("username",)
    search_help_text = _("How a name begins, or an e-mail address in full.")
    ordering = ("username",)
    actions = (delete_selected,)
    readonly_fields = ("username", "points", "may_play", "last_login", "last_seen_at", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "password", "kind", "points", "may_play")}),
        (None, {"fields": ("email", "is_staff", "is_superuser", "groups", "user_permissions")}),
        (None, {"fields": ("last_login", "last_seen_at", "date_joined")}),
    )
    acts = [
        Act(
            "suspend",
            _("suspend"),
            moderation.suspend,
            Suspend,
            lambda player: player.is_active,
            _("Running matches are lost, offers withdrawn. The player reads the reason when signing in."),
        ),
        Act("lift", _("lift the suspension"), moderation.lift, offered=lambda player: not player.is_active),
        Act("rename", _("rename"), moderation.rename, Rename),
        Act("note", _("write a note"), moderation.note, WriteNote),
    ]
    panels = [reports, notes, suspensions, sign_ins, done_to]

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Addresses and rights are for who may change them."""
        if obj is not None and not self.has_change_permission(request, obj):
            return (
                (
                    None,
                    {"fields": ("username", "kind", "points", "may_play", *self.fieldsets[2][1]["fields"])},
                ),
            )
        return super().get_fieldsets(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        if obj is None:
            return [field for field in self.readonly_fields if field != "username"]
        return self.readonly_fields if request.user.is_superuser else (*self.readonly_fields, *_OWN_WEIGHT)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super(Desk, self).has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super(Desk, self).has_change_permission(request, obj) and _is_below(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super(Desk, self).has_delete_permission(request, obj) and _is_below(request, obj)

    def may_act(self, request: HttpRequest, row: User) -> bool:
        return moderation.may_moderate(caller(request), row)

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[User], search_term: str) -> Any:
        term = search_term.strip()
        if not term:
            return queryset, False
        wanted = Q(name_key__startswith=name_key(term))
        if "@" in term and self.has_change_permission(request):
            wanted |= Q(email=User.objects.normalize_email(term))
        return queryset.filter(wanted), False

    @admin.display(description=_("may play"), boolean=True)
    def may_play(self, player: User) -> bool:
        """A suspension says so: it is no box to tick."""
        return player.is_active

    def view_on_site(self, player: User) -> str:
        return reverse("player", args=[player.username])

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """An address taken from a player opens nothing any more: allauth keeps a list of its own."""
        if change and "email" in form.changed_data:
            EmailAddress.objects.filter(user=obj).delete()
        super().save_model(request, obj, form, change)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[User]) -> Any:
        """One by one: many at once would leave no line each."""
        return [super(PlayerAdmin, self).log_deletions(request, [row]) for row in queryset]  # type: ignore[arg-type]

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What is a player's goes with them, though nobody may delete it by itself."""
        deleted, counts, _needed, protected = super().get_deleted_objects(objs, request)
        allowed = all(self.has_delete_permission(request, player) for player in objs)
        return deleted, counts, set() if allowed else {self.opts.verbose_name}, protected


def _is_below(request: HttpRequest, player: User | None) -> bool:
    """Staff are superusers' to touch."""
    if request.user.is_superuser or player is None:
        return True
    return not (player.is_staff or player.is_superuser)


# What moderators keep


class Queue(admin.SimpleListFilter):
    """What waits, unless something else is asked for."""

    title = _("queue")
    parameter_name = "queue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return [
            ("mine", _("claimed by me")),
            ("closed", pgettext_lazy("reports", "closed")),
            ("all", _("all")),
        ]

    def choices(self, changelist: Any) -> Any:
        first = {
            "selected": self.value() is None,
            "query_string": changelist.get_query_string(remove=[self.parameter_name]),
            "display": _("waiting"),
        }
        return [first, *list(super().choices(changelist))[1:]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        match self.value():
            case "mine":
                return queryset.filter(state=Report.State.CLAIMED, moderator=caller(request))
            case "closed":
                return queryset.filter(state=Report.State.CLOSED)
            case "all":
                return queryset
        return queryset if _of_one(request) else queryset.filter(state__lt=Report.State.CLOSED)


def _of_one(request: HttpRequest) -> bool:
    """Whoever follows a link to a player's or a match's reports wants all of them."""
    return "player" in request.GET or "match_id" in request.GET


@admin.register(Report)
class ReportAdmin(Desk):
    list_display = ("created_at", "about", "in_match", "why", "state", "moderator", "from_whom")
    list_filter = (Queue, "why")
    list_select_related = ("player", "reporter", "moderator")
    search_fields = ("player",)
    search_help_text = _("A player’s name or a match’s id, in full.")
    asked = ("player", "match_id")
    actions = ("claim",)
    fields = (
        "created_at",
        "about",
        "in_match",
        "why",
        "text",
        "from_whom",
        "state",
        "moderator",
        "outcome",
        "closed_at",
    )
    readonly_fields = ("about", "in_match", "from_whom")
    acts = [
        Act(
            "claim",
            _("claim"),
            moderation.claim,
            forms.Form,
            lambda report: report.state == Report.State.OPEN,
        ),
        Act(
            "close",
            _("close"),
            moderation.close,
            CloseReport,
            lambda report: report.state != Report.State.CLOSED,
        ),
    ]

    def get_ordering(self, request: HttpRequest) -> Any:
        """The oldest that waits first; of what is closed the newest."""
        return ("-pk",) if request.GET.get("queue") in ("closed", "all") else ("state", "created_at")

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Report], search_term: str) -> Any:
        if not search_term.strip():
            return queryset, False
        return of_player(queryset, search_term.strip(), "player", exact="match_id"), False

    @admin.display(description=_("player"))
    def about(self, report: Report) -> Any:
        return to_player(report.player)

    @admin.display(description=_("match"))
    def in_match(self, report: Report) -> Any:
        return to_match(report.match_id)

    @admin.display(description=_("reporter"))
    def from_whom(self, report: Report) -> Any:
        return to_player(report.reporter)

    @admin.action(description=_("Claim"), permissions=["moderate"])
    def claim(self, request: HttpRequest, rows: QuerySet[Report]) -> None:
        for report in rows:
            try:
                moderation.claim(report, caller(request))
            except Problem as problem:
                self.message_user(request, f"{report}: {problem.detail}", messages.ERROR)


def others_reported(request: HttpRequest, report: Report) -> Panel | None:
    return reports(request, report.player) if report.player else None


ReportAdmin.panels += [others_reported, done_to]


@admin.register(SignIn)
class SignInAdmin(Desk):
    list_display = ("at", "whose", "device", "address")
    list_select_related = ("player",)
    search_fields = ("player",)
    search_help_text = _("A player’s name, or the digest of an address, in full.")
    asked = ("player", "address")
    ordering = ("-at",)
    fields = ("at", "whose", "device", "address")
    readonly_fields = ("whose",)

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[SignIn], search_term: str) -> Any:
        if not search_term.strip():
            return queryset, False
        return of_player(queryset, search_term.strip(), "player", exact="address"), False

    @admin.display(description=_("player"))
    def whose(self, row: SignIn) -> Any:
        return to_player(row.player)


class InForce(admin.SimpleListFilter):
    title = _("in force")
    parameter_name = "in_force"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return [("yes", _("Yes")), ("no", _("No"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Suspension]) -> QuerySet[Suspension]:
        return queryset.filter(ended_at__isnull=self.value() == "yes") if self.value() else queryset


@admin.register(Suspension)
class SuspensionAdmin(Desk):
    list_display = ("created_at", "whose", "until", "ended_at", "reason", "by")
    list_filter = (InForce,)
    list_select_related = ("player", "by")
    search_fields = ("player",)
    search_help_text = _("A player’s name, in full.")
    ordering = ("-created_at",)
    fields = ("created_at", "whose", "until", "ended_at", "reason", "by")
    readonly_fields = ("whose",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Suspension], search_term: str
    ) -> Any:
        return of_player(queryset, search_term, "player") if search_term else queryset, False

    @admin.display(description=_("player"))
    def whose(self, row: Suspension) -> Any:
        return to_player(row.player)


class Done(admin.SimpleListFilter):
    """By the word of an act, in the reader's language."""

    title = _("act")
    parameter_name = "act"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return list(audit.words.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditRow]) -> QuerySet[AuditRow]:
        return queryset.filter(act=self.value()) if self.value() else queryset


@admin.register(AuditRow)
class AuditAdmin(Desk):
    """To read: nobody changes or deletes a line of it, whoever they are."""

    list_display = ("at", "actor", "what", "to_what", "reason")
    list_filter = (Done,)
    search_fields = ("actor",)
    search_help_text = _("A moderator’s name, or the key of what an act was done to, in full.")
    asked = ("kind", "key")
    ordering = ("-at",)
    fields = ("at", "actor", "what", "to_what", "reason", "before", "after")
    readonly_fields = ("what", "to_what")

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[AuditRow], search_term: str) -> Any:
        term = search_term.strip()
        if not term:
            return queryset, False
        return queryset.filter(
            Q(actor_id__in=User.objects.filter(name_key=name_key(term)).values("pk")) | Q(key=term)
        ), False

    @admin.display(description=_("act"))
    def what(self, row: AuditRow) -> Any:
        return audit.words.get(row.act, row.act)

    @admin.display(description=_("of"))
    def to_what(self, row: AuditRow) -> Any:
        try:
            return link(row.name, row.kind.replace(".", "_"), row.key)
        except NoReverseMatch:
            return row.name  # what has no page, or has none any more
