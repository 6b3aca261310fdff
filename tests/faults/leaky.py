"""A channel layer that loses messages, and does other things that a layer may do."""

import asyncio
import random
from pathlib import Path
from typing import Any

from numbers_site.layer import EmbeddedChannelLayer, Message

LATE_SECONDS = 0.3


class LeakyChannelLayer(EmbeddedChannelLayer):
    """Of what a socket should get, `share` is lost, each with a byte in the file `lost`; more comes twice or late."""

    def __init__(self, lost: Path, share: float, **options: Any) -> None:
        super().__init__(**options)
        self.lost, self.share = lost, share

    def _put(self, channels: list[str], message: Message) -> None:
        for channel in channels:
            fate = random.random()
            if fate < self.share:
                with self.lost.open("a") as file:
                    file.write(".")
            elif fate < self.share + 0.1:
                super()._put([channel, channel], message)
            elif fate < self.share + 0.2:
                asyncio.get_running_loop().call_later(LATE_SECONDS, super()._put, [channel], message)
            else:
                super()._put([channel], message)
