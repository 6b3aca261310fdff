"""What Celery beat asks of matches. The database knows what is due; a task only asks."""

from celery import shared_task

from matches import services


@shared_task(name="matches.sweep")
def sweep() -> None:
    """Settle fallen flags, ended graces and missed confirmations."""
    services.sweep()


@shared_task(name="matches.forget_guests")
def forget_guests() -> None:
    """Delete guests who have long been away and play nothing."""
    services.mend_seats()
    services.forget_guests()
