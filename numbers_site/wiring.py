"""Who listens to what. The one file that knows every room, beside the addresses.

Imported before the models are there, so each room's listeners are imported when they are connected.
"""

from typing import Any

from django.db.models.signals import post_save, pre_delete


def connect() -> None:
    """Called once, when all apps are ready."""
    from django.contrib.admin.models import LogEntry

    from bots import listeners as bots
    from lobby import listeners as lobby
    from lobby import queries as news
    from lobby.calls import listeners as calls
    from matches.signals import match_made, match_moved
    from players.models import User
    from players.signals import player_suspended
    from ratings import listeners as ratings
    from tournaments import listeners as tournaments
    from tournaments.queries import notices

    match_moved.connect(ratings.match_has_moved, dispatch_uid="ratings")
    for signal in (match_made, match_moved):
        signal.connect(bots.match_has_moved, dispatch_uid="bots")
    match_moved.connect(calls.match_has_moved, dispatch_uid="calls")
    match_made.connect(lobby.match_was_made, dispatch_uid="lobby")
    match_moved.connect(tournaments.match_has_moved, dispatch_uid="tournaments")
    news.sources[:] = [notices]
    pre_delete.connect(before_a_player_goes, sender=User)
    post_save.connect(when_a_form_of_the_admin_is_saved, sender=LogEntry)
    player_suspended.connect(while_a_player_is_suspended, dispatch_uid="suspended")


def before_a_player_goes(instance: Any, **signal: Any) -> None:
    """Whoever deletes a player, and how many at once: in the transaction that does it (R5.7, D26).

    First what could still become a match, then the matches, then what these are worth to their opponents. Players
    before what they offer, as who offers locks them.
    """
    from lobby.services import withdraw_all
    from matches.services import lock_with_opponents, resign_all
    from ratings.services import count_all

    lock_with_opponents(instance)
    withdraw_all(instance)
    resign_all(instance)
    count_all(instance)


def while_a_player_is_suspended(player: Any, **signal: Any) -> None:
    """R5.7: first what could still become a match, then the matches. Tournaments see to their entrants themselves."""
    from lobby.services import withdraw_all
    from matches.services import forfeit_all

    withdraw_all(player)
    forfeit_all(player)


def when_a_form_of_the_admin_is_saved(instance: Any, created: bool, **signal: Any) -> None:
    """What the admin notes of its own forms goes into the log that only grows."""
    from players.audit import record_form

    if created:
        record_form(instance)
