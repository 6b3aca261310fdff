"""Seat the three bots. Their names are theirs: whoever looks like one of them is renamed."""

from itertools import count
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import migrations

from players.names import LONGEST, name_key

NAMES = ("Easy", "Medium", "Hard")


def seat(apps: Any, schema_editor: Any) -> None:
    User = apps.get_model("players", "User")
    for name in NAMES:
        taken = User.objects.filter(name_key=name_key(name)).first()
        if taken is not None and taken.kind == "bot":
            continue
        if taken is not None:
            taken.username = _free(User, taken.username)
            taken.name_key = name_key(taken.username)
            taken.save(update_fields=["username", "name_key"])
        User.objects.create(username=name, name_key=name_key(name), kind="bot", password=make_password(None))


def _free(User: Any, name: str) -> str:
    others = (name[: LONGEST - len(f"-{number}")] + f"-{number}" for number in count(2))
    return next(other for other in others if not User.objects.filter(name_key=name_key(other)).exists())


class Migration(migrations.Migration):

    dependencies = [
        ('bots', '0001_initial'),
        ('players', '0001_initial'),
    ]

    operations = [
        migrations.RunPython(seat, migrations.RunPython.noop),
    ]
