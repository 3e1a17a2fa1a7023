"""Limits of time, output and mounts, compared with what a container has used."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from chains.engine.port import MOUNT_SLACK, Cause, Limits, Mount
from chains.podman.mount_folders import measure

MEASURED_EVERY = 1.0
WORK_TO_REST = 4
"""Seconds without measuring for each that it takes: a million files are looked at more rarely."""

WHOLE = 1 << 62


@dataclass(frozen=True, slots=True)
class Excess:
    """The limit that was exceeded; `mount` is where the container sees the folder that grew too far."""

    cause: Cause
    mount: str = ""


class LimitCheck:
    """The `limits` of a container that writes into the folder `output` and into `mounts`.

    It is made before the container's code runs: mounts may grow by as much as they say from what they hold
    then.
    """

    def __init__(self, limits: Limits, output: Path, mounts: Iterable[Mount] = ()) -> None:
        self._limits = limits
        self._output = output
        self._mounts = [
            (mount, measure(mount.source, WHOLE) + mount.growth + MOUNT_SLACK)
            for mount in mounts
            if mount.writable and mount.growth is not None
        ]
        self._due = time.monotonic() + MEASURED_EVERY

    def find_excess(self, started: float) -> Excess | None:
        """The limit that is exceeded, folders looked at rarely; `started` is 0 before the command runs."""
        limits, now = self._limits, time.monotonic()
        if now >= self._due:
            excess = self._find_full()
            took = time.monotonic() - now
            self._due = now + took + max(MEASURED_EVERY, WORK_TO_REST * took)
            if excess is not None:
                return excess
        return Excess(Cause.TIME) if started and now - started >= limits.seconds else None

    def find_spent(self, *, failed: bool) -> Excess | None:
        """The folder into which a container that ended wrote more than it may.

        One that `failed` with all in /output that it may leave there counts as well: a program that ignores
        SIGXFSZ ends in its own way after a file has reached the greatest size.
        """
        limit = self._limits.output
        written = measure(self._output, limit + (1 << 30))
        if written > limit or (failed and written >= limit):
            return Excess(Cause.OUTPUT)
        return self._find_full_mount()

    def _find_full(self) -> Excess | None:
        if measure(self._output, self._limits.output) > self._limits.output:
            return Excess(Cause.OUTPUT)
        return self._find_full_mount()

    def _find_full_mount(self) -> Excess | None:
        for mount, most in self._mounts:
            if measure(mount.source, most) > most:
                return Excess(Cause.MOUNT, mount.target)
        return None
