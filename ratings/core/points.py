"""What a match moves on a ladder (R6.2, R6.3). Whole numbers in, whole numbers out."""

WON = 10
EACH_MISSING = 4


def earned(length: int, in_place: int) -> int:
    """What `in_place` digits of `length` are worth: all of them, as the winner has, the most (R6.2)."""
    if not 0 <= in_place <= length:
        raise ValueError(f"{in_place} of {length} digits cannot be in place")
    return WON - EACH_MISSING * (length - in_place)


def applied(total: int, change: int) -> int:
    """What `change` really does to `total`, which never falls below zero (R6.3)."""
    return max(change, -total)
