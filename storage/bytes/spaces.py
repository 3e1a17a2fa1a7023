"""The content of spaces as rows: each entry under its whole path, a folder being a range of paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import peewee

from chains.spaces import paths, refusals
from chains.spaces.paths import DEEPEST, LONGEST_PATH
from chains.spaces.space import JOURNAL, Change, Deed, SpaceEntry, Usage
from storage.database.database import Database
from storage.tree.leaves import below
from vfs.errors import NotFound
from vfs.ports.world import Clock, Ref, stamp

QUOTA = 10 << 30

ENTRY = "SELECT path, created_on, last_modified, digest, size, media FROM space_entry WHERE item = ?"
GET = f"{ENTRY} AND path = ?"
INSIDE = f"{ENTRY} AND parent = ? ORDER BY path"
BELOW = f"{ENTRY} AND path >= ? AND path < ? ORDER BY path"

ENTER = """
INSERT INTO space (item, seq, size) VALUES (?, 0, 0)
ON CONFLICT (item) DO UPDATE SET seq = space.seq RETURNING seq, size"""
LEAVE = "UPDATE space SET seq = ?, size = ? WHERE item = ?"
NOTE = """
INSERT INTO space_change (item, seq, path, deed, version, size, old_path, created_on)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
CHANGES = """
SELECT seq, path, deed, version, size, old_path, created_on FROM space_change
WHERE item = ? AND seq > ? ORDER BY seq LIMIT ?"""

PUT = """
INSERT INTO space_entry (item, path, parent, created_on, last_modified, digest, size, media)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (item, path) DO UPDATE SET last_modified = excluded.last_modified,
    digest = excluded.digest, size = excluded.size, media = excluded.media"""
TREE = "item = ? AND (path = ? OR (path >= ? AND path < ?))"
MOVE = f"""
UPDATE space_entry SET path = ? || substr(path, ?),
    parent = CASE WHEN path = ? THEN ? ELSE ? || substr(parent, ?) END
WHERE {TREE}"""
REMOVE = f"DELETE FROM space_entry WHERE {TREE}"
HELD = f"SELECT COUNT(*), COALESCE(SUM(size), 0) FROM space_entry WHERE {TREE}"
ANY = "SELECT 1 FROM space_entry WHERE item = ? LIMIT 1"
COPY = """
INSERT INTO space_entry (item, path, parent, created_on, last_modified, digest, size, media)
SELECT CAST(? AS BIGINT), path, parent, CAST(? AS TEXT), CAST(? AS TEXT), digest, size, media
FROM space_entry WHERE item = ?"""
COPY_NOTES = f"""
INSERT INTO space_change (item, seq, path, deed, version, size, old_path, created_on)
SELECT item, CAST(? AS BIGINT) + row_number() OVER (ORDER BY path), path, '{Deed.CREATE}', digest, size, NULL,
    created_on
FROM space_entry WHERE item = ?"""
SIZE = "SELECT COALESCE(SUM(size), 0) FROM space_entry WHERE item = ?"
PRUNE = "DELETE FROM space_change WHERE item = ? AND seq <= ?"
EXTENT = f"""
SELECT MAX(length(path) - length(replace(path, '/', ''))), MAX(%s) FROM space_entry WHERE {TREE}"""
OCTETS = {"sqlite": "length(CAST(path AS BLOB))", "postgresql": "octet_length(path)"}


