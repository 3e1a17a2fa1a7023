"""Limits of time and output, compared with what a container has used."""

from __future__ import annotations

import time
from pathlib import Path

from chains.engine.port import Cause, Limits
from chains.podman.mount_folders import measure

MEASURED_EVERY = 1.0


class LimitCheck:
    """The `limits` of a container that writes into the folder `output`."""

    def __init__(self, limits: Limits, output: Path) -> None:
        self._limits = limits
        self._output = output
        self._measured = time.monotonic()

    def find_excess(self, started: float) -> Cause | None:
        """The limit that is exceeded now, output looked at rarely; `started` is 0 before the command runs."""
        limits, now = self._limits, time.monotonic()
        if now - self._measured >= MEASURED_EVERY:
            size = measure(self._output, limits.output)
            self._measured = time.monotonic()
            if size > limits.output:
                return Cause.OUTPUT
        return Cause.TIME if started and now - started >= limits.seconds else None

    def is_output_spent(self, *, failed: bool) -> bool:
        """Whether a container that ended wrote more than it may, or `failed` with all that it may.

        A program that ignores SIGXFSZ ends in its own way after a file has reached the greatest size.
        """
        limit = self._limits.output
        written = measure(self._output, limit + (1 << 30))
        return written > limit or (failed and written >= limit)
