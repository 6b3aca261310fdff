"""What beat asks of the lobby."""

from celery import shared_task

from lobby import services


@shared_task(name="lobby.sweep")
def sweep() -> None:
    services.sweep()


@shared_task(name="lobby.prune")
def prune() -> None:
    services.prune()
