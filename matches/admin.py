"""Matches in the admin: to look at, as somebody who watches may, and to decide; numbers only once all may see them."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from matches import queries, store
from matches.core.machine import Status
from matches.core.sight import GuessSight, see
from matches.models import Match
from matches.services import adjudicate
from players.admin import REPORT_HEAD, done_to, report_line
from players.desk import Act, Desk, Panel, WithReason, listed, to_player
from players.models import Report, User
from players.queries import called


def is_live(match: Match) -> bool:
    return match.status != Status.OVER.value


def decide(match: Match, by: User, reason: str, *, winner: int | None) -> None:
    adjudicate(match.pk, winner, by, reason)


def seats(request: HttpRequest, match: Match) -> Panel:
    """What a spectator sees (`sight`); while it is live, of the guesses only how many: they narrow a number down."""
    sight = see(store.state_of(match), None, store.now_ms())
    players = queries.load(match.pk).players
    rows = [
        (
            index,
            to_player(player),
            seat.secret or "—",
            len(seat.guesses),
            "" if is_live(match) else " ".join(map(_written, seat.guesses)),
        )
        for index, (player, seat) in enumerate(zip(players, sight.seats, strict=True))
    ]
    return Panel(_("seats"), (_("seat"), _("player"), _("number"), _("guesses"), _("guesses made")), rows)


def _written(guess: GuessSight) -> str:
    return f"{guess.code} ({guess.exact}+{guess.present})"


def reports(request: HttpRequest, match: Match) -> Panel:
    rows = Report.objects.filter(match_id=match.pk).select_related("reporter").order_by("-pk")[:10]
    more = listed("players_report", match_id=match.pk)
    return Panel(_("reports"), REPORT_HEAD, list(map(report_line, rows)), more)


class Stage(admin.SimpleListFilter):
    """Live or over: what is live has an index of its own."""

    title = _("stage")
    parameter_name = "stage"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return [("live", _("live")), ("over", _("over"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        match self.value():
            case "live":
                return queryset.exclude(status=Status.OVER.value)
            case "over":
                return queryset.filter(status=Status.OVER.value)
        return queryset


@admin.register(Match)
class MatchAdmin(Desk):
    list_display = (
        "id",
        "first",
        "second",
        "status",
        "outcome",
        "reason",
        "public",
        "created_at",
        "ended_at",
    )
    list_filter = (Stage, "reason", "created_at")
    search_fields = ("id",)
    search_help_text = _("A match’s id or a player’s name, in full.")
    fields = ("id", "status", "version", "outcome", "reason", "winner", "public", "created_at", "ended_at")
    readonly_fields = fields
    ordering = ("-created_at",)
    acts = [
        Act("first", _("decide for seat 0"), partial(decide, winner=0), WithReason, is_live),
        Act("second", _("decide for seat 1"), partial(decide, winner=1), WithReason, is_live),
        Act("void", _("declare void"), partial(decide, winner=None), WithReason, is_live),
    ]
    panels = [seats, reports, done_to]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        """A list shows neither state nor numbers, and does not fetch them."""
        rows = super().get_queryset(request).defer("state", "secrets", "answers")
        return rows.prefetch_related("seats__player")

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Match], search_term: str) -> Any:
        term = search_term.strip()
        if not term:
            return queryset, False
        player = called(term)
        if player is None:
            return queryset.filter(pk=term), False
        return queryset.filter(seats__player=player), False

    def view_on_site(self, match: Match) -> str | None:
        return reverse("match", args=[match.pk]) if match.public else None

    @admin.display(description=_("seat 0"))
    def first(self, match: Match) -> Any:
        return to_player(match.seats.all()[0].player)

    @admin.display(description=_("seat 1"))
    def second(self, match: Match) -> Any:
        return to_player(match.seats.all()[1].player)
