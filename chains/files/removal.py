"""Removal of what runs and builds leave, however odd it is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from chains.files.keeper import OURSELVES, Keeper


def remove(path: Path, keeper: Keeper = OURSELVES) -> None:
    """Take a file or a whole folder away, as its keeper; nothing happens when it is not there."""
    try:
        with keeper.acting():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    except (OSError, RecursionError):
        # Nested deeper than Python recurses, or than a path may be long: rm walks any depth.
        subprocess.run(["rm", "-rf", "--", str(path)], check=False, capture_output=True, **keeper.program)
