"""Where one agrees to be called: a card on the account page, a line in a match of long moves."""

from typing import Any

from django import template
from django.conf import settings

from lobby.calls import push
from lobby.calls.models import Device, Letters
from lobby.calls.services import IN_SESSION
from players.models import Kind, User

register = template.Library()


@register.inclusion_tag("lobby/calls/_card.html", takes_context=True)
def calls_card(context: template.Context) -> dict[str, Any]:
    return {
        **_device(context),
        "csrf_token": context.get("csrf_token"),
        "may_have_letters": settings.MAIL.sends and _player(context).kind != Kind.GUEST,
        "has_address": bool(_player(context).email),
        "letters": Letters.objects.filter(player=_player(context)).exists(),
    }


@register.inclusion_tag("lobby/calls/_device.html", takes_context=True)
def calls_here(context: template.Context) -> dict[str, Any]:
    return _device(context)


def _player(context: template.Context) -> User:
    player = context["request"].user
    assert isinstance(player, User)
    return player


def _device(context: template.Context) -> dict[str, Any]:
    player, session = _player(context), context["request"].session
    known = Device.objects.filter(player=player, pk=session.get(IN_SESSION)).exists()
    return {"key": push.public_key(), "on": known}
