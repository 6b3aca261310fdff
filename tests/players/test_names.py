"""What a player may be called, and which names are too alike (D25)."""

import re
import unicodedata

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from players import services
from players.models import Kind
from players.names import LONGEST, check_name, draw_guest_name, name_key
from tests.builders import people, person, signed_in

CYRILLIC = "\u041c\u0430rio"
DOTLESS = "Mar\u0131o"
LAWFUL = [
    "Mario",
    "al",
    "a" * 20,
    "0417",
    "Nicolò",
    "Zoë-99",
    "x_y",
    "--",
    "Łukasz",
    "Ångström",
    "ČŠŽ",
    "Vega-4821",
]
UNLAWFUL = {
    "nothing": "",
    "one letter": "a",
    "twenty-one": "a" * 21,
    "a space behind": "Mario ",
    "a space before": " Mario",
    "a space inside": "Ma rio",
    "a tab": "Mario\t",
    "a line end": "Mario\n",
    "a space of no width": "Mario\u200b",
    "a joiner": "Ma\u200drio",
    "a mark of order": "\u202eoiraM",
    "a soft hyphen": "Ma\u00adrio",
    "Cyrillic": CYRILLIC,
    "all Cyrillic": "Марио",
    "Greek": "\u039cario",
    "full width": "\uff2dario",
    "an accent of its own": unicodedata.normalize("NFD", "Nicolò"),
    "a stack of accents": "Z\u0351\u036b\u0343algo",
    "a ligature": "\ufb01n",
    "a digit above": "x²",
    "an Arabic digit": "x٣",
    "markup": "<b>x</b>",
    "a quote": "O'Neil",
    "an ampersand": "a&b",
    "a slash": "a/b",
    "a stop": "a.b",
    "an at": "a@b",
    "a colon, as bots have": "bot:easy",
    "times": "a×b",
    "divided": "a÷b",
    "a picture": "🙂🙂",
    "NUL": "a\x00b",
    "half a character": "a\ud800",
    "a long s": "a\u017f",
}


@pytest.mark.parametrize("name", LAWFUL)
def test_letters_digits_hyphens_and_underscores_are_lawful(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize("name", UNLAWFUL.values(), ids=[*UNLAWFUL])
def test_anything_else_is_refused_in_words(name: str) -> None:
    """D24, D25: no markup, nothing unseen, no other alphabet."""
    with pytest.raises(ValidationError, match="2 to 20 letters"):
        check_name(name)


ALIKE = [
    ("Mario", "mario"),
    ("Mario", "MARIO"),
    ("Mario", "Màrio"),
    ("Mario", "Mari0"),
    ("Mario", "Mar1o"),
    ("Mario", "Marlo"),
    ("Mario", DOTLESS),
    ("Mario", "Marīo"),
    ("Nicolo", "Nicolò"),
    ("a-b", "a_b"),
    ("STRASSE", "straße"),
    ("Lukasz", "Łukasz"),
    ("Soren", "Søren"),
    ("Dana", "Đana"),
]
DISTINCT = [("Mario", "Maria"), ("Mario", "Mario2"), ("a-b", "ab"), ("mm", "nn"), ("Vega-4821", "Vega-4822")]


@pytest.mark.parametrize(("one", "two"), ALIKE)
def test_names_that_look_alike_have_one_key(one: str, two: str) -> None:
    """D25 and docs/decisions.md: case, accents, 0/o, 1/i/l, -/_."""
    assert name_key(one) == name_key(two)


@pytest.mark.parametrize(("one", "two"), DISTINCT)
def test_names_that_do_not_have_keys_of_their_own(one: str, two: str) -> None:
    assert name_key(one) != name_key(two)


@pytest.mark.parametrize("name", [*LAWFUL, "ŉ" * 20, "ĳ" * 20, "ß" * 20, "Ŀ" * 20])
def test_a_key_has_room_in_its_column(name: str) -> None:
    check_name(name)
    assert 0 < len(name_key(name)) <= 2 * LONGEST


@pytest.mark.django_db
@pytest.mark.parametrize("other", ["mario", "MARIO", "Màrio", "Mari0", "Mar1o"])
def test_the_database_has_room_for_one_of_those_that_look_alike(other: str) -> None:
    """D25: a person, a guest or a bot, made by whatever way."""
    person("Mario")
    for kind in Kind:
        with pytest.raises(IntegrityError), transaction.atomic():
            person(other, kind)
    assert len(people()) == 1


@pytest.mark.django_db
def test_a_name_that_changes_takes_its_key_along() -> None:
    player = person("Mario")
    player.username = "Luigi"
    player.save()
    assert person("mario").pk != player.pk
    with pytest.raises(IntegrityError), transaction.atomic():
        person("luigi")


@pytest.mark.django_db
def test_a_name_saved_alone_takes_its_key_along_too() -> None:
    player = person("Mario")
    player.username = "Luigi"
    player.save(update_fields=["username"])
    player.refresh_from_db()
    assert player.name_key == name_key("Luigi")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["Mari0", "Màrio", "mario", CYRILLIC, "Mario\u200b", "<b>x</b>"])
def test_staff_are_refused_a_name_that_is_taken_or_unlawful_in_words(name: str) -> None:
    """D25, D26: the admin's form says so, and does not break."""
    person("Mario")
    root = signed_in(person("root", is_staff=True, is_superuser=True))
    password = {"password1": "correct-horse-9", "password2": "correct-horse-9", "usable_password": "true"}
    response = root.post("/admin/players/user/add/", {"username": name, **password})
    assert response.status_code == 200
    assert response.context["errors"]
    assert len(people()) == 2


# Guests


def test_a_guests_name_is_lawful() -> None:
    """docs/decisions.md: a star and a number."""
    for _ in range(200):
        name = draw_guest_name()
        check_name(name)
        assert re.fullmatch(r"[A-Z][a-z]+-[1-9][0-9]{3}", name)


@pytest.mark.django_db
def test_a_guest_whose_name_is_taken_draws_another(monkeypatch: pytest.MonkeyPatch) -> None:
    names = iter(["Vega-1000", "Vega-1000", "Vega-l000", "Vega-2000"])
    monkeypatch.setattr(services, "draw_guest_name", lambda: next(names))
    assert [services.welcome_guest().username for _ in range(2)] == ["Vega-1000", "Vega-2000"]


@pytest.mark.django_db
def test_a_sky_without_a_free_name_is_an_error_and_no_endless_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "draw_guest_name", lambda: "Vega-1000")
    services.welcome_guest()
    with pytest.raises(IntegrityError), transaction.atomic():
        services.welcome_guest()
