"""The restore of a backup into an empty place, completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from chains.files.folder_lock import make_folder
from chains.files.fsync import flush_system
from chains.files.keeper import keeper_of
from chains.files.removal import remove
from chains.files.run_folders import RUN
from storage import migrations
from storage.backup.backup import Progress
from storage.backup.backup_scan import (
    BackupHead,
    ScannedBackup,
    TablePart,
    scan_backup,
)
from storage.backup.restored_bytes import DraftMove, RestoredBytes
from storage.backup.row_loader import PostgresLoader, RowLoader, SqliteLoader
from storage.backup.tar_format import DamagedBackup
from storage.database.errors import FOREIGN, meaning
from storage.database.sqlite import file_of
from vfs.errors import Conflict, storage_error

STAGING = ".restoring"
ALLOWED = {"curlew.toml", "lost+found", "key", STAGING}
"""Files that may be in an empty data folder; the key is checked separately."""

MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class RestoreTarget:
    """The places to fill. `blobs` None means the data folder's own store."""

    folder: Path
    database: str
    blobs: str | None
    key: Path
    own_runs: Path
    repos: Path
    repo_kinds: Collection[str]

    @property
    def staging(self) -> Path:
        """The folder of all drafts until the restore is complete."""
        return self.folder / STAGING


ADVICE = "Restore it with the program that made it, start this one on the data, and make a new backup."


def restore_backup(file: BinaryIO, target: RestoreTarget, progress: Progress) -> ScannedBackup:
    """Fill an empty place; return the result of reading the backup.

    Raises Conflict when the place is not empty or the schema is newer, DamagedBackup before anything is
    changed, NoSpace, Unavailable.
    """
    require_empty(target)
    looked = scan_backup(file, lambda _, done: progress("files looked at", done), target.repo_kinds)
    found = require_whole(looked)
    if found.head is not None:
        migrations.require_whole(found.head.schema, found.head.curlew, ADVICE)
    file.seek(0)
    try:
        with ExitStack() as undo:
            _restore(file, target, undo, progress)
            undo.pop_all()
    except FOREIGN as error:
        raise meaning(error) from error
    except OSError as error:
        raise storage_error(error, "the content of the backup") from error
    finally:
        remove(target.staging, keeper_of(target.folder))
    return found


def require_whole(found: ScannedBackup) -> ScannedBackup:
    """Raise DamagedBackup, with the names of wrong members, unless a backup is complete."""
    if found.wrong:
        more = [f"and {len(found.wrong) - MOST_LISTED} more"] if len(found.wrong) > MOST_LISTED else []
        raise DamagedBackup("\n  ".join(["the backup is damaged:", *found.wrong[:MOST_LISTED], *more]))
    return found


def require_empty(target: RestoreTarget) -> None:
    """Raise Conflict unless the place for a restore is empty."""
    keeper = keeper_of(target.folder)
    try:
        with keeper.acting():
            there = sorted(path.name for path in target.folder.iterdir() if path.name not in ALLOWED)
    except FileNotFoundError:
        there = []
    except OSError as error:
        raise storage_error(error, f"the data folder {target.folder}") from error
    if there:
        more = f" and {len(there) - 3} more" if len(there) > 3 else ""
        raise Conflict(
            f"{target.folder} is not empty: it has {', '.join(there[:3])}{more}. A restore overwrites "
            "nothing: name an empty folder with --data, or move this one away"
        )
    if target.database.startswith("sqlite:") and Path(file_of(target.database)).exists():
        raise Conflict(
            f"there is a database at {file_of(target.database)}: move it away, or name another place"
        )
    if target.repos.is_dir() and any(target.repos.glob("*.git")):
        raise Conflict(f"{target.repos} has repositories: move them away, they are another server's")
    if target.own_runs.is_dir() and any(target.own_runs.glob(f"{RUN}*")):
        raise Conflict(f"{target.own_runs} has folders of runs: move them away, they are another server's")
    remove(target.staging, keeper)


def _restore(file: BinaryIO, target: RestoreTarget, undo: ExitStack, progress: Progress) -> None:
    keeper = keeper_of(target.folder)
    with keeper.acting():
        if not target.folder.exists():
            make_folder(target.folder)
            undo.callback(remove, target.folder, keeper)
        make_folder(target.staging)
    loader = _loader(target)
    try:
        content = _Restoring(loader, target.staging, target.blobs, target.key)
        require_whole(scan_backup(file, progress, target.repo_kinds, content))
        content.finish()
        loader.finish()
        for move in content.moves(target.folder, target.key, target.own_runs, target.repos):
            move.make()
            undo.callback(_undo, move)
        _flush(target.folder)
        loader.commit()
    finally:
        loader.close()


def _undo(move: DraftMove) -> None:
    remove(move.target, keeper_of(move.target.parent))


def _loader(target: RestoreTarget) -> RowLoader:
    if not target.database.startswith("sqlite:"):
        return PostgresLoader(target.database)
    path = Path(file_of(target.database))
    draft = (
        target.staging / path.name if path.parent == target.folder else path.with_name(f"{path.name}.draft")
    )
    return SqliteLoader(path, draft)


def _flush(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flush_system(handle)
    finally:
        os.close(handle)


class _Restoring(RestoredBytes):
    """A taker that stores each part of a backup in its place, in drafts and in a database."""

    def __init__(self, loader: RowLoader, staging: Path, blobs: str | None, key: Path) -> None:
        super().__init__(staging, blobs, key)
        self._loader = loader

    def head(self, head: BackupHead) -> None:
        try:
            self._loader.begin(head.schema)
        except FOREIGN as error:
            if meaning(error) is error:
                raise DamagedBackup("the migrations that it names do not result in a schema") from None
            raise

    def rows(self, part: TablePart) -> None:
        self._loader.load(part)
