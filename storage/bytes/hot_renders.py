"""Small renders that one process has read lately, in memory; those read longest ago go first."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

LARGEST_SHARE = 64
"""No render may take more than this part of the whole."""


@dataclass(slots=True)
class HotRender:
    """A render, the time at which it expires, and the time at which its use was last noted on the disk."""

    body: bytes
    media: str
    notes: tuple[str, ...]
    until: float | None
    noted: float


class HotRenders:
    """Keeps renders of at most `most` bytes together, for any number of threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._renders: OrderedDict[str, HotRender] = OrderedDict()
        self._lock = Lock()

    def takes(self, size: int) -> bool:
        """Whether a render of that size is kept here."""
        return size <= self._most // LARGEST_SHARE

    def get(self, digest: str) -> HotRender | None:
        """The render of a digest; None when it is not here, or has expired."""
        with self._lock:
            found = self._renders.get(digest)
            if found is None or (found.until is not None and not time.time() < found.until):
                return None
            self._renders.move_to_end(digest)
            return found

    def add(self, digest: str, render: HotRender) -> None:
        """Keep a render in place of the one of that digest; others go for it."""
        with self._lock:
            before = self._renders.pop(digest, None)
            self._size += len(render.body) - (len(before.body) if before else 0)
            self._renders[digest] = render
            while self._size > self._most:
                _, gone = self._renders.popitem(last=False)
                self._size -= len(gone.body)
