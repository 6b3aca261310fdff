"""Seeks and challenges in the admin: to look at, and to take off the lobby. Links are their makers' secret."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from lobby import services
from lobby.models import Challenge, Seek
from players.admin import PlayerAdmin, done_to
from players.desk import Act, Desk, Panel, link, of_player, to_match, to_player
from players.models import User


def is_open(offer: Seek | Challenge) -> bool:
    return offer.fate == "open"


class Offers(Desk):
    """What seeks and challenges have in common."""

    list_filter = ("fate",)
    ordering = ("-created_at",)
    search_help_text = _("A player’s name, in full.")
    owners: tuple[str, ...]

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        if not search_term.strip():
            return queryset, False
        return of_player(queryset, search_term.strip(), *self.owners), False

    @admin.display(description=_("match"))
    def in_match(self, offer: Any) -> Any:
        return to_match(offer.match_id)


@admin.register(Seek)
class SeekAdmin(Offers):
    list_display = ("id", "whose", "fate", "created_at", "expires_at", "in_match")
    list_select_related = ("owner",)
    search_fields = owners = ("owner",)
    fields = ("id", "whose", "terms", "lasting", "fate", "created_at", "expires_at", "in_match")
    readonly_fields = ("whose", "in_match")
    acts = [Act("remove", _("remove"), services.remove_seek, offered=is_open)]
    panels = [done_to]

    @admin.display(description=_("player"))
    def whose(self, seek: Seek) -> Any:
        return to_player(seek.owner)


@admin.register(Challenge)
class ChallengeAdmin(Offers):
    list_display = ("id", "who", "whom", "fate", "reason", "created_at", "in_match")
    list_select_related = ("challenger", "opponent")
    search_fields = owners = ("challenger", "opponent")
    fields = (
        "id",
        "who",
        "whom",
        "terms",
        "fate",
        "reason",
        "created_at",
        "expires_at",
        "closed_at",
        "in_match",
    )
    readonly_fields = ("who", "whom", "in_match")
    acts = [Act("remove", _("remove"), services.remove_challenge, offered=is_open)]
    panels = [done_to]

    @admin.display(description=_("challenger"))
    def who(self, asked: Challenge) -> Any:
        return to_player(asked.challenger)

    @admin.display(description=_("opponent"))
    def whom(self, asked: Challenge) -> Any:
        return to_player(asked.opponent)


def seeks(request: HttpRequest, player: User) -> Panel | None:
    rows = [
        (link(seek.pk, "lobby_seek", seek.pk), seek.created_at, seek.expires_at)
        for seek in Seek.objects.filter(owner=player, fate=Seek.Fate.OPEN)
    ]
    return Panel(_("open seeks"), (_("seek"), _("from"), _("until")), rows) if rows else None


PlayerAdmin.panels.append(seeks)
