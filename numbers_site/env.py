"""Reads the environment, and says in one line what is wrong with it. Knows no Django.

Every reader takes the variable's name and what holds when it is unset or empty.
"""

import base64
import contextlib
import ipaddress
import os
import re
import secrets
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

import dj_database_url

A_YEAR = 31_536_000
LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"]
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  compared with, not bound to
SWITCH = {
    **dict.fromkeys(("on", "true", "yes", "1"), True),
    **dict.fromkeys(("off", "false", "no", "0"), False),
}
MAIL_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
WHOLE = re.compile(r"[0-9]{1,10}", re.ASCII)
LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
HOST_NAME = re.compile(rf"{LABEL}(\.{LABEL})*", re.ASCII | re.IGNORECASE)


class BadSetting(SystemExit):
    """Ends the program with one line on stderr: a wrong setting is no bug of ours, so no traceback."""


def refuse(name: str, takes: str, given: str | None = None) -> NoReturn:
    """`given` stays None for what must not be repeated on a screen (keys, URLs with passwords)."""
    shown = "" if given is None else f", not {given[:60]!r}"
    raise BadSetting(f"{name} takes {takes}{shown}.")


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def switch(name: str, default: bool) -> bool:
    given = text(name)
    if not given:
        return default
    if given.lower() not in SWITCH:
        refuse(name, "on or off", given)
    return SWITCH[given.lower()]


def behind_tls(name: str, proxies: int) -> bool:
    """Whether the site is reached by https alone. It ends no TLS itself, so that takes a proxy."""
    given = switch(name, False)
    if given and not proxies:
        refuse(name, "on only where a proxy of yours ends TLS and PROXIES counts it")
    return given


def choice(name: str, default: str, words: tuple[str, ...]) -> str:
    given = text(name, default).lower()
    if given not in words:
        refuse(name, f"{', '.join(words[:-1])} or {words[-1]}", given)
    return given


def _whole(given: str, low: int, high: int) -> int | None:
    number = int(given) if WHOLE.fullmatch(given) else None
    return number if number is not None and low <= number <= high else None


def whole(name: str, default: int, *, low: int = 1, high: int = A_YEAR, what: str = "whole seconds") -> int:
    given = text(name)
    if not given:
        return default
    number = _whole(given, low, high)
    if number is None:
        refuse(name, f"{what} from {low} to {high}", given)
    return number


def seconds(name: str, *default: int) -> tuple[int, ...]:
    """A menu of clocks: in the order given, none twice."""
    given = text(name)
    if not given:
        return default
    numbers = [_whole(part.strip(), 1, A_YEAR) for part in given.split(",")]
    menu = tuple(dict.fromkeys(number for number in numbers if number is not None))
    if None in numbers:
        refuse(name, f"whole seconds from 1 to {A_YEAR}, separated by commas (60,180,300)", given)
    return menu


def delay(name: str, low: float, high: float) -> tuple[float, float]:
    """LOW-HIGH in seconds; fractions are welcome, an hour is the most."""
    given = text(name)
    if not given:
        return low, high
    parts = re.fullmatch(r"([0-9]{1,4}(?:\.[0-9]{1,3})?)-([0-9]{1,4}(?:\.[0-9]{1,3})?)", given, re.ASCII)
    if parts is None or not float(parts[1]) <= float(parts[2]) <= 3600:
        refuse(name, "LOW-HIGH in seconds, LOW no more than HIGH, HIGH no more than 3600 (1-4, 0-0)", given)
    return float(parts[1]), float(parts[2])


def _address(given: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(given)
    except ValueError:
        return None


def _is_host(given: str) -> bool:
    looks_like_address = re.fullmatch(r"[0-9.]+", given) is not None
    return _address(given) is not None or (not looks_like_address and HOST_NAME.fullmatch(given) is not None)


def host(name: str, default: str) -> str:
    given = text(name, default)
    if not _is_host(given):
        refuse(name, "the address or name to listen on (127.0.0.1; 0.0.0.0 for every network)", given)
    return given


def in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def own_addresses(host: str) -> list[str]:
    """This machine's addresses, as its neighbours see them, at which a server listening everywhere is found."""
    found: list[str] = []
    for family, elsewhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((elsewhere, 9))  # sends nothing: asks the routing table only
                found.append(str(probe.getsockname()[0]))
        except OSError:
            continue
    with contextlib.suppress(OSError):  # a machine need not know its own name
        found += [str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None)]
    known = [address for address in map(_address, dict.fromkeys(found)) if address is not None]
    return [
        str(address)
        for address in known
        if not (address.is_loopback or address.is_link_local or address.is_unspecified)
        and (address.version == 4 or host == "::")  # 0.0.0.0 is every IPv4 network, :: is all of them
    ]


def reachable_as(host: str) -> list[str]:
    """The names under which a server listening on `host` is addressed."""
    return [*LOCAL_NAMES, *map(in_url, own_addresses(host) if host in EVERYWHERE else [host])]


def allowed_hosts(name: str, host: str) -> list[str]:
    given = [part.strip() for part in text(name).split(",") if part.strip()]
    for part in given:
        bare = part.removeprefix(".").removeprefix("[").removesuffix("]")
        if part != "*" and not _is_host(bare):
            refuse(name, "host names separated by commas, without scheme or port (play.example.org)", part)
    if not given:
        return list(dict.fromkeys(reachable_as(host)))
    return list(dict.fromkeys([*given, *(reachable_as(host) if host in EVERYWHERE else [])]))


