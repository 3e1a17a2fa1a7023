"""Limits of the machine that a service can reach, and how much of each is used."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

NEAR = 10
"""The divisor for warnings: a limit is near if less than a tenth of it is left."""
ALL, MANY_FILES, MANY_BYTES = 1 << 60, 100_000, 1 << 30
"""Remaining numbers that are always enough, even if they are a small part of a large disk."""

CGROUPS = Path("/sys/fs/cgroup")
PROC = Path("/proc")
CACHE = ("inactive_file", "active_file")


@dataclass(frozen=True, slots=True)
class HostLimit:
    """A limit: the number in use, the maximum, and advice on how to raise or relieve it."""

    key: str
    name: str
    advice: str
    used: int
    most: int
    enough: int

    @property
    def part(self) -> float:
        """The part that is used, from 0 to 1."""
        return self.used / self.most if self.most else 1.0

    @property
    def is_near(self) -> bool:
        """Whether little is left."""
        return self.most - self.used < min(self.most // NEAR, self.enough)

    def __str__(self) -> str:
        return f"{self.used:,} of {self.most:,} {self.name}"


def host_limits(data: Path) -> list[HostLimit]:
    """Return the limits that this process can read, for a data folder; others are left out."""
    return list(_limits(data))


def _limits(data: Path) -> Iterator[HostLimit]:
    tmp = Path("/tmp")
    for key, name, read, advice, enough in (
        ("files", "open files of the machine", _open_files, "sysctl fs.file-max", ALL),
        ("tracked", "tracked connections", _tracked, "sysctl net.netfilter.nf_conntrack_max", ALL),
        ("keys", "kernel keys of this account", _keys, "sysctl kernel.keys.maxkeys, or root_maxkeys", ALL),
        ("processes", "processes of this control group", _processes, "TasksMax= of the unit", ALL),
        ("memory", "bytes of memory of this control group", _memory, "MemoryMax= of the unit", MANY_BYTES),
        ("inodes", f"inodes of the disk of {data}", lambda: _inodes(data), "remove files there", MANY_FILES),
        ("tmp_inodes", "inodes of /tmp", lambda: _inodes(tmp), "remove files there", MANY_FILES),
        ("tmp_bytes", "bytes of /tmp", lambda: _bytes(tmp), "make room there", MANY_BYTES),
    ):
        with suppress(OSError, ValueError, IndexError):
            if found := read():
                yield HostLimit(key, name, advice, *found, enough)


def _number(path: Path) -> int:
    return int(path.read_text())


def _open_files() -> tuple[int, int]:
    opened, free, most = (PROC / "sys/fs/file-nr").read_text().split()
    return int(opened) - int(free), int(most)


def _tracked() -> tuple[int, int]:
    folder = PROC / "sys/net/netfilter"
    return _number(folder / "nf_conntrack_count"), _number(folder / "nf_conntrack_max")


def _keys() -> tuple[int, int] | None:
    """Return the keys of this account (proc_keys(5), fourth field: in use/most)."""
    for line in (PROC / "key-users").read_text().splitlines():
        account, _, rest = line.partition(":")
        if int(account) == os.geteuid():
            used, most = rest.split()[2].split("/")
            return int(used), int(most)
    return None


def _processes() -> tuple[int, int] | None:
    return _cgroup("pids")


def _memory() -> tuple[int, int] | None:
    return _cgroup("memory")


def _cgroup(name: str) -> tuple[int, int] | None:
    """Return the tightest limit of this process's control group (version 2) and of those above it."""
    (own,) = (line[3:] for line in (PROC / "self/cgroup").read_text().splitlines() if line.startswith("0::"))
    folder, found = CGROUPS / own.lstrip("/"), []
    while CGROUPS in folder.parents:
        most = folder / f"{name}.max"
        if most.is_file() and (said := most.read_text().strip()) != "max":
            found.append((_in_use(folder, name), int(said)))
        folder = folder.parent
    return max(found, key=lambda one: one[0] / max(one[1], 1), default=None)


def _in_use(folder: Path, name: str) -> int:
    """Return the use of a control group. Memory excludes the cache of files, which can be reclaimed."""
    used = _number(folder / f"{name}.current")
    if name != "memory":
        return used
    lines = (folder / "memory.stat").read_text().splitlines()
    return used - sum(int(line.split()[1]) for line in lines if line.split()[0] in CACHE)


def _inodes(folder: Path) -> tuple[int, int] | None:
    found = os.statvfs(folder)
    return (found.f_files - found.f_favail, found.f_files) if found.f_files else None


def _bytes(folder: Path) -> tuple[int, int]:
    found = os.statvfs(folder)
    return (found.f_blocks - found.f_bavail) * found.f_frsize, found.f_blocks * found.f_frsize


MAPS = (Path("/proc/self/uid_map"), Path("/proc/self/gid_map"))
"""Each line: the first id here, its id outside, and the length of the range (user_namespaces(7))."""
EACH = 65_536
"""Number of ids for the users of a container."""
IDS_ADVICE = (
    "give this container or machine more ids (podman --uidmap and --gidmap, systemd-nspawn "
    "--private-users=no, /etc/subuid and /etc/subgid of the account that starts it), or set userns = false"
)


Extent = tuple[int, int]
"""The first id of a range, and its length."""


def count_ids() -> int:
    """Return how many user and group ids this host has."""
    return min(sum(length for _, length in _extents(path)) for path in MAPS)


def lacks_ids(first: int) -> str | None:
    """Return a sentence if this host lacks some of the ids for users of containers, from `first` on."""
    last = first + EACH
    for path in MAPS:
        if not covers(_extents(path), first):
            return (
                f"this host has {count_ids():,} user ids ({path}), and not all of those from {first} to "
                f"{last - 1} that users of containers need"
            )
    return None


def covers(extents: Iterable[Extent], first: int) -> bool:
    """Return whether ranges that do not overlap contain the ids of a container from `first` on."""
    last = first + EACH
    return sum(max(0, min(last, at + length) - max(first, at)) for at, length in extents) == EACH


def _extents(path: Path) -> list[Extent]:
    """Return the first id and the length of each range."""
    rows = (line.split() for line in path.read_text().splitlines())
    return [(int(at), int(length)) for at, _, length in rows]
