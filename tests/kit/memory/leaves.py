"""Leaves and bytes in dictionaries."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from typing import BinaryIO

from tests.kit.memory.state import Memory
from vfs.errors import Conflict, Invalid, NotFound
from vfs.ports.blobs import Ref
from vfs.ports.leaves import Leaf, Mark, Signature, digest_of


class MemoryLeaves:
    """Leaves in a dictionary (vfs.ports.leaves.Leaves)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def get(self, item: int, rel: str) -> Leaf | None:
        """The leaf, or None."""
        return self._memory.state.leaves.get((item, rel))

    def put(
        self, item: int, rel: str, content: str | Ref, author: str | None, *, whole: bool = False
    ) -> bool:
        """Write the leaf whole; True when it is new. Raises NotFound without its item."""
        text, blob = (None, content) if isinstance(content, Ref) else (content, None)
        if text is not None and "\0" in text:
            raise Invalid("A text cannot contain the character NUL; send it as a binary file instead.")
        with self._memory.lock:
            state, now = self._memory.state, self._memory.now()
            if item not in state.items:
                raise NotFound("The resource is not there any more, so nothing was stored.")
            old = state.leaves.get((item, rel))
            state.leaves[item, rel] = Leaf(rel, text, blob, old.created_on if old else now, now, author)
        return old is None

    def clear(self, item: int, rel: str) -> bool:
        """Remove the leaf and everything below it; False when there was nothing."""
        with self._memory.lock:
            gone = self._at_or_below(item, rel)
            for key in gone:
                del self._memory.state.leaves[key]
        return bool(gone)

    def under(self, item: int, prefix: str) -> Sequence[Mark]:
        """Every leaf below a folder, by rel, without content."""
        return [Mark(leaf.rel, leaf.created_on, leaf.last_modified) for leaf in self.texts(item, prefix)]

    def texts(self, item: int, prefix: str, largest: int | None = None) -> Sequence[Leaf]:
        """Every leaf below a folder, by rel, with its content, texts longer than `largest` without theirs."""
        leaves = list(self._memory.state.leaves.items())
        below = [leaf for (id, rel), leaf in leaves if id == item and is_below(rel, prefix)]
        if largest is not None:
            below = [replace(leaf, text=None) if len(leaf.text or "") > largest else leaf for leaf in below]
        return sorted(below, key=lambda leaf: leaf.rel)

    def texts_below(self, items: Sequence[int], prefix: str) -> Mapping[int, Sequence[Leaf]]:
        """Every leaf below a folder of many items, by item and rel, with its content."""
        return {item: found for item in items if (found := self.texts(item, prefix))}

    def texts_of(self, items: Sequence[int], rels: Sequence[str]) -> Mapping[int, Mapping[str, str]]:
        """The texts of these leaves of many items, by item and rel."""
        found: dict[int, dict[str, str]] = {}
        for (item, rel), leaf in list(self._memory.state.leaves.items()):
            if item in items and rel in rels and leaf.text is not None:
                found.setdefault(item, {})[rel] = leaf.text
        return found

    def digests_of(
        self, items: Sequence[int], rels: Sequence[str], folder: str
    ) -> Mapping[int, Mapping[str, str]]:
        """The digests of these leaves of many items and of all below a folder of each, by item and rel."""
        found: dict[int, dict[str, str]] = {}
        for (item, rel), leaf in list(self._memory.state.leaves.items()):
            if item in items and (rel in rels or is_below(rel, folder)):
                found.setdefault(item, {})[rel] = _digest_of_leaf(leaf)
        return found

    def signature(self, item: int, rel: str) -> Signature | None:
        """The digest and the author of a leaf."""
        leaf = self.get(item, rel)
        return Signature(_digest_of_leaf(leaf), leaf.author) if leaf is not None else None

    def move(self, item: int, old: str, new: str) -> None:
        """Give the leaf `old` and all below it the path `new`. Raises Conflict when something is there."""
        with self._memory.atomic():
            leaves = self._memory.state.leaves
            moved = self._at_or_below(item, old)
            for key in moved:
                del leaves[key]
            for (_, rel), leaf in moved.items():
                target = new + rel[len(old) :]
                if (item, target) in leaves:
                    raise Conflict(f"{new} is there already; remove it first or choose another name.")
                leaves[item, target] = replace(leaf, rel=target)

    def _at_or_below(self, item: int, rel: str) -> dict[tuple[int, str], Leaf]:
        leaves = self._memory.state.leaves
        return {key: leaf for key, leaf in leaves.items() if key[0] == item and is_at_or_below(key[1], rel)}


class MemoryBlobs:
    """Bytes in a dictionary (vfs.ports.blobs.Blobs)."""

    def __init__(self) -> None:
        self._bytes: dict[str, bytes] = {}

    def add(self, chunks: Iterable[bytes], media: str, item: int | None = None) -> Ref:
        """Store the bytes."""
        content = b"".join(chunks)
        digest = hashlib.sha256(content).hexdigest()
        self._bytes[digest] = content
        return Ref(digest, len(content), media)

    def add_all(
        self, contents: Iterable[tuple[Iterable[bytes], str]], item: int | None = None
    ) -> Sequence[Ref]:
        """Store the bytes of each content."""
        whole = [(b"".join(chunks), media) for chunks, media in contents]
        return [self.add((content,), media, item) for content, media in whole]

    def open(self, ref: Ref) -> BinaryIO:
        """The bytes, seekable. Raises NotFound when they are gone."""
        if ref.digest not in self._bytes:
            raise NotFound("The content of this file is gone from the server's file store.")
        return BytesIO(self._bytes[ref.digest])


def _digest_of_leaf(leaf: Leaf) -> str:
    return leaf.blob.digest if leaf.blob is not None else digest_of(leaf.text or "")


def is_below(rel: str, folder: str) -> bool:
    """Whether a path lies below a folder ("" holds all)."""
    return not folder or rel.startswith(f"{folder}/")


def is_at_or_below(rel: str, folder: str) -> bool:
    """Whether a path is the folder or lies below it."""
    return rel == folder or is_below(rel, folder)
