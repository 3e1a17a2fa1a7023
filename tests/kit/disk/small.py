"""Small file systems that root mounts, and that can really be filled, or fail as a bad disk does."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LET_GO_SECONDS = 30.0


@contextmanager
def mounted(path: Path, size: int, inodes: int = 0) -> Iterator[Path]:
    """An empty file system in memory, with this number of inodes (0: as many as the kernel gives)."""
    path.mkdir()
    options = f"size={size},mode=777" + (f",nr_inodes={inodes}" if inodes else "")
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "curlew", path], check=True)
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
    """Leave this number of bytes on a disk during the block."""
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        fill(file.fileno(), disk, room)
    try:
        yield
    finally:
        ballast.unlink()


class FailingDisk:
    """An ext4 over a file with holes: while the disk of the file is full, the device answers EIO.

    The kernel takes it from there: what is synced fails, and the file system is read-only until it is mounted
    again.
    """

    def __init__(self, path: Path, lower: Path, size: int) -> None:
        self.path, self._lower, self._image = path, lower, lower / "image"
        with self._image.open("wb") as image:
            image.truncate(size)
        subprocess.run(["mkfs.ext4", "-q", "-E", "nodiscard", self._image], check=True)
        path.mkdir()

    def mount(self) -> None:
        """Check and mount it."""
        subprocess.run(["e2fsck", "-p", self._image], check=False, stdout=subprocess.DEVNULL)
        subprocess.run(["mount", "-o", "loop", self._image, self.path], check=True)

    def unmount(self) -> None:
        """Take it away, as far as it is there, once the last that was killed has let go of it."""
        until = time.monotonic() + LET_GO_SECONDS
        while self.path.is_mount() and subprocess.run(["umount", "-q", self.path], check=False).returncode:
            assert time.monotonic() < until, f"{self.path} is in use"
            time.sleep(0.2)

    @contextmanager
    def failing(self) -> Iterator[None]:
        """While its device has no room for what is written."""
        os.sync()
        with filled(self._lower, 0):
            yield
