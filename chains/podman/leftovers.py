"""Leftovers of Podman on the host: processes that still tidy up, mounts, networks of ended containers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
PROC = Path("/proc")


def await_quiet(mark: Path, seconds: float) -> None:
    """Wait until no process has the path `mark` in its command line, `seconds` at most."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and is_running(mark):
        time.sleep(0.02)


def is_running(mark: Path | str, enough: Callable[[], bool] = lambda: False) -> bool:
    """Whether a process has `mark` in its command line, where a NUL ends each word.

    True as well when looking on would be of no use, as `enough` tells.
    """
    return any(os.fsencode(mark) in command or enough() for _, command in _commands())


def end_all(command: Sequence[str], seconds: float) -> None:
    """Kill every process that was called like this, and wait until none is left, `seconds` at most."""
    called = b"".join(os.fsencode(word) + b"\0" for word in command)
    until = time.monotonic() + seconds
    while left := [process for process, words in _commands() if words == called]:
        if time.monotonic() > until:
            return
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.005)


def reap(exits: Path, known: Callable[[], Collection[str]]) -> None:
    """Kill every conmon of a container that is not `known`, and the container with it; remove its bundle.

    Looked at are those that are to leave an exit code in `exits`. A Podman that dies between a container's
    `init` and its own record of it forgets that conmon is there.
    `known` is asked last: a container is recorded before it gets its conmon.
    """
    keepers = list(_keepers(exits))
    recorded = set(known()) if keepers else set()
    for container, process, bundle in keepers:
        if container not in recorded:
            for one in (*_children(process), process):
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
            unmount(bundle.parent)
            shutil.rmtree(bundle.parent, ignore_errors=True)


def _keepers(exits: Path) -> Iterator[tuple[str, int, Path]]:
    """The container, the process and the bundle (`-c`, `-b`) of every conmon with this `--exit-dir`.

    The words of one may still follow the shell's of the script that calls it.
    """
    for process, command in _commands():
        words = [os.fsdecode(word) for word in command.split(b"\0")]
        if any(word.endswith("conmon") for word in words[:2]) and str(exits) in words:
            container, bundle = (words[words.index(option) + 1] for option in ("-c", "-b"))
            yield container, process, Path(bundle)


def _children(process: int) -> list[int]:
    try:
        return [int(child) for child in (PROC / f"{process}/task/{process}/children").read_text().split()]
    except FileNotFoundError:
        return []


def unmount(folder: Path) -> None:
    """Undo the mounts at and below `folder`, the innermost first."""
    points = (Path(point) for point in _mount_points())
    for point in sorted((p for p in points if p.is_relative_to(folder)), reverse=True):
        subprocess.run(["umount", "--lazy", point], capture_output=True, check=False)


def _mount_points() -> Iterator[str]:
    """Every mount's place, in order (proc(5), mountinfo: blanks are written as octal escapes)."""
    for line in MOUNTS.read_text().splitlines():
        yield line.split()[4].encode("latin-1", "backslashreplace").decode("unicode_escape")


def _commands() -> Iterator[tuple[int, bytes]]:
    """Every process with the words of its command line, each ended by a NUL."""
    for file in PROC.glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield int(file.parent.name), file.read_bytes()


def share(folder: Path) -> None:
    """Show mounts made in `folder` later to what has a mount namespace of its own (mount_namespaces(7)).

    Podman tidies up from such a one, and leaves a container's network behind when it does not see it there.
    Systemd shares all mounts; where nobody did, the folder becomes a shared mount, as `ip netns` does it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if _is_shared(folder):
        return
    for change in (("--rbind", folder, folder), ("--make-rshared", folder)):
        subprocess.run(["mount", *change], capture_output=True, check=False)


def _is_shared(folder: Path) -> bool:
    """Whether the mount that holds `folder` passes mounts on."""
    lines = (line.split() for line in MOUNTS.read_text().splitlines())
    holders = [(fields[4], fields[6]) for fields in lines if folder.is_relative_to(fields[4])]
    return max(holders, key=lambda holder: len(holder[0]))[1].startswith("shared:")
