"""A group for moderators: they look at everything the admin shows, and act by its verbs; they edit no row.

Permissions are made by Django after all migrations. Those given here are made now, under the names it gives them.
"""

from typing import Any

from django.db import migrations

GROUP = "moderator"
SEEN = {
    "players": ("user", "report", "suspension", "signin", "auditrow"),
    "matches": ("match",),
    "ratings": ("ledgerrow", "pattern"),
    "lobby": ("seek", "challenge"),
    "tournaments": ("tournament", "entry", "pairing"),
}
RUN = ("tournament", "entry", "pairing")
"""Whose acts the admin of tournaments asks the permission to change for."""


def make(apps: Any, schema_editor: Any) -> None:
    group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=GROUP)
    for app, models in SEEN.items():
        for model in models:
            group.permissions.add(permission(apps, app, model, "view"))
    for model in RUN:
        group.permissions.add(permission(apps, "tournaments", model, "change"))
    moderate = "Can moderate players, matches, seeks and tournaments"
    group.permissions.add(permission(apps, "players", "user", "moderate", moderate))


def permission(apps: Any, app: str, model: str, verb: str, name: str = "") -> Any:
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label=app, model=model)
    codename = verb if name else f"{verb}_{model}"
    found, _ = apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=kind, codename=codename, defaults={"name": name or f"Can {verb} {model}"}
    )
    return found


def unmake(apps: Any, schema_editor: Any) -> None:
    apps.get_model("auth", "Group").objects.filter(name=GROUP).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("players", "0003_moderation"),
    ]
    operations = [migrations.RunPython(make, unmake)]
