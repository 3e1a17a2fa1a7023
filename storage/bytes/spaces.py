"""The content of spaces in the database: a row for each entry's whole path; a folder is a range of paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import peewee

from chains.files.names import DEEPEST, LONGEST_PATH
from chains.spaces import paths, refusals
from chains.spaces.space import JOURNAL, Change, ChangeKind, SpaceEntry, Usage
from storage.bytes.space_rows import (
    ANY,
    BELOW,
    CHANGE,
    CHANGES,
    COPY,
    COPY_NOTES,
    COPY_TREE,
    DESCRIBE,
    END,
    ENTER,
    ENTRY,
    EXTENT,
    GET,
    HELD,
    INSIDE,
    LEAVE,
    MOVE,
    NOTE,
    PRUNE,
    PUT,
    RELEASE,
    REMOVE,
    RESTORE,
    RESTORE_NOTES,
    SIZE,
    TRASH,
    TRASH_FILES,
    TRASHED,
    USAGE,
    blob_columns,
    tree_of,
)
from storage.database.database import Database
from storage.database.store import QuotaStore
from storage.tree.leaves import below
from storage.tree.quotas import ROW
from vfs.errors import NotFound
from vfs.ports.blobs import Ref
from vfs.ports.clock import Clock
from vfs.ports.quotas import Quotas
from vfs.ports.trash import FILE, FOLDER, TrashEntry

QUOTA = 10 << 30


class StoredSpaces(QuotaStore):
    """The store of spaces' content in the database (chains.spaces.space.Spaces)."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        quota: int = QUOTA,
        kept: int = JOURNAL,
        quotas: Quotas | None = None,
    ) -> None:
        super().__init__(database, clock, quotas)
        self._extent = EXTENT[database.dialect]
        self.quota = quota
        self.kept = kept

    def get(self, space: int, path: str) -> SpaceEntry | None:
        return self._database.one(ENTRY, GET, item=space, path=path)

    def inside(self, space: int, folder: str) -> Sequence[SpaceEntry]:
        return self._database.all(ENTRY, INSIDE, item=space, parent=folder)

    def below(self, space: int, folder: str) -> Sequence[SpaceEntry]:
        first, last = below(folder)
        return self._database.all(ENTRY, BELOW, item=space, first=first, last=last)

    def changes(self, space: int, since: int, limit: int) -> Sequence[Change]:
        return self._database.all(CHANGE, CHANGES, item=space, since=since, limit=limit)

    def usage(self, space: int) -> Usage:
        row = self._database.row(USAGE, item=space)
        return Usage(*row) if row else Usage(0, 0)

    def put(self, space: int, path: str, blob: Ref) -> bool:
        path = paths.clean(path)
        with self._turn(space) as turn:
            old = self.get(space, path)
            if path == "" or (old is not None and old.folder):
                raise refusals.folder_there(path)
            self._grow(turn, blob.size - _size(old), 1 if old is None else 0)
            if old is None:
                self._parents(turn, path)
            self._put(turn, path, blob)
            turn.note(ChangeKind.CREATE if old is None else ChangeKind.UPDATE, path, blob)
        return old is None

    def make(self, space: int, path: str) -> bool:
        path = paths.clean(path)
        with self._turn(space) as turn:
            return self._make(turn, path)

    def move(self, space: int, old: str, new: str, *, replace: bool = False) -> None:
        new = paths.clean(new)
        with self._turn(space) as turn:
            source = self.get(space, old)
            if source is None:
                raise refusals.absent(old)
            target = self.get(space, new)
            if new == old:
                return
            refusals.admit_move(source, target, new, replace=replace)
            if target is not None:
                turn.entries -= self._database.run(REMOVE, **tree_of(space, new))
                turn.size -= _size(target)
            self._check_extent(space, old, new)
            self._parents(turn, new)
            place = {"new": new, "cut": len(old) + 1, "there": paths.parent(new)}
            self._database.run(MOVE, **place, **tree_of(space, old))
            turn.note(ChangeKind.MOVE, new, source.blob, old)

    def remove(self, space: int, path: str, *, recursive: bool = False, keep: bool = False) -> None:
        with self._turn(space) as turn:
            found = [self.get(space, path)] if path else self.inside(space, "")
            entries = [entry for entry in found if entry is not None]
            if not entries:
                raise refusals.absent(path or "file")
            count, size = self._database.rows(HELD, **tree_of(space, path))[0]
            if path and count > 1 and not recursive:
                raise refusals.not_empty(path)
            if keep:
                self._keep(turn, path, entries[0], int(size) + ROW * count)
            turn.entries -= self._database.run(REMOVE, **tree_of(space, path))
            turn.size -= int(size)
            for entry in entries:
                turn.note(ChangeKind.DELETE, entry.path, entry.blob, entry.path)

    def _keep(self, turn: _Turn, path: str, entry: SpaceEntry, size: int) -> None:
        """Copy the removed entries to the trash."""
        kind = FILE if path and not entry.folder else FOLDER
        facts = {"kind": kind, "path": path, "size": size, "now": turn.now}
        id = self._database.value(TRASH, item=turn.space, **facts)
        self._database.run(TRASH_FILES, entry=id, **tree_of(turn.space, path))

    def restore(self, entry: TrashEntry, path: str) -> None:
        space, old, new = entry.item, entry.name, paths.clean(path)
        if old and not new:
            raise refusals.folder_there(new)
        with self._turn(space) as turn:
            if not self._database.run(RELEASE, entry=entry.id):
                raise refusals.not_in_trash(old)
            count, size = self._database.rows(TRASHED, entry=entry.id)[0]
            self._grow(turn, int(size), count)
            if old:
                self._parents(turn, new)
            else:
                self._make(turn, new)
            prefix, there = (new, paths.parent(new)) if old else (f"{new}/" * bool(new), new)
            rows = {"item": space, "entry": entry.id, "prefix": prefix, "cut": len(old) + 1}
            try:
                with self._database.atomic():
                    self._database.run(RESTORE, old=old, there=there, **rows)
            except peewee.IntegrityError:
                raise refusals.restored_over(new) from None
            self._check_extent(space, new, new)
            self._database.run(RESTORE_NOTES, seq=turn.seq, now=turn.now, **rows)
            self._database.run(END, entry=entry.id)
            turn.seq += count

    def fill(self, space: int, files: Mapping[str, Ref]) -> None:
        entries = paths.with_folders(files)
        with self._empty(space) as turn:
            self._grow(turn, sum(blob.size for blob in files.values()), len(entries))
            self._database.many(PUT, [turn.entry(path, blob) for path, blob in entries])
            for path, blob in entries:
                turn.note(ChangeKind.CREATE, path, blob)

    def copy(self, source: int, target: int) -> None:
        with self._empty(target) as turn:
            count = self._database.run(COPY, item=target, now=turn.now, source=source)
            self._grow(turn, int(self._database.value(SIZE, item=target)), count)
            self._database.run(COPY_NOTES, seq=turn.seq, **tree_of(target, ""))
            turn.seq += count

    def copy_tree(self, source: int, path: str, target: int, to: str, *, deep: bool = True) -> None:
        to = paths.clean(to)
        with self._turn(target) as turn:
            entry = self.get(source, path)
            if entry is None:
                raise refusals.absent(path)
            refusals.admit_copy(entry, self.get(target, to), to, is_here=source == target)
            if entry.folder and not deep:
                self._make(turn, to)
                return
            self._check_extent(source, path, to)
            count, size = self._database.rows(HELD, **tree_of(source, path))[0]
            self._grow(turn, int(size), count)
            self._parents(turn, to)
            place = {"target": target, "new": to, "cut": len(path) + 1, "there": paths.parent(to)}
            self._database.run(COPY_TREE, now=turn.now, **place, **tree_of(source, path))
            self._database.run(COPY_NOTES, seq=turn.seq, **tree_of(target, to))
            turn.seq += count

    def describe(self, space: int, path: str, properties: str) -> None:
        self._database.run(DESCRIBE, item=space, path=path, properties=properties)

    @contextmanager
    def _empty(self, space: int) -> Iterator[_Turn]:
        """Begin a change of a space that must be empty."""
        with self._turn(space) as turn:
            if self._database.row(ANY, item=space) is not None:
                raise refusals.holds_something()
            yield turn

    @contextmanager
    def _turn(self, space: int) -> Iterator[_Turn]:
        """Lock a space for a change. At the end, write its journal rows, numbers and size."""
        now = self._now()
        with self._database.atomic():
            try:
                seq, size, entries = self._database.rows(ENTER, item=space)[0]
            except peewee.IntegrityError:
                raise NotFound("The space no longer exists, so nothing was changed.") from None
            turn = _Turn(space, now, seq, size, entries)
            yield turn
            if turn.notes:
                self._database.many(NOTE, turn.notes)
            if turn.seq > seq:
                left = {"seq": turn.seq, "size": turn.size, "entries": turn.entries}
                self._database.run(LEAVE, **left, item=space)
            if is_stale(seq, turn.seq, self.kept):
                self._database.run(PRUNE, item=space, oldest=turn.seq - self.kept)

    def _grow(self, turn: _Turn, size: int, entries: int) -> None:
        """Count new bytes and entries. Raises TooLarge beyond the quota of the space or its owner."""
        turn.grow(size, entries, self.quota)
        if self._quotas is not None and (growth := size + ROW * entries) > 0:
            self._quotas.admit_bytes(turn.space, growth)

    def _parents(self, turn: _Turn, path: str) -> None:
        """Create the missing folders above a path."""
        if parent := paths.parent(path):
            self._make(turn, parent)

    def _make(self, turn: _Turn, path: str) -> bool:
        present = self.get(turn.space, path)
        if path == "" or (present is not None and present.folder):
            return False
        if present is not None:
            raise refusals.file_there(path)
        self._parents(turn, path)
        self._grow(turn, 0, 1)
        self._put(turn, path, None)
        turn.note(ChangeKind.CREATE, path, None)
        return True

    def _put(self, turn: _Turn, path: str, blob: Ref | None) -> None:
        self._database.run(PUT, **turn.entry(path, blob))

    def _check_extent(self, space: int, old: str, new: str) -> None:
        """Check that all paths below `old` stay within the limits of paths after the move."""
        slashes, octets = self._database.rows(self._extent, **tree_of(space, old))[0]
        levels = slashes - old.count("/") + new.count("/") + 1
        if levels > DEEPEST:
            raise paths.too_deep(levels)
        if (size := octets - len(old.encode()) + len(new.encode())) > LONGEST_PATH:
            raise paths.too_long(size)


