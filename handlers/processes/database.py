"""The database of this installation with its bell, which every process opens."""

from __future__ import annotations

from datetime import UTC, datetime

from chains.files.keeper import keeper_of
from handlers.settings import Settings
from storage.database.database import Database
from vfs.errors import Unavailable


class WallClock:
    """The time of this machine."""

    def now(self) -> datetime:
        """The present moment, aware, UTC."""
        return datetime.now(UTC)


def open_database(settings: Settings) -> Database:
    """The database with the schema of this release."""
    try:
        with keeper_of(settings.folder).acting():
            settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            mode = settings.folder.stat().st_mode
            if mode & 0o066:
                # Passing through stays as it is: Podman opens the way for steps, and one may begin right now.
                settings.folder.chmod(mode & 0o711)
    except OSError as error:
        raise Unavailable(f"the data folder {settings.folder} is of no use: {error.strerror}") from error
    database = Database(settings.database, synchronous=settings.synchronous, pool=settings.pool)
    database.migrate()
    return database
