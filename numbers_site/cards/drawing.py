"""Draws cards in the look of the pages. Words and figures in, PNG out; knows no player and no match."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from django.conf import settings
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 630
_HERE = Path(__file__).parent
_FINE = 2
"""Drawn this many times larger and made smaller, so that round things are round."""
_EDGE, _TILE, _GAP, _RADIUS = 72, 92, 12, 12

_HUES = 128
"""Few colours and their edges: a picture of a third of the weight, the same to the eye."""

Look = Literal["face", "exact", "present", "absent", "hidden"]
"""As in components.css: enamel, in its place, elsewhere, not there, not shown."""


@dataclass(frozen=True, slots=True)
class Tile:
    look: Look
    figure: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A name or a sentence with tiles at its end."""

    text: str
    tiles: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """At most two lines, then one sentence, then one in the second voice."""

    lines: tuple[Line, ...]
    sentence: str
    aside: str = ""


@cache
def _colours() -> dict[str, str]:
    """By day, as the tokens have them: one place for both."""
    tokens = (Path(settings.ROOT) / "static" / "css" / "tokens.css").read_text()
    day = tokens.partition("@media")[0]
    return dict(re.findall(r"--([a-z-]+):\s*(#[0-9a-f]{3,6})", day))


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_HERE / "RobotoCondensed-Bold.ttf", size * _FINE)


def png(card: Card) -> bytes:
    image = Image.new("RGB", (WIDTH * _FINE, HEIGHT * _FINE), _colours()["ground"])
    pen = ImageDraw.Draw(image)
    with Image.open(_HERE / "wordmark.png") as mark:
        image.paste(mark.convert("RGBA"), _at(_EDGE, _EDGE - 8), mark.convert("RGBA"))
    top = 178 if len(card.lines) > 1 else 236
    for line in card.lines:
        _line(pen, line, top)
        top += 116
    _words(pen, card.sentence, 498, 46, "ink")
    _words(pen, card.aside, 556, 32, "soft")
    kept = io.BytesIO()
    small = image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    small.quantize(_HUES, dither=Image.Dither.NONE).save(kept, "PNG", optimize=True)
    return kept.getvalue()


def _at(x: float, y: float) -> tuple[int, int]:
    return round(x * _FINE), round(y * _FINE)


def _box(x: float, y: float, width: float, height: float) -> tuple[int, int, int, int]:
    return (*_at(x, y), *_at(x + width, y + height))


def _line(pen: ImageDraw.ImageDraw, line: Line, top: float) -> None:
    taken = len(line.tiles) * (_TILE + _GAP) - _GAP if line.tiles else 0
    room = WIDTH - 2 * _EDGE - (taken + 2 * _GAP if taken else 0)
    font = _fitting(line.text, room, 76, 44)
    shown = _cut(line.text, font, room)
    pen.text(_at(_EDGE, top + _TILE / 2), shown, _colours()["ink"], font, anchor="lm")
    for place, tile in enumerate(line.tiles):
        _tile(pen, tile, WIDTH - _EDGE - taken + place * (_TILE + _GAP), top)


def _words(pen: ImageDraw.ImageDraw, text: str, baseline: float, size: int, colour: str) -> None:
    room = WIDTH - 2 * _EDGE
    font = _fitting(text, room, size, size * 3 // 4)
    pen.text(_at(_EDGE, baseline), _cut(text, font, room), _colours()[colour], font, anchor="ls")


def _fitting(text: str, room: float, largest: int, smallest: int) -> ImageFont.FreeTypeFont:
    sizes: Sequence[int] = range(largest, smallest, -2)
    return next((font for font in map(_font, sizes) if font.getlength(text) <= room * _FINE), _font(smallest))


def _cut(text: str, font: ImageFont.FreeTypeFont, room: float) -> str:
    """What does not fit even small ends in an ellipsis."""
    if font.getlength(text) <= room * _FINE:
        return text
    while text and font.getlength(f"{text.rstrip()}…") > room * _FINE:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _tile(pen: ImageDraw.ImageDraw, tile: Tile, x: float, y: float) -> None:
    colour, ink = _colours(), _colours()["ink"]
    place, round_ = _box(x, y, _TILE, _TILE), _RADIUS * _FINE
    match tile.look:
        case "face":
            pen.rounded_rectangle(place, round_, colour["face"])
        case "exact":
            pen.rounded_rectangle(place, round_, colour["exact"])
            ink = colour["on"]
        case "present":
            pen.ellipse(_box(x + 3, y + 3, _TILE - 6, _TILE - 6), outline=colour["present"], width=7 * _FINE)
        case "absent":
            ink = colour["soft"]
        case "hidden":
            pen.rounded_rectangle(place, round_, colour["sunk"])
            pen.ellipse(_box(x + _TILE / 2 - 10, y + _TILE / 2 - 10, 20, 20), colour["soft"])
    pen.text(_at(x + _TILE / 2, y + _TILE / 2), tile.figure, ink, _font(58), anchor="mm")
