"""A match in words: terms, refusals, results, marks. Only sights come in, so no text can tell a secret."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matches.core.machine import Reason, Status
from matches.core.sight import GuessSight, Moment, Sight
from matches.core.terms import ClockKind, Feedback, GuessRule, Start, Terms, Totals

_HARD = "\N{NO-BREAK SPACE}"
_BETWEEN = f"{_HARD}· "


def clock_text(ms: int) -> str:
    """Milliseconds as a clock shows them: `4:12`, `1:00:00`. A started second counts, so 0:00 means over."""
    seconds = -(-ms // 1000)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    tail = f"{seconds % 60:02d}"
    return f"{hours}:{minutes:02d}:{tail}" if hours else f"{minutes}:{tail}"


def span(seconds: int) -> str:
    """A length of time in words, in its largest whole unit."""
    if seconds % 3600 == 0:
        return ngettext("%(n)d hour", "%(n)d hours", seconds // 3600) % {"n": seconds // 3600}
    if seconds % 60 == 0 and seconds != 60:
        return _("%(n)d min") % {"n": seconds // 60}
    return _("%(n)d s") % {"n": seconds}


def length(terms: Terms) -> str:
    return ngettext("%(n)d digit", "%(n)d digits", terms.length) % {"n": terms.length}


def repeats(terms: Terms) -> str:
    if terms.repeats:
        return _("repeats allowed")
    return (
        _("all different, guesses too")
        if terms.guesses is GuessRule.STRICT
        else _("all different, guesses free")
    )


def feedback(terms: Terms) -> str:
    if terms.feedback is Feedback.POSITIONS:
        return _("marks per position")
    return _("misplaced and exact") if terms.totals is Totals.EXACT_MISPLACED else _("found and in place")


def clock(terms: Terms) -> str:
    time = {"time": span(terms.clock.seconds)}
    return _("%(time)s each") % time if terms.clock.kind is ClockKind.BUDGET else _("%(time)s a move") % time


def rated(terms: Terms, known: bool | None = None) -> str:
    """`known` is whether the two players can move the ladder, None while one of them is still to come (R6.1)."""
    if not terms.rated or known is False:
        return _("unrated")
    return _("rated") if known else _("rated if both are registered")


def tournament_ladder() -> str:
    """What stands in the place of `rated` where a tournament's match is spoken of (R6.6)."""
    return _("tournament ladder")


def chips(terms: Terms, known: bool | None = None) -> list[str]:
    """The terms that are agreed, one short phrase each."""
    return [length(terms), repeats(terms), feedback(terms), clock(terms), rated(terms, known)]


