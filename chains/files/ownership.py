"""Folders of the service's own, which their owner alone enters."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def make_folder(path: str | Path) -> None:
    """Make a folder that its owner alone enters, and those above it. It may be there. Raises OSError."""
    with contextlib.suppress(FileExistsError):
        try:
            os.mkdir(path, 0o700)
        except FileNotFoundError:
            make_folder(os.path.dirname(path))
            os.mkdir(path, 0o700)
