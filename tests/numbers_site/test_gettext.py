"""No word that a reader sees stands outside the catalogues: in a language in which every text is bracketed, all are.

JavaScript has no words of its own: what it says stands in the page that loads it.
"""

import html
import re
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import Client
from django.utils.translation import trans_real

from matches import presenters
from players.models import User
from tests.builders import Duel, signed_in
from tests.numbers_site.test_words import FOR_ADA, FOR_ALL, ended
from tests.site import ROOT

__all__ = ["ended"]

OPEN, CLOSE = "⟦", "⟧"
NAMES = {"ada", "bob", "The", "Numbers", *(name for _, name in settings.LANGUAGES)}
"""What is the same in every language: players, the site, what a language calls itself."""
READ = r'\s(?:aria-label|aria-description|placeholder|title|alt|content|data-[\w-]+)="([^"]*)"'
NOT_READ = (
    "viewport",
    "theme-color",
    "htmx-config",
    "robots",
    "og:",
    "twitter:card",
    "width=",
    "summary_large",
)


@pytest.fixture
def bracketed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every text of every catalogue in brackets, Django's own included; what was put into words before is forgotten."""

    def one(self: object, message: str) -> str:
        return f"{OPEN}{message.rpartition(chr(4))[2]}{CLOSE}"

    def of_two(self: object, singular: str, plural: str, n: int) -> str:
        return one(self, singular if n == 1 else plural)

    monkeypatch.setattr(trans_real.DjangoTranslation, "gettext", one)
    monkeypatch.setattr(trans_real.DjangoTranslation, "ngettext", of_two)
    presenters._wording.cache_clear()
    yield
    presenters._wording.cache_clear()


def bare(page: str) -> list[str]:
    """Words that a reader sees or hears and that stand in no brackets."""
    page = re.sub(r"<(script|style)\b.*?</\1>|<!--.*?-->", " ", page, flags=re.DOTALL)
    # Languages call themselves, time zones are names, keys are called as scripts know them, fingerprints say nothing.
    page = re.sub(
        r'<[^>]*\blang="\w+"[^>]*>[^<]*</button>|<select[^>]*name="zone".*?</select>',
        " ",
        page,
        flags=re.DOTALL,
    )
    page = re.sub(r' data-step="\w+"| data-(?:seal|salt)="\w+"|<code>\w+</code>', " ", page)
    heard = [
        told
        for tag in re.findall(r"<[^>]+>", page)
        if not _for_machines(tag)
        for told in re.findall(READ, tag)
    ]
    told = (
        re.sub(r"<[^>]*>", " \n", page)
        + "\n"
        + "\n".join(one for one in heard if " " in one or one.istitle())
    )
    return [word for word in _words(html.unescape(told)) if word not in NAMES]


def _for_machines(tag: str) -> bool:
    return tag.startswith("<meta") and any(word in tag for word in NOT_READ)


def _words(text: str) -> Iterator[str]:
    """Of two letters and more, outside of all brackets, which may stand in each other."""
    depth, outside = 0, []
    for sign in text:
        depth += (sign == OPEN) - (sign == CLOSE)
        outside.append(sign if depth == 0 and sign != CLOSE else " ")
    yield from re.findall(r"[^\W\d_]{2,}", "".join(outside))


def test_every_word_of_every_page_can_be_translated(ended: Duel, bracketed: None) -> None:
    """D27"""
    ada = signed_in(User.objects.get(username="ada"))
    running = Duel(players=ended.players).start()
    running.guess(0)
    choosing = Duel("classic", players=ended.players)
    matches = [f"/m/{ended.id}/", f"/m/{ended.id}/at/3/", f"/m/{running.id}/", f"/m/{choosing.id}/"]
    visits = [(Client(), path) for path in FOR_ALL] + [(ada, path) for path in [*FOR_ADA, *matches]]
    found = {path: bare(client.get(path).content.decode()) for client, path in visits}
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize("path", sorted((ROOT / "static" / "js").glob("*.js")), ids=lambda path: path.name)
def test_scripts_have_no_words_of_their_own(path: object) -> None:
    script = re.sub(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", "", path.read_text(), flags=re.DOTALL)  # type: ignore[attr-defined]
    said = re.findall(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', script)
    texts = [re.sub(r"\$\{[^}]*\}", " ", first or second) for first, second in said]
    sentences = [text for text in texts if re.search(r"^[A-Z][a-z]+ [a-z]|[a-z] [a-z]+[.!?…]$", text)]
    assert sentences == []
