"""The reader of a backup from start to end: it compares all digests, and passes the parts to the restore."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from storage.backup.backup import END, FIRST, FORMAT, KEY, MANIFEST, Progress
from storage.backup.backup_catalog import BackupCatalog
from storage.backup.rows import read_json, read_row, wants_of
from storage.backup.tar_format import DamagedBackup, TarMember, members
from vfs.errors import VfsError

MOST_WRONG = 1000
MOST_HEAD = 1 << 20
MOST_KEY = 64 << 10
LONGEST_LINE = 1 << 30
"""No row has more bytes, because of the limits of SQLite and PostgreSQL for a cell."""

TABLE = re.compile(r"database/([a-z_]{1,60})/([0-9]{1,9})")
BLOB = re.compile(r"blobs/([0-9a-f]{64})")
REPO = re.compile(r"repos/([1-9][0-9]{0,17})/(head|bundle)")
RUN = re.compile(r"runs/(in-[0-9a-f]{32}|run-[1-9][0-9]{0,17}|\.noted)/(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class BackupHead:
    """The first member of a backup: the version that made it, the time, and the schema."""

    curlew: str
    made_on: str
    schema: Sequence[str]
    key: bool


@dataclass(frozen=True, slots=True)
class TablePart:
    """Some rows of a table; `last` is the last number that the table assigned."""

    table: str
    columns: Sequence[str]
    last: int | None
    rows: Iterator[list[Any]]


class BackupTaker:
    """A receiver of the parts of a backup. Each hook may leave its part unread; this class ignores all."""

    def head(self, head: BackupHead) -> None:
        """Receive the head, before all others."""

    def key(self, content: bytes) -> None:
        """Receive the keys."""

    def rows(self, part: TablePart) -> None:
        """Receive rows. Those of one table arrive in consecutive parts."""

    def blob(self, digest: str, pieces: Iterator[bytes], size: int) -> None:
        """Receive the bytes of a digest."""

    def repository(self, item: int, head: bytes, pieces: Iterator[bytes], size: int) -> None:
        """Receive the bundle of a repository; an empty one means an empty repository."""

    def run_file(self, names: Sequence[str], pieces: Iterator[bytes], mode: int) -> None:
        """Receive a file below the folders of runs; `names` are the parts of its path."""


@dataclass(frozen=True, slots=True)
class ScannedBackup:
    """The result of reading a backup: sentences about damage, and about files missing when it was made."""

    head: BackupHead | None
    members: int
    size: int
    wrong: Sequence[str]
    lost: Sequence[tuple[str, str]]


@dataclass
class BackupScan:
    """One reading of a backup. A strict one stops at the first damage."""

    catalog: BackupCatalog
    taker: BackupTaker
    progress: Progress
    is_strict: bool
    found: BackupHead | None = None
    heads: dict[int, bytes] = field(default_factory=dict)
    ended: Any = None
    manifest: str = ""
    wrong: list[str] = field(default_factory=list)

    def read(self, file: BinaryIO) -> ScannedBackup:
        """Read the whole backup, and record damage. Raises as the taker does."""
        try:
            for number, member in enumerate(members(file), 1):
                self._member(member, is_first=number == 1)
                self.progress("files", number)
            self._check_end()
        except DamagedBackup as error:
            if self.is_strict:
                raise
            self._tell("the file", f"{error.detail}; nothing after that could be read")
        else:
            for name, why in self.catalog.wrong(MOST_WRONG):
                self._tell(name, why)
        return ScannedBackup(
            self.found, *self.catalog.totals(), self.wrong, self.catalog.list_lost(MOST_WRONG)
        )

    def _member(self, member: TarMember, *, is_first: bool) -> None:
        name = member.name
        if is_first != (name == FIRST):
            raise DamagedBackup(f'it is no backup of Curlew, which begins with "{FIRST}"')
        if self.ended is not None:
            raise DamagedBackup("there are bytes after its end")
        digest = hashlib.sha256()
        pieces = _hashing(member, digest.update)
        try:
            self._take(member, pieces)
        except DamagedBackup as error:
            if self.is_strict:
                raise DamagedBackup(f"{shown_name(name)}: {error.detail}") from None
            self._tell(shown_name(name), error.detail)
        except (ValueError, TypeError, KeyError, OverflowError):
            self._tell(shown_name(name), "its content is not of the expected form")
        for _ in pieces:
            pass
        if not self.catalog.note_member(name, member.size, digest.hexdigest()):
            self._tell(shown_name(name), "it is there twice")
        if name == MANIFEST:
            self.catalog.declare(name, None, None)
            self.manifest = digest.hexdigest()
        elif name == END:
            self.catalog.declare(name, None, None)

    def _take(self, member: TarMember, pieces: Iterator[bytes]) -> None:
        name = member.name
        if name == FIRST:
            self.found = _head(_small(pieces, MOST_HEAD))
            self.taker.head(self.found)
        elif name == KEY:
            self.taker.key(_small(pieces, MOST_KEY))
        elif found := TABLE.fullmatch(name):
            self._rows(found[1], pieces)
        elif found := BLOB.fullmatch(name):
            self.taker.blob(found[1], pieces, member.size)
        elif found := REPO.fullmatch(name):
            self._repository(int(found[1]), found[2], pieces, member.size)
        elif (found := RUN.fullmatch(name)) and _is_safe(names := [found[1], *found[2].split("/")]):
            self.taker.run_file(names, pieces, member.mode)
        elif name == MANIFEST:
            self._manifest(pieces)
        elif name == END:
            self.ended = read_json(_small(pieces, MOST_HEAD))
        else:
            raise DamagedBackup("no backup has a file of that name")

    def _rows(self, table: str, pieces: Iterator[bytes]) -> None:
        lines = _lines(pieces)
        head = read_json(next(lines, b""))
        columns, last = [str(name) for name in head["columns"]], head["last"]
        if head["table"] != table or not (last is None or type(last) is int):
            raise DamagedBackup("its rows are not those of the table in its name")
        see = wants_of(self.catalog, table, columns)

        def rows() -> Iterator[list[Any]]:
            for line in lines:
                row = read_row(line, len(columns))
                see(row)
                yield row

        left = rows()
        self.taker.rows(TablePart(table, columns, last, left))
        for _ in left:
            pass

    def _repository(self, item: int, part: str, pieces: Iterator[bytes], size: int) -> None:
        if part == "head":
            self.heads = {item: _small(pieces, 4096)}
        else:
            self.taker.repository(item, self.heads.get(item, b""), pieces, size)

    def _manifest(self, pieces: Iterator[bytes]) -> None:
        for line in _lines(pieces):
            said = read_json(line)
            name, lost, digest = str(said["name"]), said.get("lost"), said.get("sha256")
            size = said.get("size")
            if lost is None and (digest is None or size is None):
                raise DamagedBackup(f"it has no size and digest of {shown_name(name)}")
            if not self.catalog.declare(name, size, digest, None if lost is None else str(lost)):
                self._tell(shown_name(name), "the manifest names it twice")

    def _check_end(self) -> None:
        """Compare the end with the members that were read. Raises DamagedBackup when it is missing."""
        if self.ended is None:
            raise DamagedBackup("it has no end: it is cut off")
        count, _ = self.catalog.totals()
        end = {"manifest": self.manifest, "members": count - 1}
        if not isinstance(self.ended, dict) or {key: self.ended.get(key) for key in end} != end:
            self._tell(MANIFEST, "it does not match the end of the file: it was changed")

    def _tell(self, name: str, why: str) -> None:
        if len(self.wrong) < MOST_WRONG:
            self.wrong.append(f"{name}: {why}")


def scan_backup(
    file: BinaryIO, progress: Progress, repo_kinds: Collection[str], taker: BackupTaker | None = None
) -> ScannedBackup:
    """Read a whole backup; return its damage, by name.

    Raises DamagedBackup, and as the taker does.
    """
    catalog = BackupCatalog(repo_kinds)
    try:
        return BackupScan(catalog, taker or BackupTaker(), progress, is_strict=taker is not None).read(file)
    finally:
        catalog.close()


def _head(text: bytes) -> BackupHead:
    said = read_json(text)
    if said["format"] != FORMAT:
        raise VfsError(
            f"this backup has the format {json.dumps(said['format'])[:40]}, and this Curlew reads {FORMAT}: "
            f"use Curlew {str(said.get('curlew'))[:40]}, which wrote it, or a newer one"
        )
    schema = [str(name) for name in said["schema"]]
    return BackupHead(str(said["curlew"]), str(said["made_on"]), schema, bool(said["key"]))


def _hashing(member: TarMember, update: Callable[[bytes], object]) -> Iterator[bytes]:
    for piece in member.pieces():
        update(piece)
        yield piece


def _small(pieces: Iterator[bytes], most: int) -> bytes:
    """Return all bytes of a small member. Raises DamagedBackup."""
    found = b""
    for piece in pieces:
        found += piece
        if len(found) > most:
            raise DamagedBackup(f"it has more than {most:,} bytes")
    return found


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the lines of a member. Raises DamagedBackup for a line that is too long."""
    rest: list[bytes] = []
    size = 0
    for piece in pieces:
        *whole, last = piece.split(b"\n")
        for line in whole:
            yield b"".join([*rest, line])
            rest, size = [], 0
        rest.append(last)
        size += len(last)
        if size > LONGEST_LINE:
            raise DamagedBackup("a line of it has no end")
    if size:
        raise DamagedBackup("its last line has no end")


def _is_safe(names: Sequence[str]) -> bool:
    """Return whether all names are safe as parts of a path."""
    return all(name not in ("", ".", "..") and "\0" not in name for name in names) and len(names) < 200


def shown_name(name: str) -> str:
    """Return a name in a form that is safe on a terminal."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")[:300]
