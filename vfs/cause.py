"""The cause of a thread's work, such as a request or a run, for the lines that it logs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CAUSE: ContextVar[str] = ContextVar("cause", default="")
"""Words that name the cause, such as `request 6f0c…`; empty if it is unknown.

Records for another process have it in a column `caused_by`, so that this process logs it, too.
"""

REQUEST, RUN = "request", "run"
"""The first of these words; the id follows it."""

DONE = "curlew.done"
"""The logger for completed work. Its lines are written although they are not warnings."""


@contextmanager
def caused_by(words: str) -> Iterator[None]:
    """Set the cause of this thread's work during the block."""
    before = CAUSE.set(words)
    try:
        yield
    finally:
        CAUSE.reset(before)
