"""Tournaments in the admin: what staff do goes through the verbs and into the log; rows are to look at.

A single tournament is made on the site's own page, by staff as by anyone; what is made here is what comes every week.
"""

from collections.abc import Callable
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from matches import codec, wire
from matches.choices import agreed
from players.auth import caller
from players.models import LONGEST_TEXT, User
from players.problems import Problem
from tournaments import services
from tournaments.models import Entry, Pairing, Tournament, Weekly


class WithReason(ActionForm):
    """Every act is written down with why."""

    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=LONGEST_TEXT, required=False)


class Watched(admin.ModelAdmin):  # type: ignore[type-arg]  # not generic at run time
    """Rows that only verbs write. `do` runs one for each chosen row; the verb itself writes it down."""

    action_form = WithReason
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [field.name for field in self.model._meta.fields]

    def do(
        self, request: HttpRequest, rows: QuerySet[Any], what: str, verb: Callable[[Any, User, str], None]
    ) -> None:
        by, reason = caller(request), request.POST.get("reason", "")
        for row in rows:
            try:
                verb(row, by, reason)
            except Problem as problem:
                self.message_user(request, f"{row}: {problem.detail}", messages.ERROR)
                continue
            self.message_user(request, f"{row}: {what}.")


@admin.register(Tournament)
class TournamentAdmin(Watched):
    list_display = ("name", "id", "status", "why", "private", "starts_at", "creator", "champion")
    list_filter = ("status", "private")
    list_select_related = ("creator", "champion__player")
    search_fields = ("=id", "name")
    date_hierarchy = "starts_at"
    exclude = ("code",)
    actions = ("start_now", "call_off")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [name for name in super().get_readonly_fields(request, obj) if name != "code"]

    @admin.action(description=gettext_lazy("Start now"), permissions=["change"])
    def start_now(self, request: HttpRequest, rows: QuerySet[Tournament]) -> None:
        self.do(request, rows, _("started now"), lambda row, *told: services.start_now(row.pk, *told))

    @admin.action(description=gettext_lazy("Call off"), permissions=["change"])
    def call_off(self, request: HttpRequest, rows: QuerySet[Tournament]) -> None:
        self.do(request, rows, _("called off"), lambda row, *told: services.call_off(row.pk, *told))


@admin.register(Entry)
class EntryAdmin(Watched):
    list_display = ("tournament", "player", "fall", "entered_at")
    list_filter = ("tournament__status",)
    list_select_related = ("tournament", "player")
    search_fields = ("=tournament__id", "=player__username")
    actions = ("disqualify",)

    @admin.action(description=gettext_lazy("Disqualify"), permissions=["change"])
    def disqualify(self, request: HttpRequest, rows: QuerySet[Entry]) -> None:
        self.do(request, rows, _("disqualified"), lambda entry, *told: services.disqualify(entry.pk, *told))


@admin.register(Pairing)
class PairingAdmin(Watched):
    list_display = ("tournament", "number", "who", "match", "decided", "through")
    list_filter = ("decided", "against_bot")
    list_select_related = ("round__tournament", "match")
    search_fields = ("=round__tournament__id", "=match__id")
    actions = ("for_the_first", "for_the_second", "void")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Pairing]:
        return super().get_queryset(request).prefetch_related("places__entry__player")

    @admin.display(description=gettext_lazy("tournament"))
    def tournament(self, pairing: Pairing) -> Model:
        return pairing.round.tournament

    @admin.display(description=gettext_lazy("round"))
    def number(self, pairing: Pairing) -> int:
        return pairing.round.number

    @admin.display(description=gettext_lazy("players"))
    def who(self, pairing: Pairing) -> str:
        return " – ".join(str(place.entry.player or "—") for place in pairing.places.all())

    @admin.action(description=gettext_lazy("Decide for the first player"), permissions=["change"])
    def for_the_first(self, request: HttpRequest, rows: QuerySet[Pairing]) -> None:
        self.adjudicate(request, rows, _("decided for the first player"), 0)

    @admin.action(description=gettext_lazy("Decide for the second player"), permissions=["change"])
    def for_the_second(self, request: HttpRequest, rows: QuerySet[Pairing]) -> None:
        self.adjudicate(request, rows, _("decided for the second player"), 1)

    @admin.action(description=gettext_lazy("Declare void: it is replayed"), permissions=["change"])
    def void(self, request: HttpRequest, rows: QuerySet[Pairing]) -> None:
        self.adjudicate(request, rows, _("declared void"), None)

    def adjudicate(self, request: HttpRequest, rows: QuerySet[Pairing], what: str, seat: int | None) -> None:
        self.do(request, rows, what, lambda pairing, *told: services.adjudicate(pairing.pk, seat, *told))


class WeeklyForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """Terms are written and shown as the public interface has them."""

    terms = forms.JSONField(
        label=gettext_lazy("Terms"),
        help_text=gettext_lazy("As the API takes them."),
        initial={"preset": "duel"},
    )
    zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"), choices=[(zone, zone) for zone in sorted(available_timezones())]
    )

    class Meta:
        model = Weekly
        fields = ("name", "terms", "weekday", "hour", "zone", "maximum", "active")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["terms"] = wire.terms_json(codec.terms_from_json(self.instance.terms))
        else:
            self.initial.setdefault("zone", "Europe/Rome")

    def clean_name(self) -> str:
        return str(self._checked(lambda: services.checked_name(self.cleaned_data["name"])))

    def clean_terms(self) -> Any:
        asked = self.cleaned_data["terms"]
        if not isinstance(asked, dict):
            raise forms.ValidationError(_("Terms are a JSON object."))
        return self._checked(lambda: codec.terms_to_json(agreed(asked)))

    def _checked(self, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except Problem as problem:
            raise forms.ValidationError(problem.detail) from None


@admin.register(Weekly)
class WeeklyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not generic at run time
    form = WeeklyForm
    list_display = ("name", "weekday", "hour", "zone", "maximum", "active")
