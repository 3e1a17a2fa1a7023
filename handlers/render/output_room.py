"""Room for what a render puts out, counted while it is put out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MIB = 1 << 20
MOST_TEXT = 48 * MIB
"""Letters of a page, or of a text, as it is written."""
MOST_PICTURED = 44 * MIB
"""Letters of the charts and pictures of a page, each as often as it is shown; the rest is for words."""


class OutputTooLarge(Exception):
    """Raised when more is put out than there is room for."""


_LEFT: ContextVar[list[int] | None] = ContextVar("output_room", default=None)


@contextmanager
def output_room(most: int = MOST_TEXT) -> Iterator[None]:
    """Room for one render."""
    token = _LEFT.set([most])
    try:
        yield
    finally:
        _LEFT.reset(token)


def put_out(text: str) -> str:
    """Return the text itself, which takes room. Raises OutputTooLarge."""
    left = _LEFT.get()
    if left is not None:
        left[0] -= len(text)
        if left[0] < 0:
            raise OutputTooLarge
    return text


def too_large(most: int) -> str:
    """Return the sentence on a render that would be larger."""
    return f"it would be larger than {most // MIB} MiB: show fewer or smaller charts, pictures and texts"
