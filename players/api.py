"""The public interface's part on players."""

from django.http import HttpRequest
from ninja import Router, Schema, Status

from players import limits
from players.services import issue_token, welcome_guest

router = Router(tags=["players"])


class GuestOut(Schema):
    name: str
    token: str


@router.post("/guest", response={201: GuestOut}, auth=None, summary="Become a guest")
def become_guest(request: HttpRequest) -> Status[GuestOut]:
    """A guest and its token. Asks for neither token nor CSRF."""
    limits.spend(request, "guest")
    guest = welcome_guest()
    return Status(201, GuestOut(name=guest.username, token=issue_token(guest)))