class StoredSpaces:
    """Keeps the content of spaces in the database (chains.spaces.space.Spaces)."""

    def __init__(self, database: Database, clock: Clock, quota: int = QUOTA, kept: int = JOURNAL) -> None:
        self._database = database
        self._clock = clock
        self._extent = EXTENT % OCTETS[database.dialect]
        self.quota = quota
        self.kept = kept

    def get(self, space: int, path: str) -> SpaceEntry | None:
        """As Spaces.get."""
        row = self._database.row(GET, space, path)
        return _entry(row) if row else None

    def inside(self, space: int, folder: str) -> Sequence[SpaceEntry]:
        """As Spaces.inside."""
        return [_entry(row) for row in self._database.rows(INSIDE, space, folder)]

    def below(self, space: int, folder: str) -> Sequence[SpaceEntry]:
        """As Spaces.below."""
        return [_entry(row) for row in self._database.rows(BELOW, space, *below(folder))]

    def changes(self, space: int, since: int, limit: int) -> Sequence[Change]:
        """As Spaces.changes."""
        return [_change(row) for row in self._database.rows(CHANGES, space, since, limit)]

    def usage(self, space: int) -> Usage:
        """As Spaces.usage."""
        row = self._database.row("SELECT size, seq FROM space WHERE item = ?", space)
        return Usage(*row) if row else Usage(0, 0)

    def put(self, space: int, path: str, blob: Ref) -> bool:
        """As Spaces.put."""
        path = paths.clean(path)
        with self._turn(space) as turn:
            old = self.get(space, path)
            if path == "" or (old is not None and old.folder):
                raise refusals.folder_there(path)
            turn.grow(blob.size - _size(old), self.quota)
            if old is None:
                self._parents(turn, path)
            self._put(turn, path, blob)
            turn.note(Deed.CREATE if old is None else Deed.UPDATE, path, blob)
        return old is None

    def make(self, space: int, path: str) -> bool:
        """As Spaces.make."""
        path = paths.clean(path)
        with self._turn(space) as turn:
            return self._make(turn, path)

    def move(self, space: int, old: str, new: str) -> None:
        """As Spaces.move."""
        new = paths.clean(new)
        with self._turn(space) as turn:
            source = self.get(space, old)
            if source is None:
                raise refusals.absent(old)
            target = self.get(space, new)
            if new == old:
                return
            refusals.admit_move(source, target, new)
            if target is not None:
                self._database.run(REMOVE, space, new, *below(new))
                turn.size -= _size(target)
            self._check_extent(space, old, new)
            self._parents(turn, new)
            cut, there = len(old) + 1, paths.parent(new)
            self._database.run(MOVE, new, cut, old, there, new, cut, space, old, *below(old))
            turn.note(Deed.MOVE, new, source.blob, old)

    def remove(self, space: int, path: str, *, recursive: bool = False) -> None:
        """As Spaces.remove."""
        with self._turn(space) as turn:
            entry = self.get(space, path)
            if entry is None:
                raise refusals.absent(path)
            count, size = self._database.rows(HELD, space, path, *below(path))[0]
            if count > 1 and not recursive:
                raise refusals.not_empty(path)
            self._database.run(REMOVE, space, path, *below(path))
            turn.size -= int(size)
            turn.note(Deed.DELETE, path, entry.blob, path)

    def fill(self, space: int, files: Mapping[str, Ref]) -> None:
        """As Spaces.fill."""
        entries = paths.with_folders(files)
        with self._empty(space) as turn:
            turn.grow(sum(blob.size for blob in files.values()), self.quota)
            rows = [
                (space, path, paths.parent(path), turn.now, turn.now, *_columns(blob))
                for path, blob in entries
            ]
            self._database.many(PUT, rows)
            for path, blob in entries:
                turn.note(Deed.CREATE, path, blob)

    def copy(self, source: int, target: int) -> None:
        """As Spaces.copy."""
        with self._empty(target) as turn:
            count = self._database.run(COPY, target, turn.now, turn.now, source)
            turn.grow(int(self._database.rows(SIZE, target)[0][0]), self.quota)
            self._database.run(COPY_NOTES, turn.seq, target)
            turn.seq += count

    @contextmanager
    def _empty(self, space: int) -> Iterator[_Turn]:
        """The right to fill a space that holds nothing."""
        with self._turn(space) as turn:
            if self._database.row(ANY, space) is not None:
                raise refusals.holds_something()
            yield turn

    @contextmanager
    def _turn(self, space: int) -> Iterator[_Turn]:
        """The right to change a space, and what is noted of it when that is done."""
        now = stamp(self._clock.now())
        with self._database.atomic():
            try:
                row = self._database.rows(ENTER, space)[0]
            except peewee.IntegrityError:
                raise NotFound("The space is not there any more, so nothing was changed.") from None
            turn = _Turn(space, now, *row)
            yield turn
            if turn.notes:
                self._database.many(NOTE, turn.notes)
            if turn.seq > row[0]:
                self._database.run(LEAVE, turn.seq, turn.size, space)
            if stale(row[0], turn.seq, self.kept):
                self._database.run(PRUNE, space, turn.seq - self.kept)

    def _parents(self, turn: _Turn, path: str) -> None:
        """Make the folders above a path that are not there."""
        if parent := paths.parent(path):
            self._make(turn, parent)

    def _make(self, turn: _Turn, path: str) -> bool:
        present = self.get(turn.space, path)
        if path == "" or (present is not None and present.folder):
            return False
        if present is not None:
            raise refusals.file_there(path)
        self._parents(turn, path)
        self._put(turn, path, None)
        turn.note(Deed.CREATE, path, None)
        return True

    def _put(self, turn: _Turn, path: str, blob: Ref | None) -> None:
        self._database.run(PUT, turn.space, path, paths.parent(path), turn.now, turn.now, *_columns(blob))

    def _check_extent(self, space: int, old: str, new: str) -> None:
        """Hold all that moves to the limits of paths at its new place."""
        slashes, octets = self._database.rows(self._extent, space, old, *below(old))[0]
        levels = slashes - old.count("/") + new.count("/") + 1
        if levels > DEEPEST:
            raise paths.too_deep(levels)
        if octets - len(old.encode()) + len(new.encode()) > LONGEST_PATH:
            raise paths.too_long()


class _Turn:
    """One change of a space as it happens: its numbers, and the rows that the journal will get."""

    def __init__(self, space: int, now: str, seq: int, size: int) -> None:
        self.space = space
        self.now = now
        self.seq = seq
        self.size = size
        self.notes: list[tuple[Any, ...]] = []

    def grow(self, size: int, quota: int) -> None:
        """Count bytes that come. Raises TooLarge when they are more than the quota leaves."""
        self.size += size
        if size > 0 and self.size > quota:
            raise refusals.over_quota(quota)

    def note(self, deed: Deed, path: str, blob: Ref | None, old: str | None = None) -> None:
        self.seq += 1
        self.notes.append((self.space, self.seq, path, deed.value, *_columns(blob)[:2], old, self.now))


def stale(before: int, after: int, kept: int) -> bool:
    """Whether a journal that grew from one number to another is due to lose its oldest rows, so that it has
    never more than a tenth too many.
    """
    step = max(kept // 10, 1)
    return before // step != after // step


def _size(entry: SpaceEntry | None) -> int:
    return entry.blob.size if entry is not None and entry.blob is not None else 0


def _columns(blob: Ref | None) -> tuple[str | None, int | None, str | None]:
    return (blob.digest, blob.size, blob.media) if blob is not None else (None, None, None)


def _entry(row: tuple[Any, ...]) -> SpaceEntry:
    path, created_on, last_modified, *blob = row
    return SpaceEntry(path, Ref(*blob) if blob[0] is not None else None, created_on, last_modified)


def _change(row: tuple[Any, ...]) -> Change:
    seq, path, deed, *others = row
    return Change(seq, path, Deed(deed), *others)
