"""Sizes: in the words of sentences, and of folders."""

from __future__ import annotations

import os
from pathlib import Path

UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


def size_text(size: int) -> str:
    """The words of a number of bytes as people set it: `20 GiB`, `1.5 MiB`, `700 bytes`."""
    for unit, scale in UNITS:
        if size >= scale:
            return f"{size / scale:.6g} {unit}"
    return f"{size} bytes"


def bytes_below(path: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(
        (Path(folder) / name).lstat().st_size
        for folder, _, names in os.walk(path)
        for name in names
        if (Path(folder) / name).exists()
    )
