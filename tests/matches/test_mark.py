"""`manage.py mark < pairs`: the real rule for scripts (api.md, D1)."""

import io
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from matches.core.marking import mark, totals
from tests.site import ROOT

PAIRS = Path(__file__).parent / "core" / "marks.json"


def marked(lines: bytes, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    call_command("mark", stdout=out)
    return out.getvalue().splitlines()


def test_it_prints_marks_exact_and_present(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = b"11234 43211\n40725 40044\n5001 1111\n10345 02060\n"
    assert marked(lines, monkeypatch) == ["PPEPP 1 4", "EEAAA 2 0", "AAAE 1 0", "PAAAA 0 1"]


def test_it_agrees_with_every_row_of_the_marks_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """D1"""
    cases = json.loads(PAIRS.read_text())["cases"]
    lines = "".join(f"{case['secret']} {case['guess']}\n" for case in cases).encode()
    wanted = [f"{case['marks']} {case['exact']} {case['present']}" for case in cases]
    assert marked(lines, monkeypatch) == wanted


NOT_PAIRS = {
    "nothing": b"",
    "one code": b"1234",
    "three codes": b"1234 1234 1234",
    "two lengths": b"1234 12345",
    "too short": b"123 123",
    "too long": b"123456 123456",
    "a digit above": "²234 1234".encode(),
    "an Arabic digit": "1234 ١٢٣٤".encode(),
    "full width": "１２３４ 1234".encode(),
    "letters": b"abcd efgh",
    "a comma": b"1234,1234",
    "a sign": b"+123 1234",
    "NUL": b"1234 123\x00",
    "not UTF-8": b"\xff\xfe 1234",
    "a mark of order": b"\xef\xbb\xbf1234 1234",
    "very long": b"1" * 1_000_000,
}


@pytest.mark.parametrize("line", NOT_PAIRS.values(), ids=[*NOT_PAIRS])
def test_a_line_that_is_no_pair_is_an_error_and_the_run_goes_on(
    line: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, wrong, last = marked(b"1234 1243\n" + line + b"\n0417 0417\n", monkeypatch)
    assert (first, last) == ("EEPP 2 2", "EEEE 4 0")
    assert wrong.startswith("error: ")


def test_spaces_line_ends_and_a_missing_last_one_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    assert marked(b"  1234\t1243 \r\n0000 0000", monkeypatch) == ["EEPP 2 2", "EEEE 4 0"]


def test_nothing_in_is_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert marked(b"", monkeypatch) == []


def test_it_runs_without_a_database_and_takes_many_lines(tmp_path: Path) -> None:
    """As a script calls it: on a folder that has never been migrated, and without making one."""
    chance = random.Random(1)
    pairs = [
        ("".join(chance.choices("0123456789", k=5)), "".join(chance.choices("012", k=5))) for _ in range(5000)
    ]
    ended = subprocess.run(
        [sys.executable, "manage.py", "mark"],
        input="".join(f"{secret} {guess}\n" for secret, guess in pairs),
        cwd=ROOT,
        env={"DATA": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    wanted = []
    for secret, guess in pairs:
        marks = mark(secret, guess)
        wanted.append(f"{marks} {totals(marks)[0]} {totals(marks)[1]}")
    assert ended.stdout.splitlines() == wanted
    assert not list(tmp_path.glob("*.sqlite3"))
