"""The ledger and what looks suspicious in the admin, and what ratings add to the pages of players and matches.

The ledger is to look at: what is wrong is reversed by a further row (R6.5), never edited.
"""

from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from matches.admin import MatchAdmin, is_live
from matches.models import Match
from players.admin import PlayerAdmin
from players.desk import Act, Desk, Panel, link, listed, of_player, to_match, to_player
from players.models import User
from ratings import queries, services
from ratings.models import Ladder, LedgerRow, Pattern

_SHOWN = 10
_LEDGER = (_("at"), _("player"), _("match"), _("ladder"), _("cause"), _("change"), _("total"))


def record(request: HttpRequest, player: User) -> Panel:
    counted = queries.record(queries.tallies(player.pk))
    standing = queries.standings(player.pk).get(Ladder.TOURNAMENT)
    row = (
        counted.won,
        counted.lost,
        counted.drawn,
        counted.void,
        player.points,
        standing.points if standing else 0,
    )
    head = (_("won"), _("lost"), _("drawn"), _("void"), _("points"), _("points in tournaments"))
    return Panel(_("record"), head, [row])


def matches(request: HttpRequest, player: User) -> Panel:
    lines = queries.history(player.pk, limit=_SHOWN).lines
    head = (_("match"), _("opponent"), _("outcome"), _("reason"), _("guesses"), _("points"))
    rows = [
        (
            to_match(line.result.match_id),
            to_player(line.result.opponent),
            line.result.get_outcome_display(),
            line.result.reason,
            line.result.guesses,
            f"{line.moved.change:+d}" if line.moved else "",
        )
        for line in lines
    ]
    return Panel(_("matches"), head, rows, f"{reverse('admin:matches_match_changelist')}?q={player.username}")


def ledger(request: HttpRequest, player: User) -> Panel:
    rows = LedgerRow.objects.filter(player=player, ladder=Ladder.GENERAL).order_by("-number")[:_SHOWN]
    more = listed("ratings_ledgerrow", player=player.pk)
    return Panel(_("ledger"), _LEDGER, [_line(row, player) for row in rows], more)


def ledger_of_match(request: HttpRequest, match: Match) -> Panel:
    rows = LedgerRow.objects.filter(match=match).select_related("player").order_by("pk")
    return Panel(_("ledger"), _LEDGER, [_line(row, row.player) for row in rows])


def _line(row: LedgerRow, player: User) -> tuple[Any, ...]:
    at = link(f"{row.at:%Y-%m-%d %H:%M}", "ratings_ledgerrow", row.pk)
    cause, ladder = row.get_cause_display(), row.get_ladder_display()
    return at, to_player(player), to_match(row.match_id), ladder, cause, f"{row.change:+d}", row.total


def patterns(request: HttpRequest, player: User) -> Panel | None:
    rows = list(Pattern.objects.filter(player=player).select_related("other").order_by("-matches")[:_SHOWN])
    if not rows:
        return None
    head = (_("kind"), _("who loses"), _("matches"), _("points gained"))
    shown = [
        (link(row.get_kind_display(), "ratings_pattern", row.pk), _loser(row), row.matches, row.points)
        for row in rows
    ]
    return Panel(_("patterns"), head, shown)


def take_back(match: Match, by: User, reason: str) -> None:
    services.take_back(match.pk, by, reason)


def give(match: Match, by: User, reason: str, *, winner: int) -> None:
    services.give(match.pk, winner, by, reason)


PlayerAdmin.panels[:0] = [record, patterns, matches, ledger]
PlayerAdmin.acts.append(
    Act(
        "reset",
        _("reset the points"),
        services.reset,
        offered=lambda player: player.points > 0,
        hint=_("By one further row of the ledger: all points of the general ladder are taken away."),
    )
)
MatchAdmin.panels.insert(1, ledger_of_match)
_GIVEN = _("Its points are undone and moved anew by further rows. A bracket goes on as it was played.")
MatchAdmin.acts += [
    *(
        Act(name, label, partial(give, winner=seat), offered=lambda match: not is_live(match), hint=_GIVEN)
        for name, label, seat in (
            ("give-first", _("give to seat 0"), 0),
            ("give-second", _("give to seat 1"), 1),
        )
    ),
    Act(
        "take-back",
        _("take out of the record"),
        take_back,
        offered=lambda match: not is_live(match),
        hint=_("The match counts for nobody any more; its points are undone by further rows."),
    ),
]


@admin.register(LedgerRow)
class LedgerAdmin(Desk):
    list_display = ("id", "whose", "in_match", "ladder", "cause", "in_place", "change", "total", "at")
    list_filter = ("ladder", "cause")
    asked = ("player",)
    search_fields = ("player",)
    search_help_text = _("A match’s id or a player’s name, in full.")
    list_select_related = ("player",)
    fields = ("id", "whose", "in_match", "ladder", "number", "cause", "in_place", "change", "total", "at")
    readonly_fields = ("whose", "in_match")
    ordering = ("-id",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[LedgerRow], search_term: str
    ) -> Any:
        if not search_term.strip():
            return queryset, False
        return of_player(queryset, search_term.strip(), "player", exact="match"), False

    @admin.display(description=_("player"))
    def whose(self, row: LedgerRow) -> Any:
        return to_player(row.player)

    @admin.display(description=_("match"))
    def in_match(self, row: LedgerRow) -> Any:
        return to_match(row.match_id)


def _loser(pattern: Pattern) -> Any:
    """Who loses: one player, or the accounts of one address."""
    if pattern.other is not None:
        return to_player(pattern.other)
    place = listed("players_signin", address=pattern.address)
    return format_html('<a href="{}">{} × {}</a>', place, pattern.accounts, pattern.address)


@admin.register(Pattern)
class PatternAdmin(Desk):
    list_display = ("kind_told", "gains", "loses", "matches", "points", "last_at", "aside")
    list_filter = ("kind", "aside")
    list_select_related = ("player", "other")
    search_fields = ("player",)
    search_help_text = _("A player’s name, in full.")
    ordering = ("aside", "-matches")
    fields = ("kind_told", "gains", "loses", "matches", "points", "last_at", "found_at", "aside")
    readonly_fields = ("kind_told", "gains", "loses")
    acts = [
        Act(
            "look",
            _("put aside"),
            services.put_aside,
            offered=lambda pattern: not pattern.aside,
            hint=_("It comes up again if there is more of the same."),
        )
    ]

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Pattern], search_term: str) -> Any:
        if not search_term.strip():
            return queryset, False
        return of_player(queryset, search_term.strip(), "player", "other"), False

    @admin.display(description=_("kind"))
    def kind_told(self, row: Pattern) -> str:
        return row.get_kind_display()

    @admin.display(description=_("who gains"))
    def gains(self, row: Pattern) -> Any:
        return to_player(row.player)

    @admin.display(description=_("who loses"))
    def loses(self, row: Pattern) -> Any:
        return _loser(row)


def between(request: HttpRequest, pattern: Pattern) -> Panel | None:
    """The latest matches that it is made of, where it is made of two players."""
    if pattern.other is None:
        return None
    found = queries.history(
        pattern.player_id, queries.Wanted(opponent=pattern.other.username), limit=2 * _SHOWN
    )
    head = (_("match"), _("outcome"), _("reason"), _("guesses"), _("points"))
    rows = [
        (
            to_match(line.result.match_id),
            line.result.get_outcome_display(),
            line.result.reason,
            line.result.guesses,
            f"{line.moved.change:+d}" if line.moved else "",
        )
        for line in found.lines
    ]
    return Panel(_("matches"), head, rows)


PatternAdmin.panels.append(between)
