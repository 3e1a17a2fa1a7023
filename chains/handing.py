"""What root makes in a data folder goes to that folder's owner, as whom the web processes may run."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def hand_over(path: str | Path) -> None:
    """Give what was just made to the owner of the folder that it lies in, when we are root; else it has the
    right one already. Raises OSError.
    """
    if os.geteuid() == 0:
        folder = os.stat(os.path.dirname(path))
        os.chown(path, folder.st_uid, folder.st_gid, follow_symlinks=False)


def make_folder(path: str | Path) -> None:
    """Make a folder that its owner alone enters, and those above it; each is handed over. It may be there.

    Raises OSError.
    """
    with contextlib.suppress(FileExistsError):
        try:
            os.mkdir(path, 0o700)
        except FileNotFoundError:
            make_folder(os.path.dirname(path))
            os.mkdir(path, 0o700)
        hand_over(path)
