"""What can go wrong for a caller, each with its word, its HTTP status and a sentence in their language."""

from django.utils.translation import gettext as _

STATUS = {
    "bad_request": 400,
    "not_signed_in": 401,
    "forbidden": 403,
    "suspended": 403,
    "blocked": 403,
    "not_found": 404,
    "out_of_turn": 409,
    "match_over": 409,
    "not_over": 409,
    "already_ready": 409,
    "not_playing": 409,
    "taken": 409,
    "own_seek": 409,
    "full": 409,
    "closed": 409,
    "expired": 410,
    "too_large": 413,
    "bad_terms": 422,
    "bad_code": 422,
    "invalid": 422,
    "too_many": 429,
}


class Problem(Exception):
    """A request that cannot be met; nothing has changed. `detail` replaces the word's own sentence.

    `retry_after` is in how many seconds it can be tried again, where that is known.
    """

    def __init__(self, code: str, detail: str = "", *, retry_after: int | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.status = STATUS[code]
        self.detail = detail or explain(code)
        self.retry_after = retry_after


def explain(code: str) -> str:
    """What a problem's word means, in the active language."""
    sentences = {
        "bad_request": _("This request could not be read."),
        "not_signed_in": _("You are not signed in."),
        "forbidden": _("This is not yours to do."),
        "suspended": _("This account is suspended."),
        "blocked": _("This player does not accept that from you."),
        "not_found": _("There is nothing here."),
        "out_of_turn": _("It is not your turn."),
        "match_over": _("The match is over."),
        "not_over": _("The match is not over yet."),
        "already_ready": _("You have already done that."),
        "not_playing": _("That cannot be done at this point of the match."),
        "taken": _("Somebody else was quicker."),
        "own_seek": _("This is your own."),
        "full": _("It is full."),
        "closed": _("It is closed."),
        "expired": _("It has expired."),
        "too_large": _("That is too large."),
        "bad_terms": _("Those terms cannot be played."),
        "bad_code": _("That is not a number as it is played here."),
        "invalid": _("That value is not possible."),
        "too_many": _("Too many requests: wait a little."),
    }
    return sentences[code]
