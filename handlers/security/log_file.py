"""The file of the security log: whole lines, from all processes, even after the file was moved."""

from __future__ import annotations

import logging
import os
import stat
import threading
from pathlib import Path

from chains.files.keeper import keeper_of

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
            raise OSError(0, f"{self._path} is no plain file")
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
