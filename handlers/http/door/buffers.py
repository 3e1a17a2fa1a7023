"""BufferBudget: the memory that unfinished requests and unsent answers of all connections may take."""

from __future__ import annotations

import threading


class BufferBudget:
    """Counts bytes against `most`; it is asked before more is taken in, and never blocks."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0
        self._lock = threading.Lock()

    @property
    def taken(self) -> int:
        """The bytes that are in use."""
        return self._taken

    @property
    def is_spent(self) -> bool:
        """Whether nothing more is to be taken in."""
        return self._taken >= self._most

    def take(self, size: int) -> None:
        """Count bytes that were taken in."""
        if size:
            with self._lock:
                self._taken += size

    def give_back(self, size: int) -> None:
        """Count bytes that were let go."""
        if size:
            with self._lock:
                self._taken -= size
