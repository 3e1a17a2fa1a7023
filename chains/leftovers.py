"""What Podman may leave behind on the host when it is stopped: processes that still tidy up, and mounts."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
PROC = Path("/proc")


def await_quiet(mark: Path, seconds: float) -> None:
    """Wait until no process has the path `mark` in its command line, `seconds` at most."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and any(os.fsencode(mark) in command for command in _commands()):
        time.sleep(0.02)


def unmount(folder: Path) -> None:
    """Undo the mounts at and below `folder`, the innermost first."""
    points = (Path(point) for point in _mount_points())
    for point in sorted((p for p in points if p.is_relative_to(folder)), reverse=True):
        subprocess.run(["umount", "--lazy", point], capture_output=True, check=False)


def _mount_points() -> Iterator[str]:
    """Every mount's place, in order (proc(5), mountinfo: blanks are written as octal escapes)."""
    for line in MOUNTS.read_text().splitlines():
        yield line.split()[4].encode("latin-1", "backslashreplace").decode("unicode_escape")


def _commands() -> Iterator[bytes]:
    for file in PROC.glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield file.read_bytes()
