"""Podman's leftovers on the host: cleanup processes, mounts, networks of ended containers."""

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
    """Wait until no process has the path `mark` in its command line, at most `seconds`."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and is_running(mark):
        time.sleep(0.02)


def is_running(mark: Path | str, enough: Callable[[], bool] = lambda: False) -> bool:
    """Return whether a process has `mark` in its command line, where a NUL ends each word.

    It also returns True as soon as `enough` does: then the rest need not be searched.
    """
    return any(os.fsencode(mark) in command or enough() for _, command in _commands())


def end_all(command: Sequence[str], seconds: float) -> None:
    """Kill every process with this command line, and wait at most `seconds` until none is left."""
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
    """Kill every conmon of a container that is not `known`, with its container; remove its bundle.

    This concerns only those that write an exit code into `exits`. A Podman that dies between a container's
    `init` and the record of it loses track of its conmon. `known` is called last: a container is recorded
    before it gets its conmon.
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
    """Yield the container, process and bundle (`-c`, `-b`) of every conmon with this `--exit-dir`.

    The command line may begin with the shell of a script that runs conmon.
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
    """Unmount all mounts at and below `folder`, the innermost first."""
    points = (Path(point) for point in _mount_points())
    for point in sorted((p for p in points if p.is_relative_to(folder)), reverse=True):
        subprocess.run(["umount", "--lazy", point], capture_output=True, check=False)


def _mount_points() -> Iterator[str]:
    """Yield all mount points, in order (proc(5), mountinfo, where blanks are octal escapes)."""
    for line in MOUNTS.read_text().splitlines():
        yield line.split()[4].encode("latin-1", "backslashreplace").decode("unicode_escape")


def _commands() -> Iterator[tuple[int, bytes]]:
    """Yield every process with its command line, in which a NUL ends each word."""
    for file in PROC.glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield int(file.parent.name), file.read_bytes()


def share(folder: Path) -> None:
    """Propagate later mounts in `folder` to other mount namespaces (mount_namespaces(7)).

    Podman cleans up in such a namespace, and leaves a container's network behind if it is not visible there.
    Systemd shares all mounts; elsewhere the folder becomes a shared mount, as with `ip netns`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if _is_shared(folder):
        return
    for change in (("--rbind", folder, folder), ("--make-rshared", folder)):
        subprocess.run(["mount", *change], capture_output=True, check=False)


def _is_shared(folder: Path) -> bool:
    """Return whether the mount that holds `folder` propagates mounts."""
    lines = (line.split() for line in MOUNTS.read_text().splitlines())
    holders = [(fields[4], fields[6]) for fields in lines if folder.is_relative_to(fields[4])]
    return max(holders, key=lambda holder: len(holder[0]))[1].startswith("shared:")
