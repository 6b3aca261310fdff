"""The contact sheet of what `make shots` has taken: `artifacts/shots/index.html`, and a picture for each size.

Run as `python -m tests.browser.sheet`.
"""

import html
from collections import defaultdict
from itertools import product
from pathlib import Path

from PIL import Image, ImageDraw

from tests.browser.camera import SIZES
from tests.site import ROOT

FOLDER = ROOT / "artifacts" / "shots"
LOOKS = [f"{language}.{theme}" for language, theme in product(("en", "it"), ("light", "dark"))]
HIGH, PER_ROW = 420, 3
"""Thumbnails are so high, and so many states stand side by side."""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Contact sheet</title>
<style>body{{font:14px sans-serif;margin:1rem;background:#8a908c}}h2{{margin:0}}
.row{{display:flex;gap:.5rem;align-items:start;overflow-x:auto}}img{{height:360px;width:auto}}</style>
<h1>{count} pictures of {states} states</h1>
{body}</html>"""


def states() -> dict[str, list[str]]:
    """Names of pages and states, each with its pictures."""
    found = defaultdict(list)
    for path in sorted(FOLDER.glob("*.*.*.*.png")):
        found[path.name.split(".")[0]].append(path.name)
    return dict(found)


def write() -> None:
    found = states()
    rows = []
    for name, pictures in found.items():
        images = "".join(
            f'<a href="{html.escape(one)}"><img loading="lazy" src="{html.escape(one)}" alt="{html.escape(one)}"></a>'
            for one in sorted(pictures, key=lambda one: (list(SIZES).index(one.split(".")[3]), one))
        )
        rows.append(f'<h2>{html.escape(name)}</h2><div class="row">{images}</div>')
    count = sum(map(len, found.values()))
    (FOLDER / "index.html").write_text(PAGE.format(count=count, states=len(found), body="\n".join(rows)))
    for size in SIZES:
        _montage(list(found), size).save(FOLDER / f"sheet-{size}.png")


def _montage(names: list[str], size: str) -> Image.Image:
    """Each state in its four looks, the top of the page."""
    view = SIZES[size]
    wide = round(HIGH * view["width"] / view["height"])
    block, rows = (wide + 6) * len(LOOKS) + 14, -(-len(names) // PER_ROW)
    sheet = Image.new("RGB", (block * PER_ROW, (HIGH + 26) * rows), "#8a908c")
    pen = ImageDraw.Draw(sheet)
    for place, name in enumerate(names):
        left, top = place % PER_ROW * block, place // PER_ROW * (HIGH + 26)
        pen.text((left + 4, top + 6), name, "black")
        for column, look in enumerate(LOOKS):
            path = FOLDER / f"{name}.{look}.{size}.png"
            if path.exists():
                sheet.paste(_top(path, view["height"], wide), (left + column * (wide + 6), top + 22))
    return sheet


def _top(path: Path, height: int, wide: int) -> Image.Image:
    with Image.open(path) as whole:
        shown = whole.convert("RGB").crop((0, 0, whole.width, min(whole.height, height)))
    small = shown.resize((wide, round(shown.height * wide / shown.width)), Image.Resampling.LANCZOS)
    return small.crop((0, 0, wide, min(HIGH, small.height)))


if __name__ == "__main__":
    write()
