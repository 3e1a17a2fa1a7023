"""What makes files and folders outlive a power cut."""

from __future__ import annotations

import os
from pathlib import Path


def settle(path: str | Path) -> None:
    """The content of a file, or the entries of a folder, have reached the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
