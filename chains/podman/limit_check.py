"""Compare the time, output and mounts that a container uses with its limits."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from chains.engine.port import MOUNT_SLACK, Cause, Limits, Mount
from chains.files.names import printable
from chains.podman.mount_folders import TooDeep, measure

MEASURED_EVERY = 1.0
WORK_TO_REST = 4
"""Seconds without measuring per second of measuring, so that a million files are measured less often."""

WHOLE = 1 << 62
OUTPUT = "/output"


@dataclass(frozen=True, slots=True)
class Excess:
    """The exceeded limit. `place` is the path in the container that is too large or too deep."""

    cause: Cause
    place: str = ""


class LimitCheck:
    """The `limits` of a container that writes into the folder `output` and into `mounts`.

    Create it before the container's code runs: a mount's limit is its size at that time plus its `growth`.
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
        """Return the exceeded limit, measuring rarely. `started` is 0 before the command runs."""
        limits, now = self._limits, time.monotonic()
        if now >= self._due:
            excess = self._find_full()
            took = time.monotonic() - now
            self._due = now + took + max(MEASURED_EVERY, WORK_TO_REST * took)
            if excess is not None:
                return excess
        return Excess(Cause.TIME) if started and now - started >= limits.seconds else None

    def find_spent(self, *, failed: bool) -> Excess | None:
        """Return the folder in which an ended container exceeded its limit of size or depth.

        With `failed`, an /output that is exactly full counts too: a program that ignores SIGXFSZ ends in its
        own way after a file has reached the maximum size. Excess depth is not the reason of such a failure.
        """
        limit = self._limits.output
        excess = self._find_too_large(limit - 1 if failed else limit, limit + (1 << 30))
        own = failed and excess is not None and excess.cause is Cause.DEPTH
        return None if own else excess

    def _find_full(self) -> Excess | None:
        return self._find_too_large(self._limits.output, self._limits.output)

    def _find_too_large(self, most: int, enough: int) -> Excess | None:
        shown = OUTPUT
        try:
            if measure(self._output, enough) > most:
                return Excess(Cause.OUTPUT)
            for mount, room in self._mounts:
                shown = mount.target
                if measure(mount.source, room) > room:
                    return Excess(Cause.MOUNT, shown)
        except TooDeep as deep:
            return Excess(Cause.DEPTH, f"{shown}/{printable(deep.path)}")
        return None