class _Turn:
    """One change of a space in progress: its numbers, and its new rows of the journal."""

    def __init__(self, space: int, now: str, seq: int, size: int, entries: int) -> None:
        self.space = space
        self.now = now
        self.seq = seq
        self.size = size
        self.entries = entries
        self.notes: list[dict[str, object]] = []

    def grow(self, size: int, entries: int, quota: int) -> None:
        """Count new bytes and entries. Raises TooLarge when the bytes exceed the quota."""
        self.size += size
        self.entries += entries
        if size > 0 and self.size > quota:
            raise refusals.over_quota(quota)

    def note(self, kind: ChangeKind, path: str, blob: Ref | None, old: str | None = None) -> None:
        self.seq += 1
        number = {"item": self.space, "seq": self.seq, "now": self.now}
        self.notes.append({**number, "path": path, "deed": kind.value, "old": old, **blob_columns(blob)})

    def entry(self, path: str, blob: Ref | None) -> dict[str, object]:
        """Return the parameters of PUT."""
        place = {"item": self.space, "path": path, "parent": paths.parent(path), "now": self.now}
        return {**place, **blob_columns(blob)}


def is_stale(before: int, after: int, kept: int) -> bool:
    """Return whether to prune a journal that grew from `before` to `after`.

    It never exceeds `kept` rows by more than a tenth.
    """
    step = max(kept // 10, 1)
    return before // step != after // step


def _size(entry: SpaceEntry | None) -> int:
    return entry.blob.size if entry is not None and entry.blob is not None else 0
