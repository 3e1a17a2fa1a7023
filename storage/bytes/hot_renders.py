"""An LRU cache of one process for renders, including the bytes of small ones."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

ENTRY_SIZE = 256
"""Bytes that a render takes in the cache besides its body and its notes."""
LARGEST_SHARE = 256
"""A render takes at most this part of the cache, 64 KiB of 16 MiB: servers send larger ones from the file."""


@dataclass(slots=True)
class HotRender:
    """A render, the time at which it expires, and the time at which its use was last noted on the disk.

    `body`: its bytes, None for a render that is sent from its file.
    """

    body: bytes | None
    size: int
    media: str
    notes: tuple[str, ...]
    until: float | None
    noted: float


class HotRenders:
    """Caches renders of at most `most` bytes in total, for any number of threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._renders: OrderedDict[str, HotRender] = OrderedDict()
        self._lock = Lock()

    def takes(self, size: int) -> bool:
        """Return whether the bytes of a render of this size are cached."""
        return size <= self._most // LARGEST_SHARE

    def get(self, digest: str) -> HotRender | None:
        """Return the render of a digest; None when it is not cached or has expired."""
        with self._lock:
            found = self._renders.get(digest)
            if found is None or (found.until is not None and not time.time() < found.until):
                return None
            self._renders.move_to_end(digest)
            return found

    def add(self, digest: str, render: HotRender) -> None:
        """Cache a render, replacing that of the same digest; evict the least recently used ones."""
        with self._lock:
            self._remove(digest)
            self._size += _weight(render)
            self._renders[digest] = render
            while self._size > self._most:
                self._remove(next(iter(self._renders)))

    def remove(self, digest: str) -> None:
        """Remove a render whose file is gone."""
        with self._lock:
            self._remove(digest)

    def _remove(self, digest: str) -> None:
        gone = self._renders.pop(digest, None)
        if gone is not None:
            self._size -= _weight(gone)


def _weight(render: HotRender) -> int:
    return ENTRY_SIZE + len(render.body or b"") + sum(map(len, render.notes))
