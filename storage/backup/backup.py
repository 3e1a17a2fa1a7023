"""The writer of a running server's backup: rows of one snapshot, then all bytes that they refer to."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from chains.files.keeper import keeper_of
from chains.files.removal import RemovalHold
from chains.files.run_folders import Folders
from chains.sharing.run_files import KeptRunFiles, digests_of
from storage import migrations
from storage.backup.backup_catalog import BackupCatalog
from storage.backup.rows import row_text, wants_of
from storage.backup.run_copies import run_members
from storage.backup.snapshot import Snapshot, TableFacts, open_snapshot
from storage.backup.tar_format import ENDING, head_of, padding
from storage.bytes.blobs import FileBlobs
from storage.git.copies import bundle, head
from storage.git.repositories import GitRepositories
from vfs.errors import NotFound, Unavailable, VfsError, storage_error
from vfs.ports.blobs import Ref, chunks

MANIFEST = "manifest.jsonl"
END = "end.json"


class BackupWriter:
    """A writer of a backup to a file, from start to end. Raises OSError."""

    def __init__(self, file: BinaryIO, catalog: BackupCatalog) -> None:
        self._file = file
        self._catalog = catalog

    def add(
        self, name: str, size: int, pieces: Iterable[bytes], mode: int = 0o600, wanted: str | None = None
    ) -> str:
        """Write a member of the given size; return the digest of its bytes.

        Extra bytes are left out; missing ones are filled up and recorded in the manifest, like a digest that
        is not the `wanted` one.
        """
        digest, left, lost = hashlib.sha256(), size, None
        self._file.write(head_of(name, size, mode))
        for piece in pieces:
            piece = piece[:left]
            digest.update(piece)
            self._file.write(piece)
            left -= len(piece)
        while left:
            piece = bytes(min(left, 1 << 20))
            digest.update(piece)
            self._file.write(piece)
            left -= len(piece)
            lost = "it became shorter while it was copied"
        self._file.write(padding(size))
        if wanted is not None and digest.hexdigest() != wanted:
            lost = lost or "it was changed in the server's file store"
        self._catalog.note_member(name, size, digest.hexdigest())
        self._catalog.declare(name, size, digest.hexdigest(), lost)
        return digest.hexdigest()

    def add_text(self, name: str, content: bytes) -> None:
        """Write a small member."""
        self.add(name, len(content), [content])

    def note_lost(self, name: str, why: str) -> None:
        """Record in the manifest that a member is missing because it was not readable."""
        self._catalog.declare(name, None, None, why)

    def finish(self, draft: BinaryIO) -> None:
        """Write the manifest, using the empty file `draft`, and the end."""
        for name, size, digest, lost in self._catalog.manifest():
            line = {"name": name, "size": size, "sha256": digest, "lost": lost}
            draft.write(json.dumps({key: value for key, value in line.items() if value is not None}).encode())
            draft.write(b"\n")
        size = draft.tell()
        draft.seek(0)
        digest = self.add(MANIFEST, size, iter(lambda: draft.read(1 << 20), b""))
        count, total = self._catalog.totals()
        self.add_text(END, json.dumps({"manifest": digest, "members": count, "bytes": total}).encode())
        self._file.write(ENDING)


FORMAT = 1
FIRST = "backup.json"
KEY = "key"
PART = 4 << 20
"""Bytes of rows in one member, which is kept in memory."""

LAST_BACKUP = "last_backup"
"""A file of the data folder whose time is that of the last backup."""

MOST_LOST = 1000

Progress = Callable[[str, int], object]
"""A function that gets the kind of files being copied, and the number copied so far."""


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
    """A written backup: its members, their bytes, and missing members (name and reason)."""

    members: int
    size: int
    lost: Sequence[tuple[str, str]]


def write_backup(
    file: BinaryIO, sources: BackupSources, drafts: Path, now: str, progress: Progress
) -> WrittenBackup:
    """Write a backup to an empty file; `drafts` is a folder with space for the largest repository.

    Raises NoSpace when the disk is full, Unavailable when something is not readable.
    """
    catalog = BackupCatalog(sources.repo_kinds)
    try:
        with sources.hold.hold():
            writer = BackupWriter(file, catalog)
            _write_rows(writer, catalog, sources, now, progress)
            _write_blobs(writer, catalog, sources.blobs, progress)
            _write_repositories(writer, catalog, sources.repositories, drafts, progress)
            _write_runs(writer, catalog, sources.folders, progress)
        with tempfile.TemporaryFile(dir=drafts) as draft:
            writer.finish(draft)
        return WrittenBackup(*catalog.totals(), catalog.list_lost(MOST_LOST))
    except PermissionError as error:
        raise Unavailable(
            f"this account may not read {error.filename}: run the command as root, or as the account that may"
        ) from error
    except OSError as error:
        raise storage_error(error, "the backup") from error
    finally:
        sources.repositories.forget_held()
        catalog.close()


def _write_rows(
    writer: BackupWriter, catalog: BackupCatalog, sources: BackupSources, now: str, progress: Progress
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
            for number, (part, rows) in enumerate(_parts(snapshot, catalog, table)):
                writer.add_text(f"database/{table.name}/{number}", part)
                progress("rows", count := count + rows)


def _parts(snapshot: Snapshot, catalog: BackupCatalog, table: TableFacts) -> Iterator[tuple[bytes, int]]:
    """Yield the rows of a table in texts of some megabytes, at least one, with the number of rows in each."""
    see = wants_of(catalog, table.name, table.columns)
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


def _write_blobs(writer: BackupWriter, catalog: BackupCatalog, blobs: FileBlobs, progress: Progress) -> None:
    # The files of runs on several hosts are named by manifests, not by rows.
    for digest in digests_of(KeptRunFiles(blobs), catalog.manifests):
        catalog.want_blob(digest)
    for number, digest in enumerate(catalog.blobs(), 1):
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
    catalog: BackupCatalog,
    repositories: GitRepositories,
    drafts: Path,
    progress: Progress,
) -> None:
    for number, item in enumerate(catalog.repos(), 1):
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


def _write_runs(writer: BackupWriter, catalog: BackupCatalog, folders: Folders, progress: Progress) -> None:
    for number, one in enumerate(run_members(folders, catalog.runs()), 1):
        if one.lost is not None:
            writer.note_lost(one.name, one.lost)
            continue
        with one.open() as source:
            writer.add(one.name, one.size, chunks(source), one.mode)
        progress("files of runs", number)
