"""The verbs of the lobby: open, withdraw and take a seek; challenge a player and answer; invite by link.

Whoever enters a match leaves the lobby: all open seeks of both players are locked, in one order, before either's is
decided on, so that no seek is taken twice and nobody is drawn into two matches at once.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bots import services as bots
from bots.core.levels import Level
from lobby import queries
from lobby.core.fit import best_first
from lobby.models import Challenge, Invitation, Seek
from matches import codec
from matches.core.terms import Terms
from matches.models import Match, Seat
from matches.services import create_match
from players import audit
from players.looking import nudge
from players.models import User
from players.moderation import check_may_moderate
from players.problems import Problem
from players.services import blocked

GROUP = "lobby"
REMOVED = audit.act("offer.removed", gettext_lazy("offer removed"))
GONE_AFTER = timedelta(seconds=13)
"""How long a page's seek outlives its owner's last page: with the sweep and the look of every process, 15 s at most."""
LASTS = timedelta(minutes=10)
"""How long a seek made with a token, and a challenge, wait for an answer."""
GOOD_FOR = timedelta(hours=24)
MOST_SEEKS = 5
KEPT = timedelta(days=1)
"""How long what is closed stays, so that whoever comes late hears why."""


# Seeks


def open_seek(owner: User, terms: Terms, *, lasting: bool) -> Seek:
    """Offer a match on these terms to whoever comes. Asked again on the same terms, it is the same seek.

    Raises `Problem` full.
    """
    asked = codec.terms_to_json(terms)
    expires_at = timezone.now() + (LASTS if lasting else GONE_AFTER)
    with transaction.atomic():
        _lock_player(owner)
        mine = Seek.objects.filter(owner=owner, fate=Seek.Fate.OPEN)
        seek = mine.select_for_update().filter(terms=asked).first()
        if seek is not None:
            seek.lasting, seek.expires_at = seek.lasting or lasting, max(seek.expires_at, expires_at)
            seek.save(update_fields=["lasting", "expires_at"])
            return seek
        if mine.count() >= MOST_SEEKS:
            raise Problem("full", _("You have as many open challenges as one player can have."))
        seek = Seek.objects.create(owner=owner, terms=asked, lasting=lasting, expires_at=expires_at)
        transaction.on_commit(announce, robust=True)
        return seek


def withdraw_seek(seek_id: str, owner_id: int | None) -> None:
    """Take a seek back; doing it twice is no fault. Raises `Problem`: not_found, forbidden, taken."""
    with transaction.atomic():
        seek = Seek.objects.select_for_update().filter(pk=seek_id).first()
        if seek is None:
            raise Problem("not_found")
        if seek.owner_id != owner_id:
            raise Problem("forbidden")
        if seek.fate == Seek.Fate.TAKEN:
            raise Problem("taken", _("Somebody has already accepted: the match has begun."))
        _withdraw(Seek.objects.filter(pk=seek.pk))


def accept_seek(seek_id: str, player: User) -> str:
    """Take a seek: the id of the match it makes. Asked again by who took it, the answer is the same.

    Raises `Problem`: not_found, own_seek, blocked, taken, closed.
    """
    owner_id = Seek.objects.filter(pk=seek_id).values_list("owner_id", flat=True).first()
    if owner_id is None:
        raise Problem("not_found")
    with transaction.atomic():
        theirs = _locked(Seek.objects.filter(owner_id__in=(owner_id, player.pk)))
        seek = Seek.objects.select_related("owner").filter(pk=seek_id).first()
        if seek is None:
            raise Problem("not_found")
        if seek.match_id is not None and seek.taken_by_id == player.pk:
            return seek.match_id
        _check_takable(seek, player)
        match = create_match(queries.terms_of(seek), (seek.owner, player), public=True)
        Seek.objects.filter(pk=seek_id).update(fate=Seek.Fate.TAKEN, match=match, taken_by=player)
        _withdraw(theirs)
        transaction.on_commit(announce, robust=True)
        return match.pk


def remove_seek(seek: Seek, by: User | None, reason: str) -> None:
    """Withdraw a player's seek as a moderator, into the log. Raises `Problem`: forbidden, closed."""
    check_may_moderate(by, seek.owner)
    with transaction.atomic():
        found = _locked(Seek.objects.filter(pk=seek.pk))
        if not found.exists():
            raise Problem("closed", _("This challenge is no longer open."))
        _withdraw(found)
        audit.record(by, REMOVED, seek, reason=reason, before={"terms": seek.terms, "player": seek.owner_id})


