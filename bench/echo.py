"""The baseline: a bare Channels consumer on Daphne that writes one row in one transaction and says what it heard.

`python bench/echo.py PORT`, on `DATABASE_URL` or a file in `DATA`. It shares no setting and no line with the site, so
that what the site costs can be told as a multiple of it, on whatever machine and however busy that is.
"""

import os
import sys
from pathlib import Path
from typing import Any

import dj_database_url
import django
from django.conf import settings

SQLITE = {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": Path(os.environ.get("DATA", ".")) / "echo.sqlite3",
    "OPTIONS": {
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    },
}
POSTGRES: dict[str, Any] = {
    **dj_database_url.parse(os.environ.get("DATABASE_URL") or "sqlite://"),
    "OPTIONS": {"pool": {"min_size": 1, "max_size": 4}},
}
settings.configure(
    DATABASES={"default": POSTGRES if os.environ.get("DATABASE_URL") else SQLITE},
    SECRET_KEY="echo",
    USE_TZ=True,
)
django.setup()

from channels.db import database_sync_to_async  # noqa: E402  settings first
from channels.generic.websocket import AsyncWebsocketConsumer  # noqa: E402
from daphne.endpoints import build_endpoint_description_strings  # noqa: E402
from daphne.server import Server  # noqa: E402
from django.db import connection, transaction  # noqa: E402


def keep(text: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("INSERT INTO bench_echo (said) VALUES (%s)", [text])


class EchoConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # Channels has no types
    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        await database_sync_to_async(keep)(text_data or "")
        await self.send(text_data=text_data)


def main() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS bench_echo (said text NOT NULL)")
    connection.close()
    endpoints = build_endpoint_description_strings(host="127.0.0.1", port=int(sys.argv[1]))
    Server(EchoConsumer.as_asgi(), endpoints=endpoints).run()


if __name__ == "__main__":
    main()
