"""The security log of a process: a line of a file for each event, one a minute for repeated refusals."""

from __future__ import annotations

import logging
import os
import stat
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from chains.files.keeper import keeper_of
from handlers.security.events import TOKEN_FIRST_USED
from handlers.security.log_lines import OK, RequestNotes, SecurityLine
from handlers.settings.settings import Settings
from vfs.access import Via
from vfs.ports.clock import Clock, stamp
from vfs.ports.people import Token

log = logging.getLogger("curlew")

SYNC_SECONDS = 1.0
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class LogFile:
    """Appends lines to a file, each by one system call, so that lines of several processes never mix.

    A written line survives the end of the process, and after a second, when a thread has synced it, a power
    cut. After a file was moved away, the next line makes a new one. Root writes as the account that owns the
    folder. The service's own log reports lines that cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._file = -1
        self._is_due = False
        self._is_torn = False

    def __call__(self, line: bytes) -> None:
        with self._lock:
            try:
                self._append(line)
            except OSError as error:
                log.error("a line of the security log is lost (%s): %s", error.strerror, line.decode())

    def close(self) -> None:
        """Sync what was written, and close the file."""
        with self._lock:
            if self._file >= 0:
                os.fdatasync(self._file)
                os.close(self._file)
                self._file = -1

    def _append(self, line: bytes) -> None:
        file = self._open()
        if self._is_torn:
            line = b"\n" + line
        written = os.write(file, line)
        self._is_torn = written < len(line)
        if not self._is_due:
            self._is_due = True
            timer = threading.Timer(SYNC_SECONDS, self._sync)
            timer.daemon = True
            timer.start()

    def _open(self) -> int:
        """Open the file that is at the path now."""
        if self._file >= 0:
            mine = os.fstat(self._file)
            try:
                there = os.stat(self._path, follow_symlinks=False)
            except FileNotFoundError:
                there = None
            if there is not None and (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino):
                return self._file
            os.close(self._file)
            self._file = -1
        with keeper_of(self._path.parent).acting():
            file = os.open(self._path, _FLAGS, 0o600)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise OSError(0, f"{self._path} is not a regular file")
        self._file = file
        return file

    def _sync(self) -> None:
        with self._lock:
            self._is_due = False
            try:
                if self._file >= 0:
                    os.fdatasync(self._file)
            except OSError as error:
                log.error("the security log could not be synced: %s", error.strerror)


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


MOST = 10_000


class FirstUses:
    """Records uses of tokens that were never used before.

    Uses are written to the database seconds later; until then the recorded ones are remembered here.
    """

    def __init__(self, log: SecurityLog) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._known: set[int] = set()

    def note(self, token: Token, request: RequestNotes) -> None:
        """Record the use of a token if it is its first; sessions begin with a sign-in and are left out."""
        if token.last_used_on is not None or token.via is not Via.TOKEN or token.id in self._known:
            return
        with self._lock:
            if token.id in self._known:
                return
            if len(self._known) >= MOST:
                self._known.clear()
            self._known.add(token.id)
        self._log.record(
            SecurityLine(TOKEN_FIRST_USED.name, actor=token.user, via=token.via, target=token.name), request
        )
