"""Writes without a buffer: what did not fit is known at once, and closing has nothing left to write."""

from __future__ import annotations

from typing import IO


def write_whole(file: IO[bytes], content: bytes) -> int:
    """Write all of it to a file that has no buffer; its size. Raises OSError when the disk is full."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
    return len(content)
