"""Where sessions are kept: as Django keeps them, with whose they are and when they were last seen beside them."""

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.utils import timezone

from players.models import Session

SLICE = 1000


class SessionStore(DatabaseStore):
    @classmethod
    def get_model_class(cls) -> Any:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        session: Any = super().create_model_instance(data)
        session.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        session.seen_at = timezone.now()
        return session

    @classmethod
    def clear_expired(cls) -> None:
        """A slice at a time: each is read before it is deleted, for whoever listens."""
        over = Session.objects.filter(expire_date__lt=timezone.now())
        while keys := list(over.values_list("pk", flat=True)[:SLICE]):
            over.filter(pk__in=keys).delete()
