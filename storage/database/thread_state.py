"""ThreadState: what a thread has open in the database, and what waits for its commit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any

OnWait = Callable[[bool], object]
"""Called before something is waited for: a commit's sync, or (False) a lock."""
# All savepoints have one name: each statement means the innermost.
SAVEPOINT = "block"


class ThreadState(threading.local):
    """A thread's open sessions. `holds` counts sessions and transactions, `blocks` only transactions.

    `after` and `rings` (channels and topics): wait for the commit. `on_wait`: is called before a wait.
    `is_blocked`: a group of writes met something that others keep locked. `known`: what such a group has
    asked for.
    """

    def __init__(self) -> None:
        self.holds = 0
        self.blocks = 0
        self.after: list[Callable[[], None]] = []
        self.rings: list[tuple[str, str]] = []
        self.broken = False
        self.is_blocked = False
        self.on_wait: OnWait | None = None
        self.known: dict[Hashable, Any] | None = None

    def note_wait(self, *, is_sync: bool) -> None:
        """Tell who wants to know that a sync or a lock is waited for."""
        if self.on_wait is not None:
            self.on_wait(is_sync)
