"""File systems of a fixed size in sparse files of the host, mounted through loop devices."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from chains.engine.port import EngineError
from chains.host.config import PATH

ADVICE = (
    "builds need the programs mkfs.ext4 and mount, root, and loop devices: apt-get install e2fsprogs mount, "
    "modprobe loop, and in a container or small VPS ask the provider for loop devices"
)
BYTES_PER_FILE = 16 << 10
FREED_WITHIN = 5.0
LOOPS = Path("/sys/block")
KEPT_SAFE = "nosuid,nodev,noatime"


def make(file: Path, size: int, owner: int) -> None:
    """Create the file system. Its root belongs to the host's user `owner`. Raise EngineError."""
    with file.open("xb") as image:
        image.truncate(size)
    # No journal is needed: a disk that was not unmounted cleanly is removed.
    options = ("-m", "0", "-O", "^has_journal", "-N", str(max(4096, size // BYTES_PER_FILE)))
    extended = f"root_owner={owner}:{owner},lazy_itable_init=1,nodiscard"
    _run("mkfs.ext4", "-q", "-F", *options, "-E", extended, str(file))


def mount(file: Path, place: Path, *, writable: bool) -> None:
    """Mount the file system. Raise EngineError.

    Read-only applies to the file system itself: root of a user namespace can undo a read-only mount.
    """
    place.mkdir(parents=True, exist_ok=True)
    mode = "rw,discard" if writable else "ro"
    command = ("mount", "-t", "ext4", "-o", f"loop,{mode},{KEPT_SAFE}", str(file), str(place))
    if _trouble(*command):
        make_nodes()
        _run(*command)


def make_nodes(devices: Path = Path("/dev"), sys: Path = Path("/sys")) -> None:
    """Make the missing device files of loop devices: a machine that is a container may have none."""
    found = {sys / "class/misc/loop-control": stat.S_IFCHR}
    found |= dict.fromkeys((sys / "block").glob("loop*"), stat.S_IFBLK)
    with suppress(OSError, ValueError):
        for device, kind in found.items():
            if not (node := devices / device.name).exists():
                major, minor = (device / "dev").read_text().split(":")
                os.mknod(node, kind | 0o600, os.makedev(int(major), int(minor)))


def unmount(file: Path, place: Path) -> bool:
    """Unmount the file system. Return whether the file is free to be mounted again.

    Another mount namespace may hold a copy for a moment, because each new container starts with one.
    """
    until = time.monotonic() + FREED_WITHIN
    while os.path.ismount(place):
        if not _trouble("umount", str(place)):
            continue
        if time.monotonic() > until:
            _trouble("umount", "--lazy", str(place))
            return False
        time.sleep(0.02)
    while is_attached(file):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def is_attached(file: Path) -> bool:
    """Return whether a loop device still uses `file`."""
    name = str(file)
    for backing in LOOPS.glob("loop*/loop/backing_file"):
        with suppress(OSError):
            if backing.read_text().rstrip("\n") == name:
                return True
    return False


@contextmanager
def temporary_mount(file: Path, place: Path) -> Iterator[Path]:
    """Mount `file` at `place`, writable, for the length of the context."""
    mount(file, place, writable=True)
    try:
        yield place
    finally:
        unmount(file, place)


def usage(folder: Path) -> float:
    """Return the fraction of a file system that is in use, of its bytes or its files (the larger)."""
    found = os.statvfs(folder)
    shares = ((found.f_bfree, found.f_blocks), (found.f_ffree, found.f_files))
    return max(1 - free / max(1, total) for free, total in shares)


def allocated_bytes(file: Path) -> int:
    """Return the number of bytes that a sparse file uses on the host's disk; 0 if it does not exist."""
    try:
        return file.stat().st_blocks * 512
    except OSError as error:
        if error.errno != errno.ENOENT:
            raise
        return 0


def _run(*command: str) -> None:
    if trouble := _trouble(*command):
        raise EngineError(f"{trouble}; {ADVICE}")


def _trouble(*command: str) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": PATH})
    except OSError as error:
        return f"{command[0]} cannot be run ({error.strerror})"
    if done.returncode == 0:
        return None
    return f"{command[0]}: {done.stderr.strip() or f'exit code {done.returncode}'}"
