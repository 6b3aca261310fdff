"""What an invitation's token looks like in an address, and the whole address to send."""

from django.http import HttpRequest
from django.urls import register_converter, reverse
from django.urls.converters import StringConverter


class InvitationToken(StringConverter):
    name = "invitation"
    regex = r"[0-9A-Za-z_-]{22}"


register_converter(InvitationToken, InvitationToken.name)


def invitation_url(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("invitation", args=[token]))
