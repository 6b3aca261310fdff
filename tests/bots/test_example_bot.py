"""The example for other people's bots, run as they would run it: two of them meet at a real server."""

import ast
import json
import subprocess
import sys
import urllib.request

from tests.site import ROOT, Site


def start(site: Site) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "docs/example_bot.py", site.url], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def test_two_of_them_play_a_match_to_its_end(site: Site) -> None:
    bots = [start(site), start(site)]
    said = [bot.communicate(timeout=60)[0].split() for bot in bots]
    assert [bot.returncode for bot in bots] == [0, 0], site.errors()
    (first, second) = sorted(said, key=len)
    assert first[0] == "won"
    assert second[:2] == ["not", "won"]
    assert first[-2:] == second[-2:]
    with urllib.request.urlopen(f"{site.url}/api/v1/matches/{first[-1]}") as answer:
        match = json.load(answer)
    assert match["result"]["reason"] == "broken"
    assert all(seat["guesses"] for seat in match["seats"])


def test_it_is_sixty_lines_to_read() -> None:
    """Issue 5. What it says about itself is not counted: neither blank lines nor docstrings."""
    source = (ROOT / "docs" / "example_bot.py").read_text()
    lines = {number for number, line in enumerate(source.splitlines(), start=1) if line.strip()}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    assert len(lines) <= 60
