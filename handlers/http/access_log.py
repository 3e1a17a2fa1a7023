"""The access log: one JSON line a request, without bodies, queries and credentials."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from datetime import UTC, datetime

import orjson

from vfs.ports.world import stamp

Write = Callable[[bytes], object]

STDERR = 2


def wall_clock() -> datetime:
    """The present moment, UTC."""
    return datetime.now(UTC)


class AccessLog:
    """Writes one line a request as soon as its answer is known; lines of several workers do not mix."""

    def __init__(self, write: Write | None = None, now: Callable[[], datetime] = wall_clock) -> None:
        self._write = write or into(STDERR)
        self._now = now

    def line(  # noqa: PLR0913
        self,
        *,
        request: str,
        method: str,
        path: str,
        status: int,
        seconds: float,
        size: int | None,
        user: str | None = None,
        address: str = "",
        client: str = "",
    ) -> None:
        """Write the line of one request; `seconds` run from its head to its answer, `size` is in bytes."""
        entry = {
            "time": stamp(self._now()),
            "level": "info" if status < 500 else "error",
            "request_id": request,
            "user": user,
            "method": method,
            "path": path,
            "status": status,
            "ms": round(seconds * 1000, 2),
            "bytes": size,
            "address": address,
            "client": client,
        }
        # A log that cannot be written, on a full disk, is no reason to refuse what can be answered.
        with contextlib.suppress(OSError):
            self._write(orjson.dumps(entry, None, orjson.OPT_APPEND_NEWLINE))


def into(file: int) -> Write:
    """A writer that gives each line to an open file in one call."""
    return lambda line: os.write(file, line)


def nowhere(line: bytes) -> None:
    """A writer that keeps nothing."""
