"""Addresses of what matches tell once they are over, and of pages for one player."""

from datetime import date

from django.urls import path, register_converter

from bots import solo_views, views
from matches.paths import MatchId


class Day:
    """A day as an address writes it. What is no day is no address: a `ValueError` says so."""

    regex = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def to_python(self, value: str) -> date:
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        return value.isoformat()


register_converter(Day, "day")

urlpatterns = [
    path(f"m/<{MatchId.name}:match_id>/analysis/", views.analysis, name="match-analysis"),
    path("practice/", solo_views.practice, name="practice"),
    path("practice/begin/", solo_views.begin_practice, name="practice-begin"),
    path("practice/guess/", solo_views.guess_practice, name="practice-guess"),
    path("practice/count/", solo_views.count_practice, name="practice-count"),
    path("practice/give-up/", solo_views.give_up_practice, name="practice-give-up"),
    path("daily/", solo_views.daily, name="daily"),
    path("daily/<day:day>/", solo_views.daily_of, name="daily-of"),
    path("daily/<day:day>/guess/", solo_views.guess_daily, name="daily-guess"),
    path("account/bot/", solo_views.account_bot, name="account-bot"),
]
