"""The site: it knows every room, and no room knows it.

Celery's app is loaded with it, so that tasks find it.
"""

from numbers_site.celery import app as celery_app

__all__ = ["celery_app"]
