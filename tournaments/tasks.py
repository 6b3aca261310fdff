"""What beat asks of tournaments. The database knows what is due; a task only asks."""

from celery import shared_task

from tournaments import services


@shared_task(name="tournaments.sweep")
def sweep() -> None:
    """Start those whose hour has come, draw rounds, and take note of what no listener heard."""
    services.sweep()


@shared_task(name="tournaments.plan")
def plan() -> None:
    """List the next of every weekly tournament."""
    services.plan_weeklies()
