"""Writes a backup of a running server: rows of one snapshot, then all bytes that they refer to."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from chains.files.keeper import keeper_of
from chains.files.removal import RemovalHold
from chains.files.run_folders import Folders
from chains.sharing.run_files import KeptRunFiles, digests_of
from storage import migrations
from storage.backup.backup_catalog import BackupCatalog
from storage.backup.backup_writer import BackupWriter
from storage.backup.rows import row_text, wants_of
from storage.backup.run_copies import run_members
from storage.backup.snapshot import Snapshot, TableFacts
from storage.backup.snapshots import open_snapshot
from storage.bytes.blobs import FileBlobs
from storage.git.copies import bundle, head
from storage.git.repositories import GitRepositories
from vfs.errors import NotFound, Unavailable, VfsError, storage_error
from vfs.ports.blobs import Ref, chunks

FORMAT = 1
FIRST = "backup.json"
KEY = "key"
PART = 4 << 20
"""Bytes of rows in one member, which is held in memory."""

LAST_BACKUP = "last_backup"
"""A file of the data folder that is as old as the last backup."""

MOST_LOST = 1000

Progress = Callable[[str, int], object]
"""Called with what is being copied, and the number copied so far."""


@dataclass(frozen=True, slots=True)
class BackupSources:
    """The places of an installation's data; `key` None leaves the keys out."""

    database: str
    blobs: FileBlobs
    repositories: GitRepositories
    folders: Folders
    hold: RemovalHold
    key: Path | None
    repo_kinds: Collection[str]


@dataclass(frozen=True, slots=True)
class WrittenBackup:
    """A written backup: its members, their bytes, and what was missing (name and reason)."""

    members: int
    size: int
    lost: Sequence[tuple[str, str]]


def write_backup(
    file: BinaryIO, sources: BackupSources, drafts: Path, now: str, progress: Progress
) -> WrittenBackup:
    """Write a backup to an empty file; `drafts` is a folder with space for the largest repository.

    Raises NoSpace when the disk is full, Unavailable when something is not readable.
    """
    run_store = BackupCatalog(sources.repo_kinds)
    try:
        with sources.hold.hold():
            writer = BackupWriter(file, run_store)
            _write_rows(writer, run_store, sources, now, progress)
            _write_blobs(writer, run_store, sources.blobs, progress)
            _write_repositories(writer, run_store, sources.repositories, drafts, progress)
            _write_runs(writer, run_store, sources.folders, progress)
        with tempfile.TemporaryFile(dir=drafts) as draft:
            writer.finish(draft)
        return WrittenBackup(*run_store.totals(), run_store.list_lost(MOST_LOST))
    except PermissionError as error:
        raise Unavailable(
            f"this account may not read {error.filename}: run the command as root, or as the account that may"
        ) from error
    except OSError as error:
        raise storage_error(error, "the backup") from error
    finally:
        sources.repositories.forget_held()
        run_store.close()


def _write_rows(
    writer: BackupWriter, run_store: BackupCatalog, sources: BackupSources, now: str, progress: Progress
) -> None:
    with open_snapshot(sources.database) as snapshot:
        schema = snapshot.schema()
        advice = "Bring the database up to date first:  curlew migrate"
        migrations.require_whole(schema, migrations.writer_of(snapshot.rows), advice)
        heads = {"format": FORMAT, "curlew": migrations.release(), "made_on": now, "schema": schema}
        writer.add_text(FIRST, json.dumps({**heads, "key": sources.key is not None}).encode())
        if sources.key is not None:
            with keeper_of(sources.key).acting():
                content = sources.key.read_bytes()
            writer.add_text(KEY, content)
        count = 0
        for table in snapshot.tables():
            for number, (part, rows) in enumerate(_parts(snapshot, run_store, table)):
                writer.add_text(f"database/{table.name}/{number}", part)
                progress("rows", count := count + rows)


def _parts(snapshot: Snapshot, run_store: BackupCatalog, table: TableFacts) -> Iterator[tuple[bytes, int]]:
    """Yield the rows of a table in texts of some megabytes, at least one, with the number of rows in each."""
    see = wants_of(run_store, table.name, table.columns)
    head = json.dumps({"table": table.name, "columns": table.columns, "last": table.last}).encode() + b"\n"
    lines, size, is_first = [head], len(head), True
    for row in snapshot.rows(table.query):
        see(row)
        line = row_text(row)
        if size + len(line) > PART and len(lines) > 1:
            yield b"".join(lines), len(lines) - 1
            lines, size, is_first = [head], len(head), False
        lines.append(line)
        size += len(line)
    if is_first or len(lines) > 1:
        yield b"".join(lines), len(lines) - 1


def _write_blobs(
    writer: BackupWriter, run_store: BackupCatalog, blobs: FileBlobs, progress: Progress
) -> None:
    # The files of runs on several hosts are named by manifests, not by rows.
    for digest in digests_of(KeptRunFiles(blobs), run_store.manifests):
        run_store.want_blob(digest)
    for number, digest in enumerate(run_store.blobs(), 1):
        name = f"blobs/{digest}"
        try:
            with blobs.open(Ref(digest, 0, "")) as source:
                size = source.seek(0, 2)
                source.seek(0)
                writer.add(name, size, chunks(source), wanted=digest)
        except NotFound:
            writer.note_lost(name, "it is gone from the server's file store")
        progress("blobs", number)


def _write_repositories(
    writer: BackupWriter,
    run_store: BackupCatalog,
    repositories: GitRepositories,
    drafts: Path,
    progress: Progress,
) -> None:
    for number, item in enumerate(run_store.repos(), 1):
        name = f"repos/{item}/bundle"
        path = repositories.kept_path(item)
        with tempfile.TemporaryFile(dir=drafts) as draft:
            try:
                size = bundle(repositories.git, path, draft)
            except VfsError as error:
                writer.note_lost(name, error.detail)
                continue
            writer.add_text(f"repos/{item}/head", head(repositories.git, path))
            draft.seek(0)
            writer.add(name, size, chunks(draft))
        progress("repositories", number)


def _write_runs(writer: BackupWriter, run_store: BackupCatalog, folders: Folders, progress: Progress) -> None:
    for number, one in enumerate(run_members(folders, run_store.runs()), 1):
        if one.lost is not None:
            writer.note_lost(one.name, one.lost)
            continue
        with one.open() as source:
            writer.add(one.name, one.size, chunks(source), one.mode)
        progress("files of runs", number)
