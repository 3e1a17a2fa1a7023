"""The content of spaces in dictionaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from chains.spaces.space import (
    DEEPEST,
    JOURNAL,
    LONGEST_PATH,
    Change,
    Deed,
    SpaceEntry,
    Usage,
    above,
    absent,
    admit_move,
    clean,
    file_there,
    filled,
    folder_there,
    laid_out,
    not_empty,
    over_quota,
    too_deep,
    too_long,
)
from storage.bytes.spaces import QUOTA, stale
from storage.memory.leaves import is_at_or_below, is_below
from storage.memory.state import Memory
from vfs.errors import NotFound
from vfs.ports.world import Ref


class MemorySpaces:
    """Content in a dictionary by space and path (chains.spaces.space.Spaces)."""

    def __init__(self, memory: Memory, quota: int = QUOTA, kept: int = JOURNAL) -> None:
        self.memory = memory
        self.quota = quota
        self.kept = kept

    def get(self, space: int, path: str) -> SpaceEntry | None:
        """As Spaces.get."""
        return self.memory.state.content.get((space, path))

    def inside(self, space: int, folder: str) -> Sequence[SpaceEntry]:
        """As Spaces.inside."""
        return [entry for entry in self.below(space, folder) if above(entry.path) == folder]

    def below(self, space: int, folder: str) -> Sequence[SpaceEntry]:
        """As Spaces.below."""
        content = list(self.memory.state.content.items())
        found = [entry for (id, path), entry in content if id == space and is_below(path, folder)]
        return sorted(found, key=lambda entry: entry.path)

    def changes(self, space: int, since: int, limit: int) -> Sequence[Change]:
        """As Spaces.changes."""
        return [change for change in self._journal(space) if change.seq > since][:limit]

    def usage(self, space: int) -> Usage:
        """As Spaces.usage."""
        size = sum(entry.blob.size for entry in self.below(space, "") if entry.blob is not None)
        return Usage(size, self._last(space))

    def put(self, space: int, path: str, blob: Ref) -> bool:
        """As Spaces.put."""
        path = clean(path)
        with self.memory.atomic():
            self._must_be(space)
            old = self.get(space, path)
            if path == "" or (old is not None and old.folder):
                raise folder_there(path)
            grown = blob.size - (old.blob.size if old is not None and old.blob is not None else 0)
            if grown > 0 and self.usage(space).size + grown > self.quota:
                raise over_quota(self.quota)
            self.make(space, above(path))
            self._set(space, path, blob)
            self._note(space, Deed.CREATE if old is None else Deed.UPDATE, path, blob)
        return old is None

    def make(self, space: int, path: str) -> bool:
        """As Spaces.make."""
        path = clean(path)
        with self.memory.atomic():
            self._must_be(space)
            present = self.get(space, path)
            if path == "" or (present is not None and present.folder):
                return False
            if present is not None:
                raise file_there(path)
            self.make(space, above(path))
            self._set(space, path, None)
            self._note(space, Deed.CREATE, path, None)
        return True

    def move(self, space: int, old: str, new: str) -> None:
        """As Spaces.move."""
        new = clean(new)
        with self.memory.atomic():
            self._must_be(space)
            source = self.get(space, old)
            if source is None:
                raise absent(old)
            if new == old:
                return
            admit_move(source, self.get(space, new), new)
            moved = {new + path[len(old) :]: entry for path, entry in self._tree(space, old).items()}
            for path in moved:
                if path.count("/") >= DEEPEST:
                    raise too_deep(max(path.count("/") + 1 for path in moved))
                if len(path.encode()) > LONGEST_PATH:
                    raise too_long()
            self.make(space, above(new))
            for entry in moved.values():
                del self.memory.state.content[space, entry.path]
            for path, entry in moved.items():
                self.memory.state.content[space, path] = replace(entry, path=path)
            self._note(space, Deed.MOVE, new, source.blob, old)

    def remove(self, space: int, path: str, *, recursive: bool = False) -> None:
        """As Spaces.remove."""
        with self.memory.atomic():
            self._must_be(space)
            entry = self.get(space, path)
            if entry is None:
                raise absent(path)
            tree = self._tree(space, path)
            if len(tree) > 1 and not recursive:
                raise not_empty(path)
            for gone in tree:
                del self.memory.state.content[space, gone]
            self._note(space, Deed.DELETE, path, entry.blob, path)

    def fill(self, space: int, files: Mapping[str, Ref]) -> None:
        """As Spaces.fill."""
        entries = laid_out(files)
        with self.memory.atomic():
            self._must_be(space)
            if self.below(space, ""):
                raise filled()
            if sum(blob.size for blob in files.values()) > self.quota:
                raise over_quota(self.quota)
            for path, blob in entries:
                self._set(space, path, blob)
                self._note(space, Deed.CREATE, path, blob)

    def copy(self, source: int, target: int) -> None:
        """As Spaces.copy."""
        with self.memory.atomic():
            found = self.below(source, "")
            self.fill(target, {entry.path: entry.blob for entry in found if entry.blob is not None})
            for entry in found:
                self.make(target, entry.path if entry.folder else "")

    def _must_be(self, space: int) -> None:
        if space not in self.memory.state.items:
            raise NotFound("The space is not there any more, so nothing was changed.")

    def _tree(self, space: int, top: str) -> dict[str, SpaceEntry]:
        content = self.memory.state.content
        return {
            path: entry for (id, path), entry in content.items() if id == space and is_at_or_below(path, top)
        }

    def _set(self, space: int, path: str, blob: Ref | None) -> None:
        now, old = self.memory.now(), self.get(space, path)
        self.memory.state.content[space, path] = SpaceEntry(path, blob, old.created_on if old else now, now)

    def _journal(self, space: int) -> tuple[Change, ...]:
        return self.memory.state.journals.get(space, ())

    def _last(self, space: int) -> int:
        journal = self._journal(space)
        return journal[-1].seq if journal else 0

    def _note(self, space: int, deed: Deed, path: str, blob: Ref | None, old: str | None = None) -> None:
        journal = self._journal(space)
        digest, size = (blob.digest, blob.size) if blob is not None else (None, None)
        last = self._last(space)
        change = Change(last + 1, path, deed, digest, size, old, self.memory.now())
        first = last + 1 - self.kept if stale(last, last + 1, self.kept) else 0
        self.memory.state.journals[space] = (*(one for one in journal if one.seq > first), change)
