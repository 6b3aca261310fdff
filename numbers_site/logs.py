"""How the site speaks to its operators: a line each for people, or a JSON object each for machines.

No frame, no form and no address with a query is ever logged, so no secret can be.
"""

import logging
from typing import Any

import structlog

ROOMS = ("players", "matches", "ratings", "bots", "lobby", "tournaments", "numbers_site")


def is_broken(record: logging.LogRecord) -> bool:
    """Not where /readyz, asked every second, has said that something is away: what is away says so itself."""
    return getattr(record, "status_code", 500) != 503


def config(*, structured: bool) -> dict[str, Any]:
    """For `logging.config`. Structured, rooms also tell what goes on; else only what goes wrong."""
    rooms = {"level": "INFO" if structured else "WARNING"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "terse": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": [
                    structlog.stdlib.add_log_level,
                    structlog.stdlib.add_logger_name,
                    structlog.stdlib.ExtraAdder(),
                    structlog.processors.TimeStamper(fmt="iso", utc=True),
                    structlog.processors.format_exc_info,
                ],
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.JSONRenderer(ensure_ascii=False),
                ],
            },
        },
        "filters": {"broken": {"()": lambda: is_broken}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "json" if structured else "terse"},
        },
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "django": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
            # What was refused to a player is no news to an operator: only what broke.
            "django.request": {"level": "ERROR", "filters": ["broken"]},
            # Anybody may send any Host: answered with 400, and no traceback for each.
            "django.security.DisallowedHost": {"level": "CRITICAL"},
            **dict.fromkeys(ROOMS, rooms),
        },
    }
