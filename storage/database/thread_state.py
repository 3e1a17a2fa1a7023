"""ThreadState: the open sessions and transactions of a thread, and what waits for its commit."""

from __future__ import annotations

import threading
from collections.abc import Callable

# All savepoints have the same name: statements refer to the innermost one.
SAVEPOINT = "block"


class ThreadState(threading.local):
    """A thread's open sessions. `holds` counts sessions and transactions, `blocks` only transactions.

    `rows` (with what writes them), `after` (calls) and `signals` (channels and topics) wait for the commit.
    """

    def __init__(self) -> None:
        self.holds = 0
        self.blocks = 0
        self.rows: list[tuple[Callable[[list[str]], None], str]] = []
        self.after: list[Callable[[], None]] = []
        self.signals: list[tuple[str, str]] = []
        self.broken = False
