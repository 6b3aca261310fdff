"""What runs beside the requests: which broker carries it, and what beat asks for, how often."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "numbers_site.settings")

app = Celery("numbers_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# The database knows what is due; beat only asks. A tick that nobody took in time is worth nothing: the next
# one asks the same question.
app.conf.beat_schedule = {
    "matches.sweep": {"task": "matches.sweep", "schedule": 1.0, "options": {"expires": 1}},
    "bots.sweep": {"task": "bots.sweep", "schedule": 0.2, "options": {"expires": 1}},
    "tournaments.sweep": {"task": "tournaments.sweep", "schedule": 1.0, "options": {"expires": 1}},
    "tournaments.plan": {"task": "tournaments.plan", "schedule": 60.0, "options": {"expires": 60}},
    "bots.mend": {"task": "bots.mend", "schedule": 1.0, "options": {"expires": 1}},
    "bots.analyse": {"task": "bots.analyse", "schedule": 1.0, "options": {"expires": 1}},
    "players.sweep": {"task": "players.sweep", "schedule": 1.0, "options": {"expires": 1}},
    "lobby.sweep": {"task": "lobby.sweep", "schedule": 1.0, "options": {"expires": 1}},
    "lobby.prune": {"task": "lobby.prune", "schedule": 3600.0, "options": {"expires": 3600}},
    # Often and a few at a time: a beat that is replaced every day would never come to what it asks once a day.
    "matches.forget_guests": {"task": "matches.forget_guests", "schedule": 60.0, "options": {"expires": 60}},
    "players.forget_sessions": {
        "task": "players.forget_sessions",
        "schedule": 600.0,
        "options": {"expires": 600},
    },
    "calls.sweep": {"task": "calls.sweep", "schedule": 60.0, "options": {"expires": 60}},
    "ratings.patterns": {"task": "ratings.patterns", "schedule": 600.0, "options": {"expires": 600}},
    "ratings.sweep": {"task": "ratings.sweep", "schedule": 2.0, "options": {"expires": 2}},
}
