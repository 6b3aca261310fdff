"""A moderator's desk: the admin's pages as this site needs them, for every room's admin to build on.

A page of a row is to look at: what can be done with it are acts, each with a page of its own that asks for the reason
and calls one verb; what else there is to know are panels, which rooms further on add to those of rooms before them.
Lists never count millions, and are sorted by what an index holds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from players.auth import caller
from players.models import LONGEST_TEXT, User
from players.problems import Problem
from players.queries import called

MOST_COUNTED = 2_000


class Bounded(Paginator):  # type: ignore[type-arg]  # not generic at run time
    """Counts so far and no further: nobody turns a thousand pages, and a million rows take seconds to count."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[:MOST_COUNTED].count())

    @property
    def more(self) -> bool:
        return self.count >= MOST_COUNTED


class WithReason(forms.Form):
    reason = forms.CharField(
        label=_("Reason"), max_length=LONGEST_TEXT, widget=forms.Textarea(attrs={"rows": 3, "cols": 60})
    )


@dataclass(frozen=True)
class Act:
    """What can be done with a row. `verb(row, by, **fields)` does it, or raises `Problem`."""

    name: str
    label: Any
    verb: Callable[..., Any]
    form: type[forms.Form] = WithReason
    offered: Callable[[Any], bool] = lambda row: True
    hint: Any = ""


@dataclass(frozen=True)
class Panel:
    """A table on a row's page. Cells are text, or links made by `link`; `more` leads to the whole list."""

    title: Any
    head: tuple[Any, ...]
    rows: list[tuple[Any, ...]]
    more: str = ""


def link(text: object, place: str, key: object) -> SafeString:
    """A link to a row's page: `link(player, "players_user", player.pk)`."""
    return format_html('<a href="{}">{}</a>', reverse(f"admin:{place}_change", args=[key]), text)


def to_player(player: User | None) -> Any:
    return link(player, "players_user", player.pk) if player else "—"


def to_match(match_id: str | None) -> Any:
    return link(match_id, "matches_match", match_id) if match_id else "—"


def listed(place: str, **asked: object) -> str:
    """The address of a list, filtered: `listed("players_report", player=7)`."""
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    return f"{reverse(f'admin:{place}_changelist')}?{query}"


class Desk(admin.ModelAdmin):  # type: ignore[type-arg]  # not generic at run time
    acts: ClassVar[list[Act]]
    panels: ClassVar[list[Callable[[HttpRequest, Any], Panel | None]]]
    asked: ClassVar[tuple[str, ...]] = ()
    """What a list may be asked for beside its filters, in links of our own."""
    change_form_template = "admin/desk.html"
    paginator = Bounded
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # which would count all rows, once for each value of each filter
    list_per_page = 50
    list_max_show_all = 0
    sortable_by = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.acts = list(cls.__dict__.get("acts", ()))
        cls.panels = list(cls.__dict__.get("panels", ()))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_moderate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("players.moderate")

    def may_act(self, request: HttpRequest, row: Any) -> bool:
        return self.has_moderate_permission(request)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Only what is offered: anything else could be asked for one question at a time, or takes for ever.

        No database holds a NUL.
        """
        if any("\0" in each for each in value):
            return False
        filters = {getattr(each, "parameter_name", each) for each in self.list_filter}
        return lookup in self.asked or lookup.split("__")[0] in filters

    def get_urls(self) -> list[Any]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_act"
        view = self.admin_site.admin_view(self.act_view)
        return [path("<path:object_id>/do/<slug:act>/", view, name=name), *super().get_urls()]

    def act_view(self, request: HttpRequest, object_id: str, act: str) -> HttpResponse:
        row = self.get_object(request, unquote(object_id))
        found = next((each for each in self.acts if each.name == act), None)
        if row is None or found is None:
            raise Http404
        if not (self.has_view_permission(request, row) and self.may_act(request, row)):
            raise PermissionDenied
        form = found.form(request.POST or None)
        if form.is_valid() and self._done(request, found, row, form):
            return redirect(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", row.pk)
        shown = {
            **self.admin_site.each_context(request),
            "title": found.label,
            "subtitle": str(row),
            "act": found,
            "form": form,
            "media": self.media + form.media,
            "opts": self.opts,
            "original": row,
        }
        return TemplateResponse(request, "admin/act.html", shown, status=422 if form.errors else 200)

    def _done(self, request: HttpRequest, act: Act, row: Any, form: forms.Form) -> bool:
        try:
            act.verb(row, caller(request), **form.cleaned_data)
        except Problem as problem:
            form.add_error(None, problem.detail)
            return False
        messages.success(request, f"{row}: {act.label}")
        return True

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> Any:
        row = context.get("original")
        if row is not None and IS_POPUP_VAR not in request.GET:
            may = self.may_act(request, row)
            context["acts"] = [act for act in self.acts if may and act.offered(row)]
            found = (panel(request, row) for panel in self.panels)
            context["panels"] = [panel for panel in found if panel is not None]
        return super().render_change_form(request, context, *args, **kwargs)


def of_player(rows: QuerySet[Any], term: str, *places: str, exact: str = "") -> QuerySet[Any]:
    """What a list is narrowed to by a search: the rows of the player who is called so, at any of `places`, or those
    with exactly that in the column `exact`."""
    wanted = Q(**{exact: term}) if exact else Q()
    player = called(term)
    if player is not None:
        for place in places:
            wanted |= Q(**{place: player.pk})
    return rows.filter(wanted) if wanted else rows.none()
