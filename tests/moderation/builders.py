"""Moderators, and what they see of the admin."""

from importlib import import_module
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group
from django.test import Client

from players.models import User
from tests.builders import Page, person, signed_in

GROUP = import_module("numbers_site.migrations.0001_moderators")


def moderator(name: str = "mara") -> User:
    """One of the group, which a test with transactions may have found flushed."""
    GROUP.make(apps, None)
    player = person(name, is_staff=True)
    player.groups.add(Group.objects.get(name=GROUP.GROUP))
    return player


def superuser(name: str = "root") -> User:
    return person(name, is_staff=True, is_superuser=True)


def page(of: User | Client | None, path: str) -> Page:
    client = of if isinstance(of, Client) else signed_in(of)
    return client.get(f"/admin/{path}")


def do(of: User, kind: str, key: Any, act: str, **fields: Any) -> Page:
    return signed_in(of).post(f"/admin/{kind}/{key}/do/{act}/", {"reason": "Because.", **fields})
