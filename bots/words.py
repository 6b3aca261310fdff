"""Skill and luck in words. Only an analysis comes in, and who is spoken of: None is the reader."""

from collections.abc import Sequence

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bots.core.analysis import Board, Step

LUCKY = 0.5
"""So many bits of luck over a whole board are worth a word: the numbers left fewer, or more, by about a third."""


def number(value: float) -> str:
    """As the reader's language writes it; small ones that are not whole with one decimal."""
    decimals = 0 if value >= 10 or value == int(value) else 1
    return str(number_format(round(value, decimals), decimals, force_grouping=True))


def bits(value: float) -> str:
    return str(number_format(round(value, 1) + 0.0, 1))


def score(board: Board) -> str:
    return _("Skill %(score)d of 100.") % {"score": round(100 * (board.skill or 0))}


def skill(board: Board, name: str | None) -> str:
    """How much was asked of what could be."""
    share = board.skill
    if share is None:
        return _("You made no guess.") if name is None else _("%(name)s made no guess.") % {"name": name}
    return _graded(share, yours=name is None) % {"name": name}


def _graded(share: float, *, yours: bool) -> str:
    if share >= 0.95:
        if yours:
            return _("You chose superbly: hardly any other guess would have narrowed the number down faster.")
        return _(
            "%(name)s chose superbly: hardly any other guess would have narrowed the number down faster."
        )
    if share >= 0.8:
        if yours:
            return _("You chose well: most of your guesses told you nearly as much as the best would have.")
        return _("%(name)s chose well: most guesses told nearly as much as the best would have.")
    if share >= 0.6:
        if yours:
            return _(
                "You were on the right track, but other guesses would often have left you fewer numbers."
            )
        return _("%(name)s was on the right track, but other guesses would often have left fewer numbers.")
    if yours:
        return _("Your guesses often asked what you could already know from the marks before.")
    return _("%(name)s’s guesses often asked what the marks before had already told.")


def luck(board: Board, name: str | None) -> str:
    """What the answers added, with the guess on which they did so most."""
    if not board.steps:
        return ""
    if abs(board.luck) < LUCKY:
        return _("Luck hardly mattered.")
    helped = board.luck > 0
    n, step = _most(board.steps, helped=helped)
    whose = _side_of_luck(helped=helped, yours=name is None) % {"name": name, "n": n}
    left = ngettext(
        "It left %(left)s number, where a typical answer leaves %(typical)s.",
        "It left %(left)s numbers, where a typical answer leaves %(typical)s.",
        step.after,
    )
    return f"{whose} {left % {'left': number(step.after), 'typical': number(step.typical)}}"


def _most(steps: Sequence[Step], *, helped: bool) -> tuple[int, Step]:
    luckiest = max if helped else min
    return luckiest(enumerate(steps, start=1), key=lambda numbered: numbered[1].luck)


def _side_of_luck(*, helped: bool, yours: bool) -> str:
    if helped:
        if yours:
            return _("Luck helped you, most on guess %(n)d.")
        return _("Luck helped %(name)s, most on guess %(n)d.")
    if yours:
        return _("Luck was against you, most on guess %(n)d.")
    return _("Luck was against %(name)s, most on guess %(n)d.")


def course(name: str, board: Board) -> str:
    """A line of the chart, read out."""
    facts = {"name": name, "n": len(board.steps), "from": "", "to": ""}
    if board.steps:
        facts |= {"from": number(board.steps[0].before), "to": number(board.steps[-1].after)}
    return (
        ngettext(
            "%(name)s from %(from)s to %(to)s in %(n)d guess",
            "%(name)s from %(from)s to %(to)s in %(n)d guesses",
            len(board.steps),
        )
        % facts
    )
