"""Which languages the site speaks: English, in which it is written, and whatever has a folder in `locale/`."""

from pathlib import Path

from django.conf.locale import LANG_INFO

WRITTEN_IN = "en"


def spoken(locale: Path) -> list[tuple[str, str]]:
    """Codes and names, each as it calls itself. A folder without a compiled catalogue is no language."""
    found = sorted(path.parent.parent.name for path in locale.glob("*/LC_MESSAGES/django.mo"))
    codes = [WRITTEN_IN, *(folder.replace("_", "-").lower() for folder in found if folder != WRITTEN_IN)]
    return [
        (code, LANG_INFO[code]["name_local"].capitalize())
        for code in codes
        if "name_local" in LANG_INFO.get(code, {})
    ]
