"""A limit for the output of a render, counted while it is made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MIB = 1 << 20
MOST_TEXT = 48 * MIB
"""Most characters of a page or a text."""
MOST_PICTURED = 44 * MIB
"""Most characters of a page's charts and pictures, counted at each use; the rest is left for text."""


class OutputTooLarge(Exception):
    """Raised when the output exceeds its limit."""


_LEFT: ContextVar[list[int] | None] = ContextVar("output_room", default=None)


@contextmanager
def output_room(most: int = MOST_TEXT) -> Iterator[None]:
    """Limit the output of one render in the block."""
    token = _LEFT.set([most])
    try:
        yield
    finally:
        _LEFT.reset(token)


def put_out(text: str) -> str:
    """Return a text after counting its characters. Raises OutputTooLarge."""
    left = _LEFT.get()
    if left is not None:
        left[0] -= len(text)
        if left[0] < 0:
            raise OutputTooLarge
    return text


def too_large(most: int) -> str:
    """Return the sentence about a render that would be too large."""
    return f"it would be larger than {most // MIB} MiB: show fewer or smaller charts, pictures and texts"
