"""What a player may be called, and when two names are too alike. Text in, text out."""

import re
import secrets
import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

SHORTEST, LONGEST = 2, 20
HOUSE_BOTS = ("Easy", "Medium", "Hard")
"""What the site's own bots are called."""
LETTERS = "[0-9A-Za-zÀ-ÖØ-öø-ÿĀ-ž_-]"
_LAWFUL = re.compile(rf"{LETTERS}{{{SHORTEST},{LONGEST}}}")
# Letters that normalization does not take apart stand here too.
_ALIKE = str.maketrans(
    {"0": "o", "1": "l", "i": "l", "_": "-", "\u0131": "l", "ł": "l", "ŀ": "l", "ø": "o", "đ": "d"}
)
_ALIKE |= str.maketrans({"ð": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe", "ĸ": "k", "ŋ": "n", "þ": "p"})

_STARS = (
    "Adhara Albireo Alcor Aldebaran Alioth Altair Antares Arturo Atria Bellatrix Canopo Capella Castore Deneb Electra "
    "Fomalhaut Hadar Izar Maia Merope Mimosa Mira Mizar Nashira Polluce Procione Rana Regolo Rigel Sargas Shaula Sirio "
    "Spica Tania Vega Wezen Zaniah"
).split()


def check_name(name: str) -> None:
    """Raise `ValidationError` unless `name` is 2–20 Latin letters (accents included, NFC), digits, `-` or `_`."""
    if unicodedata.normalize("NFC", name) != name or not _LAWFUL.fullmatch(name):
        raise ValidationError(
            _("A name has 2 to 20 letters, digits, hyphens or underscores."), code="invalid"
        )


def check_free(name: str) -> None:
    """Raise `ValidationError` for a name that would be taken for one of the site's own."""
    if name_key(name) in _OURS:
        raise ValidationError(_("That name is kept for the site."), code="reserved")


def name_key(name: str) -> str:
    """What a name looks like at a glance: names with one key are taken for each other, so only one may exist."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    return plain.translate(_ALIKE)


_OURS = frozenset(
    map(
        name_key,
        "Easy Medium Hard Facile Medio Difficile bot bots admin admins administrator amministratore moderator "
        "moderatore mod staff root system sistema support supporto help aiuto official ufficiale numbers "
        "the-numbers thenumbers guest ospite anonymous anonimo nobody nessuno everybody deleted deleted-player "
        "null undefined me you".split(),
    )
)
"""The bots in both languages, and whoever would be believed to speak for the site or to be nobody."""


def draw_guest_name() -> str:
    """A name for somebody who gave none: a star and a number."""
    return f"{secrets.choice(_STARS)}-{secrets.randbelow(9000) + 1000}"


def shown(name: str, kind: str) -> str:
    """What a player is called on a page: our bots in the reader's language, everybody else by name."""
    bots = {
        "Easy": pgettext("bot", "Easy"),
        "Medium": pgettext("bot", "Medium"),
        "Hard": pgettext("bot", "Hard"),
    }
    return bots.get(name, name) if kind == "bot" else name
