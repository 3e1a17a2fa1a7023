"""Small file systems that root mounts and that can really be filled."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def mounted(path: Path, size: int) -> Iterator[Path]:
    """An empty file system in memory."""
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=777", "curlew", path], check=True)
    try:
        yield path
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)
        path.rmdir()


def fill(file: int, disk: Path, room: int) -> None:
    """Take what is free but for `room`; again when another took some of it in between."""
    while (free := os.statvfs(disk)).f_bavail * free.f_frsize > room:
        with suppress(OSError):
            os.posix_fallocate(file, 0, free.f_bavail * free.f_frsize - room)
            break


@contextmanager
def filled(disk: Path, room: int) -> Iterator[None]:
    """While so many bytes are left on a disk."""
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        fill(file.fileno(), disk, room)
    try:
        yield
    finally:
        ballast.unlink()
