"""The cause of what a thread does, such as a request or a run, for the lines that it logs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CAUSE: ContextVar[str] = ContextVar("cause", default="")
"""Words that name the cause, such as `request 6f0c…`; empty if nothing is known of it.

What is stored for another process carries it in a column `caused_by`, and that process names it in turn.
"""

REQUEST, RUN = "request", "run"
"""The first of these words; the id follows it."""

DONE = "curlew.done"
"""The logger for work that was done; its lines are written although they are no warnings."""


@contextmanager
def caused_by(words: str) -> Iterator[None]:
    """Name the cause of what this thread does during the block."""
    before = CAUSE.set(words)
    try:
        yield
    finally:
        CAUSE.reset(before)
