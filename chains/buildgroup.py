"""A control group of one image build:
what its commands may start together, and their end when it is given up.
"""

from __future__ import annotations

import os
import signal
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from chains.cgroup import GROUPS

KILLED_WITHIN = 5.0


class BuildGroup:
    """Podman runs the commands of a build in it and lets them go on when a build is given up; this ends them.

    Commands of a build are the host's root to the kernel, whom no ulimit on processes holds: `processes`
    does, where the host has a group for it (a host with systemd limits them by a default of its own).
    """

    def __init__(self, processes: int, groups: Path = GROUPS) -> None:
        self._name = f"curlew-build-{uuid.uuid4().hex}"
        self._processes = processes
        self._groups = groups

    @property
    def parent(self) -> str:
        """The group as Podman is told of it. One level down: Podman removes it after each command."""
        return f"/{self._name}/commands"

    def __enter__(self) -> BuildGroup:
        folder = self._groups / "pids" / self._name
        with suppress(OSError):
            folder.mkdir()
            (folder / "pids.max").write_text(str(self._processes))
        return self

    def __exit__(self, *_: object) -> None:
        """Kill what still runs, and remove the group."""
        until = time.monotonic() + KILLED_WITHIN
        while (left := set(self._members())) and time.monotonic() < until:
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        for folder in self._folders():
            with suppress(OSError):
                (folder / "commands").rmdir()
            with suppress(OSError):
                folder.rmdir()

    def _members(self) -> Iterator[int]:
        for folder in self._folders():
            for file in folder.glob("**/cgroup.procs"):
                with suppress(OSError):
                    yield from map(int, file.read_text().split())

    def _folders(self) -> list[Path]:
        """The group's folder in every hierarchy (one on cgroup version 2)."""
        return [*self._groups.glob(f"*/{self._name}"), *self._groups.glob(self._name)]
