"""The database of this installation and its change signal, which every process opens."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from chains.files.keeper import keeper_of
from handlers.settings.settings import Settings
from storage.database.copies import copy_database
from storage.database.database import Database
from storage.database.sqlite import file_of
from storage.upkeep.clocks import WallClock, require_clock
from storage.upkeep.installation_mark import MarkedFolder, MarkedPlace, require_own
from storage.upkeep.marked_store import MarkedStore
from vfs.errors import Unavailable

OTHER = "--data DIR chooses another"
HELD = ("blobs/??/??/*", "repos/*.git")


def make_data_folder(folder: Path) -> None:
    """Create the data folder, closed to others. Raises Unavailable if it cannot be written."""
    try:
        with keeper_of(folder).acting():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            mode = folder.stat().st_mode
            if mode & 0o066:
                # Others keep their execute bits: Podman sets them for steps, and one may start right now.
                folder.chmod(mode & 0o711)
    except FileExistsError:
        raise Unavailable(f"the data folder {folder} cannot be used: it is a file; {OTHER}") from None
    except OSError as error:
        raise Unavailable(f"the data folder {folder} cannot be used: {error.strerror}; {OTHER}") from error


def open_database(settings: Settings) -> Database:
    """Return the database with the schema of this release."""
    database = _as_it_is(settings)
    database.migrate()
    return database


def open_own_database(settings: Settings) -> Database:
    """Return the database with this release's schema, after a check that the stores belong to it.

    Raises Conflict if a store belongs to another database, Unavailable if hosts disagree on the time.
    """
    database = open_database(settings)
    try:
        require_own(database, settings.database_shown, marked_places(settings))
        if settings.has_several_hosts:
            require_clock(database, settings.database_shown, WallClock())
    except BaseException:
        database.close()
        raise
    return database


def marked_places(settings: Settings) -> Sequence[MarkedPlace]:
    """Return the stores that belong to the database, shared ones first, so that concurrent starts agree."""
    found: list[MarkedPlace] = []
    if settings.repos_folder:
        found.append(MarkedFolder(settings.repos, "folder of repositories"))
    if store := marked_store(settings):
        found.append(store)
    return [*found, MarkedFolder(settings.folder, "data folder", may_join=settings.has_several_hosts)]


def marked_store(settings: Settings) -> MarkedStore | None:
    """Return the file store in the settings; None if the bytes are in the data folder."""
    return MarkedStore(settings.blobs_url) if settings.blobs_url else None


def migrate(settings: Settings, *, copies: bool) -> Path | None:
    """Update the schema; return the path of a copy made before, if `copies` are wanted and it was older.

    Raises Unavailable if it cannot be copied; nothing is changed then.
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
    """Return the database with its present schema. Raises Unavailable if it cannot be this folder's."""
    make_data_folder(settings.folder)
    holds = _find_kept(settings.folder)
    if holds and settings.database.startswith("sqlite:") and not Path(file_of(settings.database)).exists():
        raise _foreign(settings, holds, "is not there")
    database = Database(settings.database, synchronous=settings.synchronous, pool=settings.pool)
    if holds and not database.has_schema():
        database.close()
        raise _foreign(settings, holds, "is empty")
    return database


def _find_kept(folder: Path) -> str:
    """Return the first file or repository in a data folder; "" if there is none."""
    with keeper_of(folder).acting():
        found = [path for pattern in HELD for path in islice(folder.glob(pattern), 1)]
    return str(found[0].relative_to(folder)) if found else ""


def _foreign(settings: Settings, holds: str, what: str) -> Unavailable:
    """Return the error for a database that lacks the folder's content, which a sweep would then remove."""
    is_file = settings.database.startswith("sqlite:")
    where = file_of(settings.database) if is_file else "that database_url names"
    return Unavailable(
        f"{settings.folder} keeps what a server stored there, such as {holds}, but the database {where} "
        f"{what}: put the database back, or curlew restore a backup into an empty folder; nothing was made"
    )
