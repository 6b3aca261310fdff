"""The look's tokens: the dark list stands twice, for the system's wish and for the reader's."""

import re
from collections.abc import Iterator

from tests.site import ROOT

TOKENS = (ROOT / "static/css/tokens.css").read_text()
COMPONENTS = (ROOT / "static/css/components.css").read_text()
LENGTH, TIME = r"\d(rem|px|em)\b", r"\d(ms|s)\b"
STRAY = {
    # property: what it may not say but by a token's name
    r".*": r"#(?!0{3,4}\b)[0-9a-fA-F]{3,8}\b|\b(rgb|hsl)a?\(",  # #000 and #0000 are masks
    r"font|font-size": r"\d(rem|px)\b",
    r"border(-\w+)*-radius": LENGTH,
    r"(padding|margin)(-\w+)*|(row-|column-)?gap": r"\d(rem|px)\b",
    r"transition.*|animation.*": TIME,
}


def test_both_dark_lists_say_the_same() -> None:
    by_system = re.search(r":root:not\(\[data-theme=light\]\)\{(.*?)\}", TOKENS, re.DOTALL)
    by_reader = re.search(r":root\[data-theme=dark\]\{(.*?)\}", TOKENS, re.DOTALL)
    assert by_system is not None
    assert by_reader is not None
    assert by_system[1].split() == by_reader[1].split()
    assert "--ground:" in by_system[1]


def declarations() -> Iterator[tuple[str, str]]:
    """What components.css declares, less what it takes from tokens; limits (min, max, clamp) are layout, not rhythm."""
    sheet = re.sub(r"/\*.*?\*/", "", COMPONENTS, flags=re.DOTALL)
    for name, value in re.findall(r"(?<=[;{\s])([a-z-]+):([^;{}]+)(?=[;}])", sheet):
        told, before = value, ""
        while told != before:
            before, told = told, re.sub(r"\b(var|env|max|min|clamp)\((?:[^()]|\([^()]*\))*\)", "", told)
        yield name, told


def test_every_colour_space_size_radius_and_time_has_its_name_in_one_place() -> None:
    found = [
        (name, value)
        for name, value in declarations()
        for names, stray in STRAY.items()
        if re.fullmatch(names, name) and re.search(stray, value)
    ]
    assert found == []


def test_no_token_is_used_that_nobody_has_made() -> None:
    made = set(re.findall(r"(--[\w-]+):", TOKENS + COMPONENTS))
    used = set(re.findall(r"var\((--[\w-]+)\)", TOKENS + COMPONENTS))
    set_by_pages = {"--p", "--k", "--len"}
    assert used - made - set_by_pages == set()
