"""Files of counters: each web process has three, which prometheus_client maps into memory."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from pathlib import Path

from chains.files.folder_lock import make_folder

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Must be set before prometheus_client is imported: then a process counts into files."""
FOLDER = "metrics"
SIZES = {"counter": 1 << 20, "histogram": 1 << 18, "gauge_livesum": 1 << 16}
"""Twice the size that the bounded series of request_counters need."""

log = logging.getLogger("curlew")


def begin_counts(data: Path) -> Path:
    """Create an empty folder for the files of counters, and make this process and its forks use it."""
    folder = data / FOLDER
    make_folder(folder)
    for file in folder.glob("*.db"):
        file.unlink(missing_ok=True)
    os.environ[VARIABLE] = str(folder)
    return folder


def take_room(folder: Path) -> bool:
    """Allocate this process's files; return whether there was space.

    Without allocation, the first count on a full disk would kill a process that has mapped its file.
    """
    try:
        for kind, size in SIZES.items():
            place = folder / f"{kind}_{os.getpid()}.db"
            _inherit(folder, kind, place)
            file = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.posix_fallocate(file, 0, size)
            finally:
                os.close(file)
    except OSError as error:
        log.warning("requests are not counted by this process, for want of room: %s", error.strerror)
        return False
    return True


def _inherit(folder: Path, kind: str, place: Path) -> None:
    """Take over the file of a process that ended, so that the number of files does not grow."""
    for left in folder.glob(f"{kind}_*.db"):
        if not _lives(int(left.stem.removeprefix(f"{kind}_"))):
            with suppress(FileNotFoundError):  # another process was faster
                left.rename(place)
                return


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
