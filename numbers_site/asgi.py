"""One door for requests and sockets."""

import os

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "numbers_site.settings")
pages = get_asgi_application()

from numbers_site.routing import websockets  # noqa: E402  consumers import models: the apps must be ready first
from players.sockets import CallerMiddleware  # noqa: E402

application = ProtocolTypeRouter({"http": pages, "websocket": CallerMiddleware(websockets)})
