"""What Celery beat asks of bots. The database knows what is due; a task only asks."""

from celery import shared_task

from bots import analyses, services


@shared_task(name="bots.sweep")
def sweep() -> None:
    """Play the moves that are due."""
    services.sweep()


@shared_task(name="bots.mend")
def mend() -> None:
    """Look at every match that has moved without a bot of it hearing so, and forget those long over."""
    services.mend()


@shared_task(name="bots.analyse")
def analyse() -> None:
    """Work for a moment on what matches that are over are owed. A bot's move does not wait for it."""
    analyses.work(between=services.sweep)
