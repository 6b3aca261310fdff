"""Terms as a word to group by, all but their clock, and back."""

from matches.core.terms import ClockKind, Terms, agree


def word_of(terms: Terms) -> str:
    """`duel-5-different-positions`: what a record is kept by."""
    repeats = "repeats" if terms.repeats else "different"
    return f"{terms.preset}-{terms.length}-{repeats}-{terms.feedback.value}"


def terms_of(word: str, seconds: int = 60, *, rated: bool = True) -> Terms:
    """The terms of that word on a clock of `seconds`, whether or not the site still offers it."""
    preset, length, repeats, feedback = word.split("-")
    asked = {"preset": preset, "length": int(length), "repeats": repeats == "repeats", "feedback": feedback}
    return agree({**asked, "rated": rated}, dict.fromkeys(ClockKind, (seconds,)))
