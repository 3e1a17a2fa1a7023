"""The security log of a process: events become lines, and floods of refusals one line a minute."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from handlers.security.log_file import LogFile
from handlers.security.log_lines import OK, SecurityLine
from handlers.security.notes import RequestNotes
from handlers.settings.settings import Settings
from vfs.ports.clock import Clock, stamp

STREAM, NONE = "stderr", "none"
EACH = 20
WINDOW = timedelta(minutes=1)
MOST_SOURCES = 1000

Write = Callable[[bytes], object]
Source = tuple[str, str | None]


class SecurityLog:
    """Writes events. Of each refused event, 20 a minute from one address are written.

    The others are counted, and reported in one line after the minute.
    """

    def __init__(self, write: Write, clock: Clock, close: Callable[[], None] = lambda: None) -> None:
        self._write = write
        self._clock = clock
        self._close = close
        self._receive: Callable[[SecurityLine], object] = lambda event_line: None
        self._lock = threading.Lock()
        self._began: datetime | None = None
        self._counts: dict[Source, tuple[int, SecurityLine]] = {}

    def listen(self, receive: Callable[[SecurityLine], object]) -> None:
        """Call `receive` for every event, also for those that are not written."""
        self._receive = receive

    def record(self, event_line: SecurityLine, notes: RequestNotes | None = None) -> None:
        """Write an event, with these notes about its request; never raises."""
        if notes is not None:
            request, address, client = notes.request, notes.address, notes.client
            event_line = replace(event_line, request=request, address=address, client=client)
        self._receive(event_line)
        now = self._clock.now()
        if event_line.outcome != OK and self._is_folded(event_line, now):
            return
        self._write(event_line.line(stamp(now)))

    def close(self) -> None:
        """Write the counts, and close the file."""
        self._write_folded(self._clock.now())
        self._close()

    def _is_folded(self, event_line: SecurityLine, now: datetime) -> bool:
        if self._began is None or not self._began <= now < self._began + WINDOW:
            self._write_folded(now)
        source: Source = (event_line.event, event_line.address)
        with self._lock:
            if source not in self._counts and len(self._counts) >= MOST_SOURCES:
                source, event_line = (event_line.event, None), replace(event_line, address=None)
            count, _ = self._counts.get(source, (0, event_line))
            self._counts[source] = (count + 1, event_line)
        if count == EACH:
            timer = threading.Timer(WINDOW.total_seconds(), lambda: self._write_folded(self._clock.now()))
            timer.daemon = True
            timer.start()
        return count >= EACH

    def _write_folded(self, now: datetime) -> None:
        with self._lock:
            counts, self._counts, self._began = self._counts, {}, now
        for count, last in counts.values():
            if count > EACH:
                repeated = SecurityLine(last.event, last.outcome, address=last.address, why="the same again")
                self._write(replace(repeated, folded=count - EACH).line(stamp(now)))


def log_target(settings: Settings) -> str:
    """Return the target of the log: the path of its file, `stderr` or `none`."""
    return settings.security_log or str(settings.folder / "security.log")


def open_log(settings: Settings, clock: Clock, stream: Write) -> SecurityLog:
    """Return the security log at the configured target; `stream` writes to standard error."""
    target = log_target(settings)
    if target in (STREAM, NONE):
        return SecurityLog(stream if target == STREAM else _drop, clock)
    file = LogFile(Path(target))
    return SecurityLog(file, clock, file.close)


def _drop(line: bytes) -> None:
    """Write nothing."""
