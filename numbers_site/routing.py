"""Which consumer answers which socket; an address that is none of ours is turned away."""

from channels.routing import URLRouter
from channels.security.websocket import WebsocketDenier
from django.urls import re_path

from lobby.urls import websockets as lobby
from matches.urls import websockets as matches
from tournaments.urls import websockets as tournaments

websockets = URLRouter([*matches, *lobby, *tournaments, re_path(r"", WebsocketDenier.as_asgi())])
