"""Keeping of the disk: the reserve is given up and taken again, and while it is full room is made sooner."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import timedelta

from vfs.errors import VfsError
from vfs.ports.disk import DiskSpace

SOON = timedelta(minutes=10)
"""Time for which bytes that nobody names stay on a full disk: a writer may be on its way to name them."""

LOOK_SECONDS = 5.0
SWEEP_SECONDS = 60.0

log = logging.getLogger("curlew")


class DiskKeeper:
    """Looks after the `disk`; `sweep` removes what nobody names and nobody added within a time."""

    def __init__(
        self, disk: DiskSpace, sweep: Callable[[timedelta], object], every: float = LOOK_SECONDS
    ) -> None:
        self._disk = disk
        self._sweep = sweep
        self._every = every
        self._over = threading.Event()
        self._swept = -SWEEP_SECONDS

    def loop(self) -> None:
        """Look at the disk until `stop` is called."""
        while not self._over.wait(self._every):
            self.look()

    def stop(self) -> None:
        """End the loop soon."""
        self._over.set()

    def look(self) -> None:
        """Have the reserve given up or taken, and make room on a full disk, once a minute at most."""
        if not self._disk.room().is_full or time.monotonic() - self._swept < SWEEP_SECONDS:
            return
        self._swept = time.monotonic()
        try:
            self._sweep(SOON)
        except VfsError as error:
            log.warning("room could not be made on the disk: %s", error.detail)
        except Exception:
            log.exception("room could not be made on the disk")
        self._disk.room()
