"""Locks of git that nobody holds any more: what a git that was killed, or a disk that failed, left behind."""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from pathlib import Path

LOCK = ".lock"
STALE = 300.0
"""Seconds: a git keeps a lock for as long as it writes one small file or the list of packed refs."""

_log = logging.getLogger("curlew")


def drop_stale_locks(repository: Path) -> None:
    """Remove the locks of a bare repository that are older than STALE; no ref is called so.

    Such a lock would keep pushes out until somebody removes it by hand. A clock that was set back lets none
    of them seem old; one that was set forward, those at most that a git takes at this moment.
    """
    before = time.time() - STALE
    for folder, names in _folders(repository):
        for name in names:
            lock = os.path.join(folder, name)
            with suppress(OSError):  # its git was faster
                if os.lstat(lock).st_mtime < before:
                    os.unlink(lock)
                    _log.warning("removed a lock that a git left behind: %s", lock)


def _folders(repository: Path) -> list[tuple[str, list[str]]]:
    """The folders in which git keeps locks of refs and settings, with the names of locks in each."""
    with suppress(OSError):
        top = [(str(repository), os.listdir(repository))]
        below = [(folder, files) for folder, _, files in os.walk(repository / "refs")]
        return [(folder, [name for name in names if name.endswith(LOCK)]) for folder, names in top + below]
    return []
