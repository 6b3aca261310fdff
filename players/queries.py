"""Questions about players. Read only."""

from players.models import Session, Tie, User

PAGE = 25


def called(name: str) -> User | None:
    """The player of this name, however it is spelt."""
    try:
        return User.objects.get_by_natural_key(name)
    except User.DoesNotExist:
        return None


def ties_between(player: User, other: User) -> frozenset[str]:
    """`block`, `mute`: what `player` has said of `other`."""
    return frozenset(Tie.objects.filter(player=player, other=other).values_list("kind", flat=True))


def ties_of(player: User, before: int | None) -> list[Tie]:
    """Whom a player has blocked or muted, the latest first; of what is older than `before`, a page and one more."""
    ties = Tie.objects.filter(player=player).select_related("other").order_by("-pk")
    return list((ties if before is None else ties.filter(pk__lt=before))[: PAGE + 1])


def sessions_of(player: User, now: object) -> list[Session]:
    """Where a player is signed in, the latest seen first, as many as a page shows."""
    return list(Session.objects.filter(user=player, expire_date__gt=now).order_by("-seen_at", "pk")[:PAGE])
