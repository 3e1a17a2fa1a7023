"""The database of this installation with its bell, which every process opens."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

from chains.files.keeper import keeper_of
from handlers.settings.settings import Settings
from storage.database.database import Database
from vfs.errors import Unavailable

OTHER = "--data DIR chooses another"


class WallClock:
    """The time of this machine."""

    def now(self) -> datetime:
        """The present moment, aware, UTC."""
        return datetime.now(UTC)


def make_data_folder(folder: Path) -> None:
    """Have the data folder, closed to others. Raises Unavailable unless it can be written."""
    try:
        with keeper_of(folder).acting():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            mode = folder.stat().st_mode
            if mode & 0o066:
                # Passing through stays as it is: Podman opens the way for steps, and one may begin right now.
                folder.chmod(mode & 0o711)
    except FileExistsError:
        raise Unavailable(f"the data folder {folder} cannot be used: it is a file; {OTHER}") from None
    except OSError as error:
        raise Unavailable(f"the data folder {folder} cannot be used: {error.strerror}; {OTHER}") from error


def open_database(settings: Settings) -> Database:
    """The database with the schema of this release."""
    make_data_folder(settings.folder)
    database = Database(settings.database, synchronous=settings.synchronous, pool=settings.pool)
    database.migrate()
    return database
