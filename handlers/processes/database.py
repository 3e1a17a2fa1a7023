"""The database of this installation with its bell, which every process opens."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from chains.files.keeper import keeper_of
from handlers.settings.settings import Settings
from storage.database.copies import copy_database
from storage.database.database import Database
from storage.upkeep.installation_mark import MarkedFolder, require_own
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
    database = _as_it_is(settings)
    database.migrate()
    return database


def open_own_database(settings: Settings) -> Database:
    """The database with the schema of this release, which belongs to the data folder. Raises Conflict."""
    database = open_database(settings)
    try:
        require_own(database, settings.database_shown, marked_folders(settings))
    except BaseException:
        database.close()
        raise
    return database


def marked_folders(settings: Settings) -> Sequence[MarkedFolder]:
    """The folders that belong to the database."""
    found = [MarkedFolder(settings.folder, "data folder", may_join=settings.has_several_hosts)]
    return (
        [*found, MarkedFolder(settings.repos, "folder of repositories")] if settings.repos_folder else found
    )


def migrate(settings: Settings, *, copies: bool) -> Path | None:
    """Bring the schema up to date; where an older release wrote it, its copy if `copies` are wanted.

    Raises Unavailable where it cannot be copied, and then changes nothing.
    """
    database, copy = _as_it_is(settings), None
    try:
        if copies and database.lacking():
            moment = WallClock().now().strftime("%Y%m%dT%H%M%SZ")
            copy = copy_database(settings.database, settings.folder / "copies", moment)
        database.migrate()
    finally:
        database.close()
    return copy


def _as_it_is(settings: Settings) -> Database:
    """The database with whatever schema it has."""
    make_data_folder(settings.folder)
    return Database(settings.database, synchronous=settings.synchronous, pool=settings.pool)
