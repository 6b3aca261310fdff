"""What Celery is asked of calls. The database knows which turn has been called out; a task only asks."""

from celery import shared_task

from lobby.calls import services
from players.problems import Problem


@shared_task(name="calls.call")
def call(match_id: str) -> None:
    """Call whoever is to move. A match that is gone calls nobody."""
    try:
        services.call(match_id)
    except Problem:
        return


@shared_task(name="calls.sweep")
def sweep() -> None:
    """Make the calls that nobody made."""
    services.sweep()
