"""Tests that run side by side: each worker keeps its channel layer, cache and broker in a Redis database of its own.

Loaded before the settings are.
"""

import os
import re

worker = re.search(r"\d+$", os.environ.get("PYTEST_XDIST_WORKER", ""))
redis = re.fullmatch(r"(.*/)(\d+)", os.environ.get("REDIS_URL", ""))
if worker and redis:
    os.environ["REDIS_URL"] = f"{redis[1]}{int(redis[2]) - 1 - int(worker[0])}"
