"""The site's own settings, on a channel layer that cannot be relied on."""

from numbers_site.settings import *  # noqa: F403
from numbers_site.settings import CHANNEL_LAYERS, DATA

CHANNEL_LAYERS["default"] = {
    "BACKEND": "tests.faults.leaky.LeakyChannelLayer",
    "CONFIG": {"lost": DATA / "lost", "share": 0.3},
}
