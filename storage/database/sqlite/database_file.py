"""The file of an SQLite database: whether it is still the same one."""

from __future__ import annotations

import logging
import os

from vfs.errors import Unavailable

_log = logging.getLogger(__name__)

GONE = (
    "The database of this server is not where it was, so nothing is read or stored: its operator has to put "
    "the file back, or, to use another one, start the service again."
)


class KnownFile:
    """Remembers the device and inode of a path, for a process and its forked children.

    After a database file is moved or replaced, open connections would still write to the old file, and new
    ones would create an empty file under its name.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._mark: tuple[int, int] | None = None
        self._is_logged = False

    def require(self) -> None:
        """Raise Unavailable when the file is gone or was replaced by another one."""
        try:
            found = os.stat(self._path)
        except OSError:
            mark = None
        else:
            mark = found.st_dev, found.st_ino
        if self._mark is None:
            self._mark = mark  # when there never was a file, SQLite reports what is wrong with its folder
        elif mark != self._mark:
            self._refuse(is_gone=mark is None)
        else:
            self._is_logged = False

    def _refuse(self, *, is_gone: bool) -> None:
        if not self._is_logged:
            self._is_logged = True
            what = "is gone" if is_gone else "is another file than the one that was opened"
            _log.error("the database %s %s: nothing is read or stored until it is back", self._path, what)
        raise Unavailable(GONE, retry_after=10)