def database(name: str, folder: Path) -> dict[str, Any]:
    given = text(name)
    if not given:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": folder / "numbers.sqlite3",
            "OPTIONS": {
                # Writers queue at BEGIN instead of failing in the middle (the default: "database is locked").
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
    takes = "postgres://USER:PASSWORD@HOST:PORT/NAME, or nothing for SQLite in DATA"
    if not given.startswith(("postgres://", "postgresql://")):
        refuse(name, takes)
    try:
        named: dict[str, Any] = dict(dj_database_url.parse(given, conn_max_age=0))
    except (ValueError, dj_database_url.ParseError):
        refuse(name, takes)
    if not named.get("NAME"):
        refuse(name, takes)
    # A pool, and no connection kept by a thread: per-request threads would leak theirs. It gives up soon and tries anew
    # for whoever asks next: left to itself it waits twice as long each time, and is back long after the database is.
    pool = {"min_size": 1, "max_size": 20, "timeout": 3, "reconnect_timeout": 1}
    # What is asked again and again is planned once: a third less of the server's work, a fifth less of ours.
    asked = {"server_side_binding": True, "prepare_threshold": 3}
    return {**named, "OPTIONS": {**asked, **named.get("OPTIONS", {}), "pool": pool}}


def redis_url(name: str) -> str:
    given = text(name)
    if given and not re.fullmatch(r"(redis|rediss)://[^\s/]+(/[0-9]+)?(\?\S*)?", given):
        refuse(name, "redis://HOST:PORT/NUMBER, or nothing to do without Redis")
    return given


@dataclass(frozen=True)
class Mail:
    """How letters leave: to a server, or, where none is named, into a folder."""

    sends: bool = False
    backend: str = "django.core.mail.backends.filebased.EmailBackend"
    host: str = ""
    port: int = 0
    user: str = ""
    password: str = ""
    starttls: bool = False
    tls: bool = False


def mail(name: str) -> Mail:
    given = text(name)
    if not given:
        return Mail()
    takes = "smtp://, smtp+tls:// or smtps://, then USER:PASSWORD@HOST:PORT, or nothing to send no mail"
    try:
        url = urlsplit(given)
        host, port = url.hostname, url.port
    except ValueError:
        refuse(name, takes)
    if url.scheme not in MAIL_PORTS or not host or url.path not in ("", "/"):
        refuse(name, takes)
    return Mail(
        sends=True,
        backend="django.core.mail.backends.smtp.EmailBackend",
        host=host,
        port=port or MAIL_PORTS[url.scheme],
        user=unquote(url.username or ""),
        password=unquote(url.password or ""),
        starttls=url.scheme == "smtp+tls",
        tls=url.scheme == "smtps",
    )


def folder(name: str, default: Path) -> Path:
    """The folder for all that the site keeps, made if need be."""
    path = Path(text(name, str(default))).expanduser().absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        refuse(name, "a folder, not a file", str(path))
    except OSError as reason:
        refuse(name, f"a folder that can be written to ({reason.strerror})", str(path))
    if not os.access(path, os.W_OK | os.X_OK):
        refuse(name, "a folder that can be written to", str(path))
    return path


def secret_key(name: str, folder: Path) -> str:
    """The key given, or the one made at the first start and kept beside the database."""
    return text(name) or _kept_key(folder / "secret_key", partial(secrets.token_urlsafe, 48))


def vapid_key(name: str, folder: Path) -> str:
    """The key that push services know this site by: 32 bytes in base64url, kept like the other one."""
    given = text(name)
    if given and not re.fullmatch(r"[A-Za-z0-9_-]{43}=?", given, re.ASCII):
        refuse(name, "a private key of P-256 as 43 letters of base64url, or nothing for the one kept in DATA")
    return given or _kept_key(folder / "vapid_key", _new_vapid_key)


def _new_vapid_key() -> str:
    from cryptography.hazmat.primitives.asymmetric import ec  # slow to load, and needed once

    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return base64.urlsafe_b64encode(number.to_bytes(32, "big")).rstrip(b"=").decode()


def origins(name: str) -> tuple[str, ...]:
    """SCHEME://HOST:PORT, several separated by commas; `*.` before a name stands for every name below it."""
    given = tuple(part.strip().rstrip("/") for part in text(name).split(",") if part.strip())
    for part in given:
        if not re.fullmatch(r"https?://(\*\.)?[A-Za-z0-9.-]+(:[0-9]{1,5})?", part, re.ASCII):
            refuse(name, "origins separated by commas (https://push.example.org)", part)
    return given


def _kept_key(path: Path, make: Callable[[], str]) -> str:
    try:
        made = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return _read_key(path)
    except OSError as reason:
        refuse("DATA", f"a folder that can be written to ({reason.strerror})", str(path.parent))
    key = make()
    with os.fdopen(made, "w") as file:
        file.write(key)
    return key


def _read_key(path: Path) -> str:
    """Another process may have made the file this very moment and not yet written: give it two seconds."""
    for _ in range(40):
        try:
            key = path.read_text().strip()
        except (OSError, UnicodeDecodeError) as reason:
            raise BadSetting(f"{path} cannot be read: {reason}.") from None
        if len(key) >= 32:
            return key
        time.sleep(0.05)
    raise BadSetting(f"{path} holds no key. Delete it, and the next start makes a new one.")
