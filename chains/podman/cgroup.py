"""The kernel's view of a container's process: control groups, user map, handled signals."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
GROUPS = Path("/sys/fs/cgroup")
WAITS_AT = "/exec.fifo"
INIT = "podman-init"
"""The name of the first process of a container with an init, once it runs (prctl(2), PR_SET_NAME)."""


@dataclass(frozen=True, slots=True)
class Cgroup:
    """The folders with a process's memory and pids limits (the same folder with cgroup version 2)."""

    memory: Path
    pids: Path
    unified: bool

    @classmethod
    def of(cls, pid: int) -> Cgroup:
        """Return the groups of a process (cgroups(7), /proc/[pid]/cgroup). Raises OSError if it is gone."""
        paths = {}
        for line in (PROC / str(pid) / "cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            for controller in controllers.split(","):
                paths[controller] = path.lstrip("/")
        if "memory" in paths and "pids" in paths:
            return cls(GROUPS / "memory" / paths["memory"], GROUPS / "pids" / paths["pids"], unified=False)
        folder = GROUPS / paths.get("", "")
        return cls(folder, folder, unified=True)

    def memory_limit(self) -> int | None:
        """Return the limit in bytes, or None if there is no limit (or no such group)."""
        return _number(self.memory / ("memory.max" if self.unified else "memory.limit_in_bytes"))

    def pids_limit(self) -> int | None:
        """Return the limit of processes, or None if there is no limit (or no such group)."""
        return _number(self.pids / "pids.max")

    def memory_kills(self) -> int | None:
        """Return how many processes the kernel killed for lack of memory; None if the group is gone."""
        try:
            text = (self.memory / ("memory.events" if self.unified else "memory.oom_control")).read_text()
        except OSError:
            return None
        counters = dict(line.split() for line in text.splitlines())
        return int(counters["oom_kill"]) if "oom_kill" in counters else None


def _number(file: Path) -> int | None:
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() and len(text) < 19 else None


def outer_root(pid: int) -> int:
    """Return the host's id of user 0 in the user namespace of `pid`. Raises OSError if it is gone."""
    return int((PROC / str(pid) / "uid_map").read_text().split()[1])


def differences(pid: int, memory: int, pids: int, first_id: int) -> list[str]:
    """Return the limits and ids of the process `pid` that differ from those requested, as clauses.

    Raises OSError if it is gone. A runtime without the controllers it needs may continue without limits.
    """
    group = Cgroup.of(pid)
    page = 4096
    facts = (
        ("the kernel's memory limit", memory // page * page, (group.memory_limit() or 0) // page * page),
        ("the kernel's limit of processes", pids, group.pids_limit()),
        ("the host's id of its root", first_id, outer_root(pid)),
    )
    return [f"{what} is {found}, not {wanted}" for what, wanted, found in facts if found != wanted]


def has_begun(pid: int) -> bool:
    """Return whether the runtime has released a container's first process, or it is gone.

    Until then the process has an open pipe on which it waits. runc and crun remove it at the start.
    """
    try:
        return not any(_target(file).endswith(WAITS_AT) for file in (PROC / str(pid) / "fd").iterdir())
    except FileNotFoundError:
        return True
    except PermissionError:
        return _status(pid).get("Name", INIT) == INIT


def _target(link: Path) -> str:
    """Return the target of a link, or an empty string if the link is gone."""
    with suppress(FileNotFoundError):
        return os.readlink(link)
    return ""


def handles_term(pid: int) -> bool:
    """Return whether SIGTERM has an effect now: a first process ignores it until it sets a handler."""
    status = _status(pid)
    asked = int(status.get("SigBlk", "0"), 16) | int(status.get("SigCgt", "0"), 16)
    return not status or (status["Name"] == INIT and bool(asked >> (signal.SIGTERM - 1) & 1))


def _status(pid: int) -> dict[str, str]:
    """Return the fields of /proc/[pid]/status (proc(5)); none if the process is gone."""
    try:
        lines = (PROC / str(pid) / "status").read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
