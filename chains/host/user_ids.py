"""The user ids that this host has, and whether containers can take theirs from them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

MAPS = (Path("/proc/self/uid_map"), Path("/proc/self/gid_map"))
"""Each line: the first id here, what it is outside, and how many follow (user_namespaces(7))."""
EACH = 65_536
"""Ids of the users of a container."""
ADVICE = (
    "give this container or machine more ids (podman --uidmap and --gidmap, systemd-nspawn "
    "--private-users=no, /etc/subuid and /etc/subgid of the account that starts it), or set userns = false"
)


Extent = tuple[int, int]
"""The first id of a range, and its length."""


def count_ids() -> int:
    """Return how many user and group ids this host has."""
    return min(sum(length for _, length in _extents(path)) for path in MAPS)


def lacks_ids(first: int) -> str | None:
    """Return what is missing if this host has not all ids for users of containers, from `first` on."""
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