def remove_challenge(asked: Challenge, by: User | None, reason: str) -> None:
    """Withdraw a player's challenge as a moderator, into the log.

    Raises `Problem`: forbidden, not_found, closed, expired.
    """
    check_may_moderate(by, asked.challenger)
    with transaction.atomic():
        _check_open(_challenge(asked.pk))
        _end(Challenge.objects.filter(pk=asked.pk), Challenge.Fate.WITHDRAWN)
        before = {"terms": asked.terms, "player": asked.challenger_id}
        audit.record(by, REMOVED, asked, reason=reason, before=before)


def check_seek_open(seek_id: str) -> None:
    """Raise `Problem` closed for a seek that nobody can take any more."""
    if not queries.open_seeks().filter(pk=seek_id).exists():
        raise Problem("closed", _("This challenge is no longer open."))


def _check_takable(seek: Seek, player: User) -> None:
    if seek.owner_id == player.pk:
        raise Problem("own_seek", _("This challenge is your own: somebody else has to take it."))
    match seek.fate:
        case Seek.Fate.TAKEN:
            raise Problem("taken", _("Somebody else has just taken this challenge."))
        case Seek.Fate.OPEN if seek.expires_at > timezone.now():
            _check_welcome(player, seek.owner)
        case _:
            raise Problem("closed", _("This challenge is no longer open."))


def play_now(player: User, terms: Terms) -> Match | Seek:
    """Take the open seek that fits best, or open one.

    Two who press at the same instant may each find nothing and open one: so whoever has opened looks once more,
    first for what there is to take, then for whether the own seek has been taken.
    """
    taken = _take_best(player, terms)
    if taken is not None:
        return taken
    seek = open_seek(player, terms, lasting=False)
    return _take_best(player, terms) or Match.objects.filter(seek=seek).first() or seek


def _take_best(player: User, terms: Terms) -> Match | None:
    offers = queries.offers_to(player)
    for seek_id in best_first(terms, player.points, offers):
        with suppress(Problem):  # taken or gone this very moment: the next one
            return Match.objects.get(pk=accept_seek(seek_id, player))
    return None


def renew(owner_ids: Iterable[int]) -> None:
    """These players are there: what they offer on a page stays open."""
    with transaction.atomic():
        seeks = _locked(Seek.objects.filter(owner_id__in=owner_ids, lasting=False))
        seeks.update(expires_at=timezone.now() + GONE_AFTER)


def entered(match_id: str) -> None:
    """A match has begun, wherever: what its players had offered before is withdrawn."""
    begun = Match.objects.filter(pk=match_id).values_list("created_at", flat=True).get()
    players = Seat.objects.filter(match_id=match_id, player__isnull=False).values_list("player_id", flat=True)
    with transaction.atomic():
        _withdraw(_locked(Seek.objects.filter(owner_id__in=players, created_at__lt=begun)))


def _lock_player(player: User) -> None:
    """One offer of this player at a time. Their key stays free: rows that point to it are made meanwhile.

    Raises `Problem` not_signed_in to who has left at this very moment.
    """
    if User.objects.select_for_update(no_key=True).filter(pk=player.pk).first() is None:
        raise Problem("not_signed_in")


def _locked(seeks: QuerySet[Seek]) -> QuerySet[Seek]:
    """Those of them that are open, locked in the one order in which everybody locks several."""
    rows = seeks.filter(fate=Seek.Fate.OPEN).select_for_update().order_by("pk")
    return Seek.objects.filter(pk__in=list(rows.values_list("pk", flat=True)))


def _withdraw(seeks: QuerySet[Seek]) -> None:
    if seeks.filter(fate=Seek.Fate.OPEN).update(fate=Seek.Fate.WITHDRAWN):
        transaction.on_commit(announce, robust=True)


# Challenges


