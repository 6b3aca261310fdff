"""Gathers the static files for serving, but only when one of them is other than last time."""

import hashlib
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def fingerprint() -> str:
    """Of every file's place, size and date, and of what dresses them: reading all would cost as much as copying."""
    digest = hashlib.sha256(f"{settings.STORAGES['staticfiles']} {version('whitenoise')}".encode())
    for finder in get_finders():
        for name, storage in sorted(finder.list([]), key=lambda found: str(found[0])):
            stat = Path(storage.path(name)).stat()
            digest.update(f"{name}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def gather() -> bool:
    """Say whether there was anything to do."""
    stamp = Path(settings.DATA) / "static.stamp"
    found = fingerprint()
    if stamp.exists() and Path(settings.STATIC_ROOT).exists() and stamp.read_text() == found:
        return False
    call_command("collectstatic", interactive=False, verbosity=0)
    stamp.write_text(found)
    return True
