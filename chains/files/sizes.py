"""Sizes in the words of sentences."""

from __future__ import annotations

UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


def size_text(size: int) -> str:
    """The words of a number of bytes as people set it: `20 GiB`, `1.5 MiB`, `700 bytes`."""
    for unit, scale in UNITS:
        if size >= scale:
            return f"{size / scale:.6g} {unit}"
    return f"{size} bytes"