def challenge(challenger: User, opponent: User, terms: Terms) -> Challenge:
    """Ask a player for a match. A new challenge to the same player takes the place of the one still open.

    Raises `Problem`: own_seek, blocked, forbidden (a bot: it is played at once, see `bots`).
    """
    if challenger.pk == opponent.pk:
        raise Problem("own_seek", _("You cannot challenge yourself."))
    if opponent.of_the_house:
        raise Problem("forbidden", _("Bots are played at once, without a challenge."))
    _check_welcome(challenger, opponent)
    with transaction.atomic():
        _lock_player(challenger)
        mine = Challenge.objects.filter(challenger=challenger, fate=Challenge.Fate.OPEN)
        _end(mine.filter(opponent=opponent), Challenge.Fate.WITHDRAWN)
        if mine.count() >= MOST_SEEKS:
            raise Problem("full", _("You have as many open challenges as one player can have."))
        made = Challenge.objects.create(
            challenger=challenger,
            opponent=opponent,
            terms=codec.terms_to_json(terms),
            expires_at=timezone.now() + LASTS,
        )
        transaction.on_commit(announce, robust=True)
        return made


def play_bot(player: User, level: str, terms: Terms) -> Match:
    """Play a bot of ours, which is always there and needs no asking. Raises `Problem` invalid for a level unknown."""
    if level.lower() not in list(Level):
        raise Problem("invalid", _("There are three bots: easy, medium and hard."))
    return bots.challenge(player, Level(level.lower()), terms)


def accept_challenge(challenge_id: str, player: User) -> str:
    """Take up a challenge: the id of its match; asked again, the same. Raises `Problem`: not_found, closed, expired."""
    with transaction.atomic():
        asked = _challenge(challenge_id, opponent=player)
        if asked.match_id is not None:
            return asked.match_id
        _check_open(asked)
        theirs = _locked(Seek.objects.filter(owner_id__in=(asked.challenger_id, player.pk)))
        match = create_match(queries.terms_of(asked), (asked.challenger, player), public=False)
        asked.match, asked.fate, asked.closed_at = match, Challenge.Fate.ACCEPTED, timezone.now()
        asked.save(update_fields=["match", "fate", "closed_at"])
        _withdraw(theirs)
        transaction.on_commit(announce, robust=True)
        return match.pk


def decline_challenge(challenge_id: str, player: User, reason: str) -> None:
    """Say no, with or without a reason; twice is no fault. Raises `Problem`: not_found, invalid, closed, expired."""
    if reason not in Challenge.Reason.values:
        raise Problem("invalid", _("That is not one of the reasons offered."))
    with transaction.atomic():
        asked = _challenge(challenge_id, opponent=player)
        if asked.fate == Challenge.Fate.DECLINED:
            return
        _check_open(asked)
        _end(Challenge.objects.filter(pk=asked.pk), Challenge.Fate.DECLINED, reason)


def withdraw_challenge(challenge_id: str, player: User) -> None:
    """Take a challenge back; twice is no fault. Raises `Problem`: not_found, closed, expired."""
    with transaction.atomic():
        asked = _challenge(challenge_id, challenger=player)
        if asked.fate == Challenge.Fate.WITHDRAWN:
            return
        _check_open(asked)
        _end(Challenge.objects.filter(pk=asked.pk), Challenge.Fate.WITHDRAWN)


def _challenge(challenge_id: str, **whose: User) -> Challenge:
    """The challenge, locked; to anybody but its own two it is not there."""
    rows = Challenge.objects.select_for_update(of=("self",)).select_related("challenger", "opponent")
    found = rows.filter(pk=challenge_id, **whose).first()
    if found is None:
        raise Problem("not_found")
    return found


def _check_open(asked: Challenge) -> None:
    match asked.fate:
        case Challenge.Fate.OPEN if asked.expires_at > timezone.now():
            return
        case Challenge.Fate.OPEN | Challenge.Fate.EXPIRED:
            raise Problem("expired", _("This challenge has expired."))
        case Challenge.Fate.ACCEPTED:
            raise Problem("closed", _("This challenge has been accepted: the match has begun."))
        case Challenge.Fate.WITHDRAWN:
            raise Problem("closed", _("This challenge has been withdrawn."))
        case _:
            raise Problem("closed", _("This challenge has been declined."))


def _end(challenges: QuerySet[Challenge], fate: Challenge.Fate, reason: str = "") -> None:
    if challenges.filter(fate=Challenge.Fate.OPEN).update(fate=fate, reason=reason, closed_at=timezone.now()):
        transaction.on_commit(announce, robust=True)


def _check_welcome(player: User, other: User) -> None:
    """Raise `Problem` blocked if either wants nothing to do with the other."""
    if blocked(player, other):
        raise Problem("blocked")


# Time


