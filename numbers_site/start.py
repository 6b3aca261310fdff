"""What a site needs before it serves, and one line for whoever started it if that is not to be had."""

import socket

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from numbers_site.gather import gather


class CannotStart(SystemExit):
    """Ends the command with one line on stderr."""


def free_address(host: str, port: int) -> str:
    """The address to listen on, looked up and tried before anything slow is done."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
            trial.listen()
    except socket.gaierror:
        raise CannotStart(f"HOST: there is no address for {host!r}.") from None
    except OSError as reason:
        raise CannotStart(f"PORT: cannot listen on port {port} of {host}: {reason.strerror}.") from None
    return str(address[0])


def ask_redis() -> None:
    from redis import Redis, RedisError  # only where Redis is named

    try:
        Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=5).ping()
    except (RedisError, ValueError):
        raise CannotStart("REDIS_URL: no Redis answers there.") from None


def ask_database() -> None:
    if connection.vendor == "postgresql":
        ask_postgresql()
        return
    try:
        connection.ensure_connection()
    except DatabaseError as reason:
        raise CannotStart(f"DATA: the database cannot be used: {reason}.") from None


def ask_postgresql() -> None:
    """Outside the pool, which would try for its whole timeout and write about every attempt."""
    import psycopg  # only where PostgreSQL is named

    try:
        parameters = {**connection.get_connection_params(), "connect_timeout": 5}
        psycopg.connect(**parameters).close()
    except psycopg.Error as reason:
        line = " ".join(str(reason).split())
        raise CannotStart(f"DATABASE_URL: no PostgreSQL answers there: {line}") from None


def prepare() -> list[str]:
    """Bring database and static files up to date; says what there was to do."""
    if settings.REDIS_URL:
        ask_redis()
    ask_database()
    done = []
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)
        done.append("Prepared the database.")
    if gather():
        done.append("Gathered the static files.")
    return done
