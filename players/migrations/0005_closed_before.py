"""Who was closed before suspensions were kept gets one, so that it can be lifted."""

from typing import Any

from django.db import migrations

from players.names import HOUSE_BOTS

REASON = "Closed before suspensions were kept."


def write_down(apps: Any, schema_editor: Any) -> None:
    player, suspension = apps.get_model("players", "User"), apps.get_model("players", "Suspension")
    running = suspension.objects.filter(ended_at=None)
    closed = player.objects.filter(is_active=False).exclude(pk__in=running.values("player"))
    ours = {"kind": "bot", "username__in": HOUSE_BOTS}  # whom nobody suspends
    for each in closed.exclude(**ours).iterator():
        suspension.objects.create(player=each, reason=REASON)


class Migration(migrations.Migration):
    dependencies = [("players", "0004_log_only_grows")]
    operations = [migrations.RunPython(write_down, migrations.RunPython.noop)]
