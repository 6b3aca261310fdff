"""How a player becomes a bot: for good, and only one who has never sat at a match."""

from django.db import transaction
from django.utils.translation import gettext as _

from matches.models import Seat
from players.models import Kind, User
from players.problems import Problem


def ineligible(player: User) -> str:
    """Why this player cannot become a bot; empty if nothing is against it."""
    if player.kind == Kind.BOT:
        return _("This is a bot’s account already.")
    if player.kind == Kind.GUEST:
        return _("A guest cannot become a bot: create an account first.")
    if Seat.objects.filter(player=player).exists():
        return _("A person has played under this name: create another account for the bot.")
    return ""


def become_bot(player: User, typed: str) -> None:
    """Make this a bot's account. `typed` is its name, given once more. Raises `Problem`: forbidden, invalid."""
    with transaction.atomic():
        locked = User.objects.select_for_update().get(
            pk=player.pk
        )  # a match being made with it is waited for
        if reason := ineligible(locked):
            raise Problem("forbidden", reason)
        if typed != locked.username:
            raise Problem("invalid", _("That is not the name of this account."))
        locked.kind = Kind.BOT
        locked.save(update_fields=["kind"])
