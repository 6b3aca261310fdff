"""Share cards: pictures of what a stranger may know, drawn in the look of the pages."""

import io
import re

import pytest
from django.test import Client
from PIL import Image

from numbers_site.cards import contents, drawing
from numbers_site.cards.drawing import Card, Line, Tile
from players.models import User
from tests.builders import SECRETS, Duel, person, signed_in
from tests.tournaments.builders import Cup

pytestmark = pytest.mark.django_db

ANSWERS = ("site.en", "match/nosuch00.en", "player/nobody.it", "tournament/nosuch00.it")


def digits(card: Card) -> list[str]:
    return ["".join(tile.figure for tile in line.tiles) for line in card.lines]


def size(body: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(body)) as image:
        image.load()
        return image.size


def test_a_finished_match_shows_both_numbers_and_who_won() -> None:
    duel = Duel().start().end()
    card = contents.of_match(duel.id)
    assert digits(card) == list(SECRETS)
    assert card.sentence == "bob won."


@pytest.mark.parametrize("stage", ["choosing", "playing"])
def test_a_match_under_way_shows_no_number_to_anybody(client: Client, stage: str) -> None:
    """D22: not to its players either, whose page names the same picture."""
    duel = Duel()
    duel.commit(0)
    if stage == "playing":
        duel.commit(1)
        duel.guess(0)
    before = client.get(f"/cards/match/{duel.id}.en.png")
    assert digits(contents.of_match(duel.id)) == ["", ""]
    assert signed_in(duel.players[0]).get(f"/cards/match/{duel.id}.en.png").content == before.content


def test_what_is_private_looks_like_what_is_not_there() -> None:
    duel = Duel(public=False).start().end()
    cup = Cup([person("creator")], person("maker"), private=True)
    for path in (f"match/{duel.id}", "match/nosuch00", f"tournament/{cup.id}", "player/nobody"):
        kind, _, name = path.partition("/")
        assert getattr(contents, f"of_{kind}")(name) == contents.of_site()
    assert (
        signed_in(duel.players[0]).get(f"/cards/match/{duel.id}.en.png").content
        == Client().get("/cards/site.en.png").content
    )


@pytest.mark.parametrize("path", ANSWERS)
def test_a_card_is_a_picture_of_the_size_it_claims(client: Client, path: str) -> None:
    answer = client.get(f"/cards/{path}.png")
    assert answer["Content-Type"] == "image/png"
    assert size(answer.content) == (1200, 630)
    assert len(answer.content) < 100_000


def test_a_card_is_drawn_once_for_as_long_as_it_says_the_same(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = person("ada")
    first = client.get("/cards/player/ada.en.png")
    monkeypatch.setattr(drawing, "png", lambda card: pytest.fail("drawn again"))
    again = client.get("/cards/player/ada.en.png")
    assert again.content == first.content
    assert client.get("/cards/player/ada.en.png", headers={"If-None-Match": first["ETag"]}).status_code == 304
    monkeypatch.undo()
    User.objects.filter(pk=ada.pk).update(points=7)
    assert client.get("/cards/player/ada.en.png")["ETag"] != first["ETag"]


def test_so_many_a_minute_are_drawn_anew(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "png", lambda card: b"")
    monkeypatch.setattr("numbers_site.cards.views._MOST", 2)
    for name in ("ada", "bob", "eve"):
        person(name)
    answers = [client.get(f"/cards/player/{name}.en.png") for name in ("ada", "bob", "eve", "ada")]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 200]


def test_there_is_no_card_in_a_language_nobody_speaks_here(client: Client) -> None:
    assert client.get("/cards/site.xx.png").status_code == 404


@pytest.mark.parametrize("text", ["", "Ł" * 20, "W" * 60, "Šćđœž Æþ ÀÈÌÒÙ"])
def test_any_name_fits(text: str) -> None:
    card = Card((Line(text, (Tile("present", "0"),) * 5), Line(text)), text * 4, text * 4)
    assert size(drawing.png(card)) == (1200, 630)


def test_every_letter_a_name_may_have_can_be_drawn() -> None:
    font = drawing._font(40)
    missing = font.getmask("\uffff").getbbox()
    letters = [chr(code) for code in range(0xC0, 0x17F) if chr(code).isalpha()]
    blank = [letter for letter in letters if font.getmask(letter).getbbox() == missing]
    assert blank == []


def test_pages_name_their_card_in_full(client: Client) -> None:
    """An address that is not absolute is none to who shares it."""
    duel = Duel().start().end()
    cup = Cup([person("cy")], person("dan"))
    named = {
        "/": "/cards/site.en.png",
        f"/m/{duel.id}/": f"/cards/match/{duel.id}.en.png",
        "/players/ada/": "/cards/player/ada.en.png",
        f"/tournaments/{cup.id}/": f"/cards/tournament/{cup.id}.en.png",
    }
    for path, card in named.items():
        page = client.get(path).content.decode()
        assert re.findall(r'og:image" content="([^"]*)"', page) == [f"http://testserver{card}"]
        assert re.findall(r'og:url" content="([^"]*)"', page) == [f"http://testserver{path}"]
        assert len(re.findall(r'og:title" content="[^"]+"', page)) == 1
        assert 'name="twitter:card" content="summary_large_image"' in page
        assert size(client.get(card).content) == (1200, 630)