def sweep() -> None:
    """Close what nobody is there for any more, and what the listener to new matches has missed."""
    now = timezone.now()
    with transaction.atomic():
        if _locked(Seek.objects.filter(expires_at__lte=now)).update(fate=Seek.Fate.EXPIRED):
            transaction.on_commit(announce, robust=True)
    with transaction.atomic():  # of its own: who accepts a challenge locks it before any seek
        _end(Challenge.objects.filter(fate=Challenge.Fate.OPEN, expires_at__lte=now), Challenge.Fate.EXPIRED)
    for match_id in queries.entered_beside():
        entered(match_id)


def prune() -> None:
    """Forget what has been closed for a day."""
    old = timezone.now() - KEPT
    Seek.objects.filter(created_at__lt=old).exclude(fate=Seek.Fate.OPEN).delete()
    Challenge.objects.filter(closed_at__lt=old).delete()


def announce() -> None:
    """Have every process look at the lobby at once; each looks by itself once a second."""
    nudge(GROUP)


# Invitations by link


def invite(owner: User, terms: Terms) -> Invitation:
    """Make a link on these terms, good for a day and one taker."""
    return Invitation.objects.create(
        owner=owner, terms=codec.terms_to_json(terms), expires_at=timezone.now() + GOOD_FOR
    )


def find(token: str) -> Invitation:
    """The invitation of a link. Raises `Problem` not_found."""
    invitation = Invitation.objects.select_related("owner").filter(pk=token).first()
    if invitation is None:
        raise Problem("not_found")
    return invitation


def accept(token: str, player: User) -> str:
    """Take the link: the id of the match it makes. Asked again by who took it, the answer is the same.

    Raises `Problem`: not_found, own_seek, blocked, taken, closed, expired.
    """
    with transaction.atomic():
        invitation = _locked_link(token)
        if invitation.match_id is not None and invitation.taken_by_id == player.pk:
            return invitation.match_id
        if invitation.owner_id == player.pk:
            raise Problem("own_seek", _("This is your own link: send it to somebody else."))
        check_open(invitation)
        _check_welcome(player, invitation.owner)
        theirs = _locked(Seek.objects.filter(owner_id__in=(invitation.owner_id, player.pk)))
        match = create_match(queries.terms_of(invitation), (invitation.owner, player), public=False)
        invitation.match, invitation.taken_by = match, player
        invitation.save(update_fields=["match", "taken_by"])
        _withdraw(theirs)
        transaction.on_commit(announce, robust=True)
        return match.pk


def withdraw(token: str, owner_id: int | None) -> None:
    """Take the link back. Raises `Problem`: not_found, forbidden, taken."""
    with transaction.atomic():
        invitation = _locked_link(token)
        if invitation.owner_id != owner_id:
            raise Problem("forbidden")
        if invitation.match_id is not None:
            raise Problem("taken", _("Somebody has already accepted: the match has begun."))
        invitation.withdrawn = True
        invitation.save(update_fields=["withdrawn"])


def withdraw_all(player: User) -> None:
    """Take back what could become a match with a player who is about to be gone (R5.7). Called in a transaction.

    Links and challenges before seeks, as who accepts them locks them.
    """
    Invitation.objects.filter(owner=player, match=None).delete()
    _end(Challenge.objects.filter(Q(challenger=player) | Q(opponent=player)), Challenge.Fate.WITHDRAWN)
    _withdraw(_locked(Seek.objects.filter(owner=player)))


def state_of(invitation: Invitation) -> str:
    """`open`, or why it is no more: `taken`, `withdrawn`, `expired`."""
    if invitation.match_id is not None:
        return "taken"
    if invitation.withdrawn:
        return "withdrawn"
    return "expired" if invitation.expires_at <= timezone.now() else "open"


def check_open(invitation: Invitation) -> None:
    """Raise `Problem` taken, closed or expired for a link that leads nowhere any more."""
    match state_of(invitation):
        case "taken":
            raise Problem("taken", _("Somebody else has already used this link."))
        case "withdrawn":
            raise Problem("closed", _("This link has been withdrawn."))
        case "expired":
            raise Problem("expired", _("This link has expired: links are good for 24 hours."))


def _locked_link(token: str) -> Invitation:
    rows = Invitation.objects.select_for_update(of=("self",)).select_related("owner")
    invitation = rows.filter(pk=token).first()
    if invitation is None:
        raise Problem("not_found")
    return invitation
