"""Sizes in bytes as text for settings and for people, and sizes of folders."""

from __future__ import annotations

import os
from pathlib import Path

ROUNDED = ("kB", "MB", "GB", "TB")
UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


def size_text(size: int) -> str:
    """Format a number of bytes as in settings: `20 GiB`, `1.5 MiB`, `700 bytes`."""
    for unit, scale in UNITS:
        if size >= scale:
            return f"{size / scale:.6g} {unit}"
    return f"{size} bytes"


def rounded_text(size: int) -> str:
    """Format a number of bytes for people, in powers of 1,000: `312 B`, `4.2 kB`, `78.8 GB`."""
    if size < 1000:
        return f"{size} B"
    shown = size / 1000
    for unit in ROUNDED[:-1]:
        if round(shown, 1) < 1000:
            return f"{shown:.1f} {unit}"
        shown /= 1000
    return f"{shown:.1f} {ROUNDED[-1]}"


def bytes_below(path: Path) -> int:
    """Return the total size in bytes of all files below a folder."""
    return sum(
        (Path(folder) / name).lstat().st_size
        for folder, _, names in os.walk(path)
        for name in names
        if (Path(folder) / name).exists()
    )
