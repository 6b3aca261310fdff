"""Tournaments in the admin: what staff do goes through the verbs and into the log; rows are to look at.

A single tournament is made on the site's own page, by staff as by anyone; what is made here is what comes every week.
"""

from collections.abc import Callable
from functools import partial
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from matches import codec, wire
from matches.admin import MatchAdmin
from matches.choices import agreed
from matches.models import Match
from players.admin import PlayerAdmin, done_to
from players.desk import Act, Desk, Panel, WithReason, link, listed, of_player, to_match, to_player
from players.models import User
from players.problems import Problem
from tournaments import services
from tournaments.core.machine import Status
from tournaments.models import Entry, Pairing, Tournament, Weekly

_SHOWN = 10


def _has_not_begun(row: Tournament) -> bool:
    return row.status == Status.OPEN.value


def start_now(row: Tournament, by: User, reason: str) -> None:
    services.start_now(row.pk, by, reason)


def call_off(row: Tournament, by: User, reason: str) -> None:
    services.call_off(row.pk, by, reason)


def disqualify(entry: Entry, by: User, reason: str) -> None:
    services.disqualify(entry.pk, by, reason)


def adjudicate(pairing: Pairing, by: User, reason: str, *, seat: int | None) -> None:
    services.adjudicate(pairing.pk, seat, by, reason)


# What stands on a tournament's page, a player's and a match's


def entrants(request: HttpRequest, row: Tournament) -> Panel:
    entries = row.entries.select_related("player")
    head = (_("entry"), _("player"), _("out by"), _("entered"))
    rows = [
        (link(entry.pk, "tournaments_entry", entry.pk), to_player(entry.player), entry.fall, entry.entered_at)
        for entry in entries
    ]
    return Panel(_("entries"), head, rows)


def pairings(request: HttpRequest, row: Tournament) -> Panel:
    """The latest round first: what there may be to decide."""
    drawn = _pairings().filter(round__tournament=row).order_by("-round__number", "index")
    head = (_("pairing"), _("round"), _("players"), _("match"), _("goes on"))
    return Panel(_("pairings"), head, [_drawn(pairing) for pairing in drawn])


def _pairings() -> QuerySet[Pairing]:
    return Pairing.objects.select_related("round__tournament").prefetch_related("places__entry__player")


def _drawn(pairing: Pairing) -> tuple[Any, ...]:
    at = link(pairing.pk, "tournaments_pairing", pairing.pk)
    return at, pairing.round.number, _who(pairing), to_match(pairing.match_id), _through(pairing)


def _who(pairing: Pairing) -> str:
    return " – ".join(str(place.entry.player or "—") for place in pairing.places.all())


def _through(pairing: Pairing) -> str:
    """Who went on, where it is decided."""
    if not pairing.decided:
        return ""
    on = [place.entry for place in pairing.places.all() if place.seat == pairing.through]
    return str(on[0].player or "—") if on else gettext("nobody")


def played(request: HttpRequest, player: User) -> Panel | None:
    entries = Entry.objects.filter(player=player).select_related("tournament").order_by("-pk")[:_SHOWN]
    rows = [
        (
            link(entry.tournament, "tournaments_tournament", entry.tournament_id),
            entry.tournament.starts_at,
            entry.tournament.get_status_display(),
            _("champion") if entry.pk == entry.tournament.champion_id else entry.fall,
        )
        for entry in entries
    ]
    if not rows:
        return None
    more = listed("tournaments_entry", player=player.pk)
    return Panel(_("tournaments"), (_("tournament"), _("starts"), _("status"), _("out by")), rows, more)


def bracket_of(request: HttpRequest, match: Match) -> Panel | None:
    """The pairing that a match decides, where it is one of a tournament."""
    pairing = _pairings().filter(match=match).first()
    if pairing is None:
        return None
    cup = pairing.round.tournament
    row = (link(cup, "tournaments_tournament", cup.pk), *_drawn(pairing))
    head = (_("tournament"), _("pairing"), _("round"), _("players"), _("match"), _("goes on"))
    return Panel(_("tournament"), head, [row])


PlayerAdmin.panels.append(played)
MatchAdmin.panels.append(bracket_of)


# The lists


