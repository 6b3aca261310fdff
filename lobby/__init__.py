"""Lobby: how two players meet. Invitations by link, and the pages around them."""
