"""Web Push: what may be written to, and how. Knows addresses and keys; knows nothing of players and matches."""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import requests
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from py_vapid import Vapid

SERVICES = (
    "https://fcm.googleapis.com",
    "https://updates.push.services.mozilla.com",
    "https://*.push.services.mozilla.com",
    "https://*.push.apple.com",
    "https://*.notify.windows.com",
)
"""Those of the browsers there are. An address is a stranger's word: without this list, anybody could have the
site post to any host it can reach, its own network's included."""
PATIENCE_SECONDS = 3
_GONE = (404, 410)


class Gone(Exception):
    """The browser has withdrawn: nothing will ever be taken at this address again."""


class Unreachable(Exception):
    """Not now; `str` says why, and names no address, since an address is a key."""


@dataclass(frozen=True, slots=True)
class Address:
    endpoint: str
    p256dh: str
    auth: str


def lawful(address: Address) -> bool:
    """Whether it is an address at a push service we know, with keys that can be written to."""
    return _of_a_service(address.endpoint) and _is_point(address.p256dh) and len(_decoded(address.auth)) == 16


def _of_a_service(endpoint: str) -> bool:
    try:
        url = urlsplit(endpoint)
        port = f":{url.port}" if url.port else ""
    except ValueError:
        return False
    if url.username is not None or url.password is not None or not endpoint.isascii():
        return False
    origin = f"{url.scheme}://{url.hostname}{port}"
    return any(_is(origin, service) for service in (*SERVICES, *settings.PUSH_SERVICES))


def _is(origin: str, service: str) -> bool:
    """`https://*.example.org` is every name below example.org, and nothing that only ends like one."""
    return re.fullmatch(re.escape(service).replace(r"\*", "[a-z0-9.-]+"), origin) is not None


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (ValueError, binascii.Error):
        return b""


def _is_point(text: str) -> bool:
    try:
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), _decoded(text))
    except ValueError:
        return False
    return True


@cache
def _signer(key: str) -> Vapid:
    return Vapid.from_string(key)


def public_key() -> str:
    """What a browser is told to expect our signature by (RFC 8292)."""
    point = _signer(settings.VAPID_KEY).public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


class _Straight(requests.Session):
    """Follows no redirect: an address that was found lawful must not lead to one that is not."""

    def post(self, url: Any, *args: Any, **kwargs: Any) -> requests.Response:
        return super().post(url, *args, **{**kwargs, "allow_redirects": False})


def send(address: Address, message: Mapping[str, str], *, seconds: int) -> None:
    """Have the service deliver `message` within so many seconds. Raises `Gone`, `Unreachable`.

    The address is looked at once more: which services are known may have changed since it was kept.
    """
    if not lawful(address):
        raise Gone
    from pywebpush import (  # slow to load: where nobody is called, nobody waits for it
        WebPushException,
        webpush,
    )

    keys = {"p256dh": address.p256dh, "auth": address.auth}
    try:
        webpush(
            {"endpoint": address.endpoint, "keys": keys},
            data=json.dumps(message),
            vapid_private_key=_signer(settings.VAPID_KEY),
            vapid_claims={"sub": f"mailto:{settings.DEFAULT_FROM_EMAIL.rpartition('<')[2].rstrip('>')}"},
            ttl=seconds,
            timeout=PATIENCE_SECONDS,
            headers={"Urgency": "high"},
            requests_session=_Straight(),
        )
    except WebPushException as refused:
        status = None if refused.response is None else refused.response.status_code
        if status in _GONE:
            raise Gone from None
        raise Unreachable(f"the push service answered {status}") from None
    except requests.RequestException as failed:
        raise Unreachable(type(failed).__name__) from None