def small_print(terms: Terms, grace_ms: int, confirm_ms: int) -> list[str]:
    """The terms that come with the preset, one sentence each."""
    seconds = {"time": span(confirm_ms // 1000)}
    return [
        _("Both choose while the clocks run.")
        if terms.start is Start.READY
        else _("Once both have chosen, each has %(time)s to confirm.") % seconds,
        _("If either does not choose in time, the match is void.")
        if terms.start is Start.CONFIRM
        else _("If nobody ever chooses, the match is void.")
        if terms.never_started == "void"
        else _("If nobody ever chooses, the match is a draw."),
        _("Whoever drops has %(time)s to come back.") % {"time": span(grace_ms // 1000)}
        if terms.grace
        else _("Whoever drops loses nothing but their own time."),
    ]


def brief(terms: Terms) -> tuple[str, str]:
    """What is looked for, and how it is marked."""
    digits = repeats(terms) if terms.repeats else _("all different")
    marks = _("per position") if terms.feedback is Feedback.POSITIONS else _("totals")
    return f"{length(terms)}, {digits}", marks


def short_line(terms: Terms) -> str:
    """The terms in one line, as the match page wears them."""
    time = span(terms.clock.seconds)
    if terms.clock.kind is ClockKind.MOVE:
        time = _("%(time)s a move") % {"time": time}
    return joined(*brief(terms), time)


def joined(*parts: str) -> str:
    """Parts in one line, which breaks between them, and after commas, only."""
    whole = _BETWEEN.join(part.replace(" ", _HARD) for part in parts)
    return whole.replace(f",{_HARD}", ", ")


def parted(line: str) -> list[str]:
    """What `joined` has joined."""
    return line.split(_BETWEEN)


def code_rule(terms: Terms, *, guess: bool) -> str:
    """What a code looks like here: the answer to one that does not."""
    different = not terms.repeats and not (guess and terms.guesses is GuessRule.FREE)
    n = {"n": terms.length}
    if different:
        return _("A number here is exactly %(n)d digits from 0 to 9, all different.") % n
    return _("A number here is exactly %(n)d digits from 0 to 9.") % n


def terms_rule(field: str) -> str:
    """Which term cannot be as asked."""
    names = {
        "preset": _("preset"),
        "length": _("length"),
        "repeats": _("repeats"),
        "guesses": _("guess rule"),
        "feedback": _("marks"),
        "clock": _("clock"),
        "rated": _("rated"),
    }
    if field not in names:
        return _("These terms name something that is not a term.")
    return _("These terms cannot be played: %(term)s is not one of the values offered.") % {
        "term": names[field]
    }


def outage(ms: int) -> str:
    """What is said of a time in which the service was down."""
    return _("Back after %(n)d s: the clocks were stopped.") % {"n": round(ms / 1000)}


def spoken(code: str) -> str:
    """A code as it is read out, digit by digit."""
    return " ".join(code)


def guess_sentence(terms: Terms, guess: GuessSight) -> str:
    """One row read out: *Guess 3, 4 3 2 1 1: exact 1, present 4*; where places are told, then digit by digit."""
    counted = guess_counted(terms, guess)
    if guess.marks is None:
        return counted
    marks = ", ".join(
        f"{digit} {mark_word(mark)}" for digit, mark in zip(guess.code, guess.marks, strict=True)
    )
    return f"{counted} {marks}."


def guess_counted(terms: Terms, guess: GuessSight) -> str:
    """One row as its two numbers, in the words of the terms."""
    numbers = {
        "n": guess.n,
        "code": spoken(guess.code),
        "exact": guess.exact,
        "present": guess.present,
        "found": guess.exact + guess.present,
    }
    if terms.totals is Totals.FOUND_IN_PLACE:
        return _("Guess %(n)d, %(code)s: found %(found)d, in place %(exact)d.") % numbers
    if terms.feedback is Feedback.TOTALS:
        return _("Guess %(n)d, %(code)s: exact %(exact)d, misplaced %(present)d.") % numbers
    return _("Guess %(n)d, %(code)s: exact %(exact)d, present %(present)d.") % numbers


def mark_word(mark: str) -> str:
    return {"E": _("exact"), "P": _("present"), "A": _("absent")}[mark]


def headline(sight: Sight, names: tuple[str, str]) -> str:
    """Who won, as a title."""
    result = sight.result
    if result is None or result.outcome == "void":
        return _("Void.")
    if result.winner is None:
        return _("A draw.")
    if sight.you is None:
        return _("%(name)s won.") % {"name": names[result.winner]}
    return _("You won.") if sight.you == result.winner else _("You lost.")


def verdict(sight: Sight, names: tuple[str, str]) -> str:
    """Why it ended as it did, in one sentence, from the viewer's side."""
    result = sight.result
    if result is None:
        return ""
    if result.winner is None:
        return _without_winner(result.outcome, result.reason)
    winner, loser = result.winner, 1 - result.winner
    facts = {
        "winner": names[winner],
        "loser": names[loser],
        "n": len(sight.seats[winner].guesses),
        "clock": clock_text(sight.seats[winner].clock_ms),
    }
    side = "them" if sight.you is None else "won" if sight.you == winner else "lost"
    return _with_winner(sight.terms, result.reason, side) % facts


def _without_winner(outcome: str, reason: str) -> str:
    if reason == Reason.ADJUDICATED:
        return _("A moderator declared the match void: it counts for nobody.")
    if reason == Reason.UNCONFIRMED:
        return _("The match was not confirmed in time: it is void and counts for nobody.")
    if outcome == "draw":
        return _("Nobody chose a number in time: the match is a draw.")
    return _("Nobody chose a number in time: the match is void and counts for nobody.")


def _with_winner(terms: Terms, reason: str, side: str) -> str:
    """A sentence with places for `winner`, `loser`, `n` and `clock`, as the winner, the loser or a watcher reads it."""
    if reason == Reason.BROKEN and side == "won" and terms.clock.kind is ClockKind.BUDGET:
        return _("You found %(loser)s’s number on guess %(n)d, with %(clock)s left on your clock.")
    sentences: dict[str, dict[str, str]] = {
        Reason.BROKEN: {
            "won": _("You found %(loser)s’s number on guess %(n)d."),
            "lost": _("%(winner)s found your number on guess %(n)d."),
            "them": _("%(winner)s found %(loser)s’s number on guess %(n)d."),
        },
        Reason.TIME: {
            "won": _("%(loser)s ran out of time."),
            "lost": _("You ran out of time."),
            "them": _("%(loser)s ran out of time."),
        },
        Reason.RESIGNED: {
            "won": _("%(loser)s resigned."),
            "lost": _("You resigned."),
            "them": _("%(loser)s resigned."),
        },
        Reason.FORFEIT: {
            "won": _("%(loser)s was away for too long."),
            "lost": _("You were away for too long."),
            "them": _("%(loser)s was away for too long."),
        },
        Reason.ADJUDICATED: {
            "won": _("A moderator decided the match for you."),
            "lost": _("A moderator decided the match for %(winner)s."),
            "them": _("A moderator decided the match for %(winner)s."),
        },
    }
    return sentences[reason][side]


def event_sentence(sight: Sight, names: tuple[str, str], kind: str, seat: int | None) -> str:
    """What has just happened, as it is read out once; empty for what needs no saying."""
    name, mine = names[seat] if seat is not None else "", seat is not None and seat == sight.you
    match kind:
        case "guess" if seat is not None:
            row = guess_sentence(sight.terms, sight.seats[seat].guesses[-1])
            whose = row if mine else _("%(name)s: %(row)s") % {"name": name, "row": row}
            return f"{whose} {turn_sentence(sight, names)}".strip()
        case "ready":
            return (
                _("You chose your number.") if mine else _("%(name)s has chosen a number.") % {"name": name}
            )
        case "confirmed":
            return _("You confirmed.") if mine else _("%(name)s has confirmed.") % {"name": name}
        case "rematch" if sight.you is not None and sight.rematch is None and sight.offered_by is not None:
            mine = sight.offered_by == sight.you
            return _("You offer a rematch.") if mine else offers_rematch(names[sight.offered_by])
        case _:
            return ""


def offers_rematch(name: str) -> str:
    return _("%(name)s offers a rematch.") % {"name": name}


def phrases() -> dict[int, str]:
    """All that can be said to the other player, by the numbers they go by."""
    return {
        1: _("Hello!"),
        2: _("Good luck!"),
        3: _("Well played!"),
        4: _("So close!"),
        5: _("One moment, please."),
        6: _("Thanks for the match!"),
    }


def phrase_sentence(phrase: int, speaker: str) -> str:
    return _("%(name)s: “%(phrase)s”") % {"name": speaker, "phrase": phrases()[phrase]}


def looking_back(moment: Moment, names: tuple[str, str]) -> str:
    """What had just happened, when a match is stepped through after its end."""
    sight, seat = moment.sight, moment.seat
    mine = seat is not None and seat == sight.you
    name = {"name": names[seat] if seat is not None else ""}
    match moment.kind:
        case "created":
            return _("The match begins: each chooses a number.")
        case "ready":
            return _("You chose your number.") if mine else _("%(name)s chose a number.") % name
        case "confirmed":
            return _("You confirmed.") if mine else _("%(name)s confirmed.") % name
        case "started":
            return f"{_('Play begins.')} {turn_sentence(sight, names)}"
        case "guess" if seat is not None:
            row = guess_counted(sight.terms, sight.seats[seat].guesses[-1])
            return row if mine else _("%(name)s: %(row)s") % {**name, "row": row}
        case _:
            return standing(sight, names)


def standing(sight: Sight, names: tuple[str, str]) -> str:
    """How the match stands, in one or two sentences."""
    match sight.status:
        case Status.OVER:
            return f"{headline(sight, names)} {verdict(sight, names)}"
        case Status.PLAYING:
            return turn_sentence(sight, names)
        case Status.CONFIRMING:
            return _("Both numbers are chosen: confirm to begin.")
        case _:
            return ""


def turn_sentence(sight: Sight, names: tuple[str, str]) -> str:
    if sight.turn is None:
        return ""
    return _("Your turn.") if sight.turn == sight.you else _("%(name)s’s turn.") % {"name": names[sight.turn]}
