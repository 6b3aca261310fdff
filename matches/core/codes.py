"""What a code is: text of ASCII digits, never a number (R1). Knows nothing of matches."""

DIGITS = "0123456789"
_DIGITS = frozenset(DIGITS)


def is_code(text: object, length: int) -> bool:
    """Say whether `text` is exactly `length` ASCII digits; nothing is trimmed, padded or converted (R1.1, R1.2).

    Membership in a set of ten characters, since `str.isdigit` and `\\d` also admit `²` and `٣`.
    """
    return isinstance(text, str) and len(text) == length and _DIGITS.issuperset(text)


def all_different(code: str) -> bool:
    """Say whether no digit of `code` stands twice (R2.2)."""
    return len(set(code)) == len(code)
