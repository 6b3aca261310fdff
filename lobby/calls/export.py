"""What a player's own file says of calls: since when which browsers agreed. Never an address, which is a key."""

from collections.abc import Iterator

from lobby.calls.models import Device, Letters
from players.export import Part
from players.models import User


def parts(player: User) -> Iterator[Part]:
    devices = Device.objects.filter(player=player).order_by("pk").values_list("created_at", "language")
    yield "devices", ({"since": since, "language": language} for since, language in devices)
    yield "letters", {"wanted": Letters.objects.filter(player=player).exists()}
