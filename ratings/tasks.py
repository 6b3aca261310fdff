"""What Celery beat asks of ratings."""

from celery import shared_task

from ratings import patterns, services


@shared_task(name="ratings.sweep")
def sweep() -> None:
    """Count the ends of which no listener has heard."""
    services.count_pending()


@shared_task(name="ratings.patterns")
def look_for_patterns() -> None:
    patterns.look()
