"""ThreadState: what a thread has open in the database, and what waits for its commit."""

from __future__ import annotations

import threading
from collections.abc import Callable

# All savepoints have one name: each statement means the innermost.
SAVEPOINT = "block"


class ThreadState(threading.local):
    """A thread's open sessions. `holds` counts sessions and transactions, `blocks` only transactions.

    `after` and `rings` (channels and topics): wait for the commit.
    """

    def __init__(self) -> None:
        self.holds = 0
        self.blocks = 0
        self.after: list[Callable[[], None]] = []
        self.rings: list[tuple[str, str]] = []
        self.broken = False
