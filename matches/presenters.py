"""What the match page shows, from a sight: seats, goals, boards, keys, sentences. Knows words, never a state."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from matches import words
from matches.core.codes import DIGITS
from matches.core.machine import SEATS, Limits, Reason, Status
from matches.core.marking import best_marks
from matches.core.sight import GuessSight, Moment, Sight
from matches.core.terms import Feedback, Terms, Totals
from players.names import shown

ROWS = 10
"""Rows a board reserves from the start, so that nothing moves when a guess arrives."""

DELETED = "deleted player"
"""What the API calls a player who is no more; nobody can be called so, since no name has a space."""

_LOOKS = {"E": "exact", "P": "present", "A": "absent"}
_KEYS = DIGITS[1:] + DIGITS[0]


@dataclass(frozen=True, slots=True)
class Face:
    """What a player is called and is, wherever a match shows one."""

    name: str
    kind: str
    points: int

    @property
    def shown(self) -> str:
        """The name as pages show it, in the reader's language."""
        return _("deleted player") if self.name == DELETED else shown(self.name, self.kind)


@dataclass(frozen=True, slots=True)
class Tile:
    """`look` is the component's class: a mark, a count (`loop`, `full`), `hid`, `slot`, `peg`, or plain."""

    text: str
    look: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a board. `tiles` hold the marked digits; under totals `code` is plain and `tiles` are counts."""

    id: str
    n: int
    kind: str  # "guess", "slot" (the next one), "peg" (room)
    code: str
    tiles: tuple[Tile, ...]
    sentence: str
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class SeatView:
    """One player on the page, with the board of their own guesses and the goal they hunt.

    `goal` is the *other* player's number as the viewer may see it: digits, or empty while hidden.
    """

    index: int
    name: str
    kind: str
    you: bool
    near: bool
    say: str
    on: bool
    away: bool
    forfeits_at: int | None
    forfeits_text: str
    ready: bool
    confirmed: bool
    clock: str
    clock_ms: int
    running: bool
    full_ms: int
    low_ms: int
    goal: str
    goal_label: str
    goal_tiles: tuple[Tile, ...]
    board_label: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Key:
    digit: str
    look: str
    label: str


@dataclass(frozen=True, slots=True)
class Seal:
    """The fingerprint of a number that was chosen; once it is over, with what it can be worked out from."""

    label: str
    commitment: str
    salt: str
    code: str


@dataclass(frozen=True, slots=True)
class MatchView:
    """The whole page. `phase` is the status; `near` is the viewer's own seat (a watcher's: the first seat)."""

    id: str
    version: int
    phase: str
    public: bool
    playing: bool  # the viewer holds a seat
    your_turn: bool
    title: str
    calls: bool  # whether the title is news to a player who looks elsewhere
    line: str
    chips: tuple[str, ...]
    small_print: tuple[str, ...]
    length: int
    repeats: bool
    totals: bool
    found_in_place: bool
    code_rule: str
    guess_rule: str
    patient: bool  # nobody sits through it
    n: int  # number of the viewer's next guess
    until: int | None
    until_text: str
    server_time: int
    grace_ms: int
    near: SeatView
    far: SeatView
    keys: tuple[Key, ...]
    seals: tuple[Seal, ...]
    outcome: str  # of the viewer's own, once it is over: "won", "lost", or empty
    headline: str
    verdict: str
    spoken: str  # how the match stands, for who cannot see it
    talks: bool  # the viewer has somebody to say something to
    you_offer: bool
    they_offer: bool
    rematch: str | None
    note: str = ""  # news about the service itself
    watchers: int = 0
    leads_to: str = ""  # where the players of a match without rematch go on

    @property
    def seats(self) -> tuple[SeatView, SeatView]:
        return (self.near, self.far)


def present(
    match_id: str,
    public: bool,
    sight: Sight,
    faces: tuple[Face, Face],
    limits: Limits,
    fresh: int | None = None,
    *,
    news: bool = False,
) -> MatchView:
    """Turn a sight into the page. `fresh` is the seat whose newest row has just been marked; `news` asks of both boards
    only for the rows that this has changed."""
    names = (faces[0].shown, faces[1].shown)
    near = sight.you or 0
    terms, you = sight.terms, sight.you
    over = sight.status == Status.OVER
    both_known = None if not terms.rated else all(face.kind == "human" for face in faces)
    wording = _wording(get_language(), terms, limits, both_known)
    return MatchView(
        id=match_id,
        version=sight.version,
        phase=sight.status,
        public=public,
        playing=you is not None,
        your_turn=you is not None and sight.turn == you,
        title=page_title(sight, names),
        calls=_calls(sight),
        line=wording.line,
        chips=(*wording.chips, *_who_starts(sight, names)),
        small_print=wording.small_print,
        length=terms.length,
        repeats=terms.repeats,
        totals=terms.feedback is Feedback.TOTALS,
        found_in_place=terms.totals is Totals.FOUND_IN_PLACE,
        code_rule=wording.code_rule,
        guess_rule=wording.guess_rule,
        patient=terms.patient,
        n=len(sight.seats[near].guesses) + 1,
        until=sight.until,
        until_text=words.clock_text(max(0, (sight.until or 0) - sight.server_time)),
        server_time=sight.server_time,
        grace_ms=limits.grace_ms,
        near=_seat(sight, near, near, faces, fresh, news=news),
        far=_seat(sight, 1 - near, near, faces, fresh, news=news),
        keys=tuple(keys(terms, sight.seats[near].guesses)),
        seals=tuple(_seals(sight, (near, 1 - near), names)),
        outcome=_outcome(sight),
        headline=words.headline(sight, names) if over else "",
        verdict=words.verdict(sight, names),
        spoken=words.standing(sight, names),
        talks=you is not None and faces[1 - you].kind != "bot" and faces[1 - you].name != DELETED,
        you_offer=sight.offered_by is not None and sight.offered_by == you,
        they_offer=you is not None and sight.offered_by == 1 - you,
        rematch=sight.rematch,
    )


@dataclass(frozen=True, slots=True)
class _Wording:
    """What terms are in words."""

    line: str
    chips: tuple[str, ...]
    small_print: tuple[str, ...]
    code_rule: str
    guess_rule: str


@lru_cache(maxsize=256)
def _wording(language: str | None, terms: Terms, limits: Limits, both_known: bool | None) -> _Wording:
    """Made once for all who play on the same and read the same: a guess changes none of it."""
    return _Wording(
        line=words.short_line(terms),
        chips=tuple(words.chips(terms, both_known)),
        small_print=tuple(words.small_print(terms, limits.grace_ms, limits.confirm_ms)),
        code_rule=words.code_rule(terms, guess=False),
        guess_rule=words.code_rule(terms, guess=True),
    )


@dataclass(frozen=True, slots=True)
class StepsView:
    """Where in a finished match the reader stands, and the versions that the four ways on lead to."""

    n: int
    total: int
    first: int
    previous: int
    next: int
    last: int
    sentence: str


def steps(moment: Moment, names: tuple[str, str]) -> StepsView:
    versions, at = moment.steps, moment.steps.index(moment.sight.version)
    return StepsView(
        n=at + 1,
        total=len(versions),
        first=versions[0],
        previous=versions[max(0, at - 1)],
        next=versions[min(at + 1, len(versions) - 1)],
        last=versions[-1],
        sentence=words.looking_back(moment, names),
    )


def page_title(sight: Sight, names: tuple[str, str]) -> str:
    """The state of the match in two or three words, for the tab."""
    if sight.you is not None and offers(sight, 1 - sight.you):
        return words.offers_rematch(names[1 - sight.you]).rstrip(".")
    if sight.status == Status.OVER:
        return words.headline(sight, names).rstrip(".")
    if sight.status == Status.PLAYING and sight.turn is not None:
        return _turn_line(sight, sight.turn, names[sight.turn])
    if sight.you is None:
        return _("%(first)s against %(second)s") % {"first": names[0], "second": names[1]}
    if sight.status == Status.CONFIRMING:
        return _("Confirm")
    return _("Waiting") if sight.seats[sight.you].ready else _("Choose your number")


def _seals(sight: Sight, order: tuple[int, int], names: tuple[str, str]) -> Iterable[Seal]:
    for index in order:
        seat = sight.seats[index]
        if seat.commitment is not None:
            mine = sight.you == index
            label = _("Your number") if mine else _("%(name)s’s number") % {"name": names[index]}
            revealed = (seat.salt, seat.secret or "") if seat.salt else ("", "")
            yield Seal(label, seat.commitment, *revealed)


def _outcome(sight: Sight) -> str:
    if sight.you is None or sight.result is None or sight.result.winner is None:
        return ""
    return "won" if sight.result.winner == sight.you else "lost"


def offers(sight: Sight, seat: int) -> bool:
    """Whether this seat offers a rematch that has not begun."""
    return sight.offered_by == seat and sight.rematch is None


def _calls(sight: Sight) -> bool:
    """It begins, it ends, or the viewer is asked for something: what is worth a notification."""
    if sight.you is None:
        return False
    begins = sight.status == Status.PLAYING and not any(seat.guesses for seat in sight.seats)
    asked = sight.turn == sight.you or offers(sight, 1 - sight.you)
    return begins or asked or sight.status in (Status.CONFIRMING, Status.OVER)


def _who_starts(sight: Sight, names: tuple[str, str]) -> tuple[str, ...]:
    if sight.you == sight.first:
        return (_("you move first"),)
    return (_("%(name)s moves first") % {"name": names[sight.first]},)


def _seat(
    sight: Sight, index: int, near: int, faces: tuple[Face, Face], fresh: int | None, *, news: bool
) -> SeatView:
    seat, terms, name = sight.seats[index], sight.terms, faces[index].shown
    mine, over = sight.you == index, sight.status == Status.OVER
    hunted = sight.seats[1 - index].secret or ""
    board = _news if news else rows
    return SeatView(
        index=index,
        name=_("You") if mine else name,
        kind=faces[index].kind,
        you=mine,
        near=index == near,
        say=_say(sight, index, name),
        on=not over and (seat.running or (sight.status == Status.CONFIRMING and not seat.confirmed)),
        away=seat.forfeits_at is not None and not mine,
        forfeits_at=seat.forfeits_at,
        forfeits_text=words.clock_text(max(0, (seat.forfeits_at or 0) - sight.server_time)),
        ready=seat.ready,
        confirmed=seat.confirmed,
        clock=words.clock_text(seat.clock_ms),
        clock_ms=seat.clock_ms,
        running=seat.running,
        full_ms=terms.clock.ms,
        low_ms=low_ms(terms),
        goal=hunted,
        goal_label=_goal_label(sight, index, faces),
        goal_tiles=tuple(Tile(digit, "") for digit in hunted) or (Tile("", "hid"),) * terms.length,
        board_label=_("Your guesses") if mine else _("%(name)s’s guesses") % {"name": name},
        rows=tuple(board(terms, index, seat.guesses, slot=_hunts(sight, index), fresh=fresh == index)),
    )


def _hunts(sight: Sight, index: int) -> bool:
    """Whether the next row of this board is marked as the one to come: the mover's."""
    return sight.status == Status.PLAYING and sight.turn == index


