"""Retries while a part of the service is unavailable, such as a database that restarts."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from vfs.errors import Unavailable

T = TypeVar("T")

SECONDS = 30.0
RETRY_SECONDS = 0.5

_log = logging.getLogger(__name__)


class Patience:
    """Retries of calls that raise Unavailable, for some time, until the event `over` is set."""

    def __init__(self, over: threading.Event) -> None:
        self._over = over

    def __call__(self, act: Callable[[], T], seconds: float = SECONDS) -> T:
        """Call `act`, and repeat it for `seconds` while it raises Unavailable. Return its result or raise."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return act()
            except Unavailable as error:
                if time.monotonic() > deadline or self._over.is_set():
                    raise
                _log.info("a run waits: %s", error.detail)
            self._over.wait(RETRY_SECONDS)
