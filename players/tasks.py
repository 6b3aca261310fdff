"""What Celery beat asks of players."""

from celery import shared_task

from players import moderation, services
from players.sessions import SessionStore


@shared_task(name="players.forget_sessions")
def forget_sessions() -> None:
    """Delete sessions that have run out, and sign-ins of long ago."""
    SessionStore.clear_expired()
    services.forget_sign_ins()


@shared_task(name="players.sweep")
def sweep() -> None:
    moderation.sweep()
