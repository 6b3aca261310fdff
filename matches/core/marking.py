"""What a guess earns (R3). Two codes in, one mark a digit out."""

from collections import Counter
from collections.abc import Iterable

EXACT, PRESENT, ABSENT = "E", "P", "A"
_BEST_FIRST = EXACT + PRESENT + ABSENT


def mark(secret: str, guess: str) -> str:
    """Mark `guess` against `secret`, two codes of one length: a string of `E`, `P` and `A`, one for each place.

    Exact is settled over all places first; presents then go from left to right, each claiming a copy
    that nothing has claimed yet (R3.2).
    """
    unclaimed = Counter(s for s, g in zip(secret, guess, strict=True) if s != g)
    marks = []
    for s, g in zip(secret, guess, strict=True):
        if s == g:
            marks.append(EXACT)
        elif unclaimed[g] > 0:
            unclaimed[g] -= 1
            marks.append(PRESENT)
        else:
            marks.append(ABSENT)
    return "".join(marks)


def totals(marks: str) -> tuple[int, int]:
    """Count a mark string: (exact, present) (R3.3)."""
    return marks.count(EXACT), marks.count(PRESENT)


def best_marks(rows: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The best mark known for each digit over `rows` of (code, marks): exact over present over absent (R3.5)."""
    best: dict[str, str] = {}
    for code, marks in rows:
        for digit, new in zip(code, marks, strict=True):
            best[digit] = min(best.get(digit, ABSENT), new, key=_BEST_FIRST.index)
    return best