@admin.register(Tournament)
class TournamentAdmin(Desk):
    list_display = ("name", "id", "status", "why", "private", "starts_at", "made_by", "champion")
    list_filter = ("status", "private")
    list_select_related = ("creator", "champion__player")
    search_fields = ("id",)
    search_help_text = _("A tournament’s id, or its name in full.")
    ordering = ("-starts_at", "id")
    fields = (
        "id",
        "name",
        "status",
        "why",
        "private",
        "starts_at",
        "zone",
        "maximum",
        "terms",
        "made_by",
        "champion",
        "created_at",
        "ended_at",
    )
    readonly_fields = ("id", "made_by")
    acts = [
        Act("start", _("start now"), start_now, WithReason, _has_not_begun),
        Act("call-off", _("call off"), call_off, WithReason, _has_not_begun),
    ]
    panels = [entrants, pairings, done_to]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Tournament], search_term: str
    ) -> Any:
        term = search_term.strip()
        return (queryset.filter(Q(pk=term) | Q(name=term)) if term else queryset), False

    def view_on_site(self, row: Tournament) -> str:
        return reverse("tournament", args=[row.pk])

    @admin.display(description=_("made by"))
    def made_by(self, row: Tournament) -> Any:
        return to_player(row.creator)


@admin.register(Entry)
class EntryAdmin(Desk):
    list_display = ("id", "cup", "who", "fall", "entered_at")
    list_filter = ("tournament__status",)
    asked = ("player",)
    list_select_related = ("tournament", "player")
    search_fields = ("player",)
    search_help_text = _("A tournament’s id or a player’s name, in full.")
    fields = ("id", "cup", "who", "fall", "entered_at")
    readonly_fields = ("cup", "who")
    ordering = ("-id",)
    acts = [
        Act(
            "disqualify",
            _("disqualify"),
            disqualify,
            offered=lambda entry: not entry.fall and entry.tournament.status in (Status.OPEN, Status.RUNNING),
            hint=_("The match they play goes to the other."),
        )
    ]

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Entry], search_term: str) -> Any:
        if not search_term.strip():
            return queryset, False
        return of_player(queryset, search_term.strip(), "player", exact="tournament"), False

    @admin.display(description=_("tournament"))
    def cup(self, entry: Entry) -> Any:
        return link(entry.tournament, "tournaments_tournament", entry.tournament_id)

    @admin.display(description=_("player"))
    def who(self, entry: Entry) -> Any:
        return to_player(entry.player)


@admin.register(Pairing)
class PairingAdmin(Desk):
    list_display = ("id", "cup", "number", "who", "played", "decided", "through")
    list_filter = ("decided", "against_bot")
    list_select_related = ("round__tournament",)
    search_fields = ("match",)
    search_help_text = _("A tournament’s id or a match’s.")
    fields = ("id", "cup", "number", "who", "played", "against_bot", "decided", "through")
    readonly_fields = ("cup", "number", "who", "played")
    ordering = ("-id",)
    acts = [
        Act(
            name,
            label,
            partial(adjudicate, seat=seat),
            offered=lambda pairing: not pairing.decided and pairing.match_id is not None,
        )
        for name, label, seat in (
            ("first", _("decide for the first player"), 0),
            ("second", _("decide for the second player"), 1),
            ("void", _("declare void: it is replayed"), None),
        )
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Pairing]:
        return super().get_queryset(request).prefetch_related("places__entry__player")

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Pairing], search_term: str) -> Any:
        term = search_term.strip()
        return (queryset.filter(Q(match=term) | Q(round__tournament=term)) if term else queryset), False

    @admin.display(description=_("tournament"))
    def cup(self, pairing: Pairing) -> Any:
        return link(pairing.round.tournament, "tournaments_tournament", pairing.round.tournament_id)

    @admin.display(description=_("round"))
    def number(self, pairing: Pairing) -> int:
        return pairing.round.number

    @admin.display(description=_("players"))
    def who(self, pairing: Pairing) -> str:
        return _who(pairing)

    @admin.display(description=_("match"))
    def played(self, pairing: Pairing) -> Any:
        return to_match(pairing.match_id)


class WeeklyForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """Terms are written and shown as the public interface has them."""

    terms = forms.JSONField(
        label=_("Terms"),
        help_text=_("As the API takes them."),
        initial={"preset": "duel"},
    )
    zone = forms.ChoiceField(
        label=_("Time zone"), choices=[(zone, zone) for zone in sorted(available_timezones())]
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
            raise forms.ValidationError(gettext("Terms are a JSON object."))
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