def low_ms(terms: Terms) -> int:
    """From when a clock counts as low: a fifth of it, at most half a minute."""
    return min(terms.clock.ms // 5, 30_000)


def _say(sight: Sight, index: int, name: str) -> str:
    seat, mine = sight.seats[index], sight.you == index
    match sight.status:
        case Status.CHOOSING:
            choosing = pgettext("you", "Choosing") if mine else pgettext("the rival", "Choosing")
            return _("Number chosen") if seat.ready else choosing
        case Status.CONFIRMING:
            waits = pgettext("you", "To confirm") if mine else pgettext("the rival", "Not yet")
            return _("Confirmed") if seat.confirmed else waits
        case Status.PLAYING if sight.turn == index:
            return _turn_line(sight, index, name)
        case Status.PLAYING:
            return _("Waiting") if mine else pgettext("the rival", "Waiting")
        case _ if sight.result is None or sight.result.winner is None:
            return _("No winner")
        case _ if sight.result.winner == index:
            return _("You won") if mine else _("Won")
        case _:
            return _("You lost") if mine else _("Lost")


def _turn_line(sight: Sight, turn: int, name: str) -> str:
    return _("Your turn") if sight.you == turn else _("%(name)s’s turn") % {"name": name}


def _goal_label(sight: Sight, index: int, faces: tuple[Face, Face]) -> str:
    hunted = 1 - index
    secret = sight.seats[hunted].secret
    if sight.you == hunted:
        return _("Your number: %(code)s") % {"code": words.spoken(secret)} if secret else _("Your number")
    name = {"name": faces[hunted].shown}
    if secret is None:
        return _("%(name)s’s number, hidden") % name
    return _("%(name)s’s number: %(code)s") % {**name, "code": words.spoken(secret)}


def rows(
    terms: Terms, seat: int, guesses: tuple[GuessSight, ...], *, slot: bool = False, fresh: bool = False
) -> Iterable[Row]:
    """The guesses of a board, then the place for the next, then empty rows up to what a board reserves."""
    for guess in guesses:
        yield guess_row(terms, seat, guess, fresh=fresh and guess.n == len(guesses))
    for n in range(len(guesses) + 1, max(ROWS, len(guesses) + 1) + 1):
        yield _room(terms, seat, n, slot=slot and n == len(guesses) + 1)


def _news(
    terms: Terms, seat: int, guesses: tuple[GuessSight, ...], *, slot: bool, fresh: bool
) -> Iterable[Row]:
    """What a guess changes on a board: its own row, where it was made on this one, and the row to come."""
    if fresh:
        yield guess_row(terms, seat, guesses[-1], fresh=True)
    yield _room(terms, seat, len(guesses) + 1, slot=slot)


def _room(terms: Terms, seat: int, n: int, *, slot: bool) -> Row:
    kind = "slot" if slot else "peg"
    width = terms.length if terms.feedback is Feedback.POSITIONS else 2
    return Row(row_id(seat, n), n, kind, "", (Tile("", kind),) * width, "")


def guess_row(terms: Terms, seat: int, guess: GuessSight, *, fresh: bool = False) -> Row:
    return Row(
        id=row_id(seat, guess.n),
        n=guess.n,
        kind="guess",
        code=guess.code,
        tiles=_marked(guess) if guess.marks is not None else _counted(terms, guess),
        sentence=words.guess_sentence(terms, guess),
        fresh=fresh,
    )


def closing_row(sight: Sight) -> Row | None:
    """The guess that ended a match, turning over; None where something else did. Of two as long as each other, the
    board of who moved second has the later one."""
    if sight.result is None or sight.result.reason != Reason.BROKEN:
        return None
    seat = max(SEATS, key=lambda seat: (len(sight.seats[seat].guesses), seat != sight.first))
    return guess_row(sight.terms, seat, sight.seats[seat].guesses[-1], fresh=True)


def _marked(guess: GuessSight) -> tuple[Tile, ...]:
    return tuple(Tile(digit, _LOOKS[mark]) for digit, mark in zip(guess.code, guess.marks or "", strict=True))


def _counted(terms: Terms, guess: GuessSight) -> tuple[Tile, ...]:
    rolling = guess.present + (guess.exact if terms.totals is Totals.FOUND_IN_PLACE else 0)
    return (Tile(str(rolling), "loop"), Tile(str(guess.exact), "full"))


def row_id(seat: int, n: int) -> str:
    return f"row-{seat}-{n}"


def keys(terms: Terms, guesses: tuple[GuessSight, ...]) -> Iterable[Key]:
    """The keypad, each digit with the best mark its own board has earned it; plain under totals (R3.5)."""
    marked = [(guess.code, guess.marks) for guess in guesses if guess.marks is not None]
    best = best_marks(marked)
    for digit in _KEYS:
        mark = best.get(digit)
        label = f"{digit}, {words.mark_word(mark)}" if mark else digit
        yield Key(digit, _LOOKS[mark] if mark else "", label)
