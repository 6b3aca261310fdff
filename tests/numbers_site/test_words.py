"""Two languages, both whole: a catalogue without gaps, and pages without a word of the other."""

import ast
import gettext
import html
import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.utils import translation

from players.models import User
from ratings import words
from tests.builders import Duel, person, signed_in
from tests.site import ROOT

CATALOGUE = ROOT / "locale" / "it" / "LC_MESSAGES"

Text = str | tuple[str, int]
"""As a compiled catalogue calls it: a plural by its singular and its form."""

TELLTALES = {
    "en": {"the", "and", "you", "your", "of", "is", "with", "guess", "match", "name", "won", "seek", "back"},
    "it": {"il", "della", "che", "tuo", "sono", "con", "una", "prova", "partita", "vinte", "sfida"},
}
"""Words of one language that the other does not have."""

FOR_ALL = [
    "/",
    "/lobby/",
    "/ladder/",
    "/ladder/month/",
    "/ladder/tournaments/",
    "/rules/",
    "/strategy/",
    "/account/",
    "/account/signup/",
    "/account/signin/",
    "/account/password/reset/",
    "/account/password/reset/sent/",
    "/tournaments/",
    "/practice/",
    "/daily/",
    "/nowhere/",
]
FOR_ADA = [
    "/",
    "/account/",
    "/account/password/",
    "/account/email/",
    "/account/tokens/",
    "/account/sessions/",
    "/account/ties/",
    "/account/delete/",
    "/account/signout/",
    "/challenge/bob/",
    "/tournaments/new/",
    "/players/bob/",
    "/players/bob/matches/",
]


@pytest.fixture
def ended(db: None) -> Duel:
    ada, bob = person("ada"), person("bob")
    ada.set_password("a word of hers")
    ada.save()
    duel = Duel(players=(ada, bob)).start()
    duel.guess(0, duel.wrong())
    duel.end()
    return duel


def entries() -> Iterator[tuple[Text, str]]:
    """Every text of the catalogue with its translation, as it stands in the source."""
    source = (CATALOGUE / "django.po").read_text()
    for entry in source.split("\n\n")[1:]:
        context, name = _part(entry, "msgctxt"), _part(entry, "msgid")
        name = f"{context}\4{name}" if context else name
        if _part(entry, "msgid_plural"):
            for form in (0, 1):
                yield (name, form), _part(entry, rf"msgstr\[{form}\]")
        else:
            yield name, _part(entry, "msgstr")


def _part(entry: str, keyword: str) -> str:
    found = re.search(rf'^{keyword} ((?:".*"\n?)+)', entry, re.MULTILINE)
    return "".join(map(ast.literal_eval, found[1].splitlines())) if found else ""


def test_nothing_is_untranslated_or_guessed() -> None:
    """D27: of a plural, both forms."""
    assert not re.search(r"^#, .*fuzzy", (CATALOGUE / "django.po").read_text(), re.MULTILINE)
    assert [text for text, told in entries() if not told] == []


def test_a_translation_has_the_blanks_of_its_text() -> None:
    def blanks(text: str) -> set[str]:
        return set(re.findall(r"%\(\w+\)[ds]|\{\w*\}|</?\w+>", text))

    for text, told in entries():
        assert blanks(told) == blanks(text if isinstance(text, str) else text[0]), text


def test_what_is_compiled_is_what_was_written() -> None:
    with (CATALOGUE / "django.mo").open("rb") as compiled:
        catalogue: dict[Text, str] = vars(gettext.GNUTranslations(compiled))["_catalog"]
    assert {text: told for text, told in catalogue.items() if text} == dict(entries())


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", ["0 guesses", "1 guess", "2 guesses"]), ("it", ["0 prove", "1 prova", "2 prove"])],
)
def test_none_one_and_two_are_counted_as_people_count(language: str, told: list[str]) -> None:
    """D27"""
    with translation.override(language):
        assert [words.guesses(n) for n in range(3)] == told


def strangers_in(client: Client, path: str, language: str) -> set[str]:
    """Words of the other language on a page, in sight or read out."""
    [other] = TELLTALES.keys() - {language}
    page = client.get(path, headers={"Accept-Language": language}).content.decode()
    assert f'<html lang="{language}"' in page
    page = page.replace("The Numbers", "")
    aloud = re.findall(
        r'(?:aria-label|placeholder|title|content)="(?!https?:)([^"]*)"|data-[\w-]+="([^"]* [^"]*)"', page
    )
    text = html.unescape(re.sub(r"<[^>]*>", " ", page) + str(aloud))
    return set(re.findall(r"\w+", text.lower())) & TELLTALES[other]


@pytest.mark.parametrize("language", TELLTALES)
def test_pages_speak_one_language(ended: Duel, language: str) -> None:
    """D27"""
    ada = signed_in(User.objects.get(username="ada"))
    paths = [*FOR_ADA, f"/m/{ended.id}/", f"/m/{ended.id}/at/3/"]
    visits = [(Client(), path) for path in FOR_ALL] + [(ada, path) for path in paths]
    found = {path: strangers_in(client, path, language) for client, path in visits}
    assert {path: words for path, words in found.items() if words} == {}
