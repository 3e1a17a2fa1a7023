"""The specification of a container, its user and the map of its ids, and the request that creates it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from chains.engine.port import Mount

_NUMBERS = re.compile(r"([0-9]{1,5})(?::([0-9]{1,5}))?")


class Extent(NamedTuple):
    """A range of a container's ids: the first id inside, the host's id for it, and the number of ids."""

    inside: int
    host: int
    size: int


@dataclass(frozen=True, slots=True)
class StepUser:
    """A user and its group inside a container."""

    user: int
    group: int


def user_of(image: Mapping[str, Any], ids: int) -> StepUser | None:
    """Return the user of an image from Podman's inspection; None for root and for names.

    Builds write numbers, for the group too. A user without a group has root's group.
    """
    found = _NUMBERS.fullmatch(str((image.get("Config") or {}).get("User") or ""))
    if not found:
        return None
    user, group = int(found[1]), int(found[2] or 0)
    return StepUser(user, group) if 0 < user < ids and group < ids else None


def extents(first: int, ids: int, inside: int, owner: int) -> list[Extent]:
    """Return ids from 0 mapped to the host's ids from `first`, with `inside` and `owner` swapped.

    So a step's files belong to the same user on the host, regardless of the user that the step runs as.
    """
    return list(_extents(first, ids, *sorted((inside, owner))))


def _extents(first: int, ids: int, low: int, high: int) -> Iterator[Extent]:
    if low == high:
        yield Extent(0, first, ids)
        return
    if low:
        yield Extent(0, first, low)
    yield Extent(low, first + high, 1)
    if high - low > 1:
        yield Extent(low + 1, first + low + 1, high - low - 1)
    yield Extent(high, first + low, 1)
    if high + 1 < ids:
        yield Extent(high + 1, first + high + 1, ids - high - 1)


NO_VERSION_6 = ("net.ipv6.conf.all.disable_ipv6", "net.ipv6.conf.default.disable_ipv6")


@dataclass(frozen=True, slots=True)
class ContainerSpec:
    """All settings of one container, such as `env`, `labels` and `command` (None: the image's).

    `secrets`: variables whose values Podman neither stores with the container nor shows. `first_id`: the
    host's id of the container's root, if the host can map users (else None). `group`: the user's group (None:
    the same number). `owner`: the id whose host id user and group are mapped to. `temporaries`: sizes of
    tmpfs file systems, by path. `log`: the maximum size of the log file. `network`: the bridge that the
    container joins before it starts, for the job of an `account`, if any. `version_6`: whether the kernel
    supports IPv6.
    """

    image: str
    env: Mapping[str, str]
    labels: Mapping[str, str]
    user: int
    seccomp: Path
    first_id: int | None
    memory: int
    cpus: float
    pids: int
    rlimits: Mapping[str, int]
    log: int
    temporaries: Mapping[str, int]
    mounts: tuple[Mount, ...]
    network: str | None = None
    account: str | None = None
    version_6: bool = True
    capabilities: tuple[str, ...] = ()
    command: tuple[str, ...] | None = None
    ids: int = 65_536
    secrets: Mapping[str, str] = field(default_factory=dict)
    group: int | None = None
    owner: int | None = None

    @property
    def ids_of_user(self) -> tuple[int, int]:
        """The ids of user and group."""
        return self.user, self.user if self.group is None else self.group

    @property
    def maps(self) -> list[list[Extent]]:
        """The maps of user ids and group ids to the host; empty if the host maps none."""
        if self.first_id is None:
            return [[], []]
        own = self.ids_of_user
        return [
            extents(self.first_id, self.ids, inside, inside if self.owner is None else self.owner)
            for inside in own
        ]

    @property
    def cpu(self) -> dict[str, int]:
        """The CPU quota and period, in microseconds."""
        return {"period": 100_000, "quota": max(1000, int(self.cpus * 100_000))}


def create_request(spec: ContainerSpec, name: str) -> dict[str, Any]:
    """Return the body of Podman's POST /libpod/containers/create. No default may weaken confinement."""
    body: dict[str, Any] = {
        "name": name,
        "image": spec.image,
        "env": dict(spec.env),
        "secret_env": dict(zip(spec.secrets, secret_names(spec, name), strict=True)),
        "labels": dict(spec.labels),
        "user": ":".join(map(str, spec.ids_of_user)),
        "cap_drop": ["all"],
        "cap_add": list(spec.capabilities),
        "no_new_privileges": True,
        "read_only_filesystem": True,
        "seccomp_profile_path": str(spec.seccomp),
        "init": True,
        "systemd": "false",
        "stop_signal": 15,
        "healthconfig": {"Test": ["NONE"]},
        "image_volume_mode": "ignore",
        "volatile": True,
        "umask": "0022",
        "ipcns": {"nsmode": "none"},
        "resource_limits": {
            "memory": {"limit": spec.memory, "swap": spec.memory},
            "cpu": spec.cpu,
            "pids": {"limit": spec.pids},
        },
        "r_limits": [{"type": kind, "hard": value, "soft": value} for kind, value in spec.rlimits.items()],
        "log_configuration": {"driver": "k8s-file", "size": spec.log},
        "mounts": [*_temporaries(spec), *_binds(spec)],
    }
    # Set as the entry point; otherwise the image's entry point would come before it.
    first, rest = (spec.command or ())[:1], (spec.command or ())[1:]
    command = {"entrypoint": list(first), "command": list(rest)} if first else {}
    return body | command | _network(spec) | _users(spec)


def secret_names(spec: ContainerSpec, name: str) -> list[str]:
    """Return the names of the container's secrets in Podman, in the order of `spec.secrets`."""
    return [f"{name}.{number}" for number in range(len(spec.secrets))]


def _temporaries(spec: ContainerSpec) -> list[dict[str, Any]]:
    shared = ["mode=1777", "nosuid", "nodev", "notmpcopyup"]
    return [
        {"type": "tmpfs", "source": "tmpfs", "destination": target, "options": [f"size={size}", *shared]}
        for target, size in spec.temporaries.items()
    ]


def _binds(spec: ContainerSpec) -> list[dict[str, Any]]:
    return [
        {
            "type": "bind",
            "source": str(mount.source.absolute()),
            "destination": mount.target,
            "options": ["rbind", "rw" if mount.writable else "ro", "nosuid", "nodev"],
        }
        for mount in spec.mounts
    ]


def _network(spec: ContainerSpec) -> dict[str, Any]:
    # Without the sysctl the container would have a link-local address that reaches the host on the bridge.
    switches = dict.fromkeys(NO_VERSION_6, "1") if spec.network and spec.version_6 else {}
    return {"netns": {"nsmode": "none"}, "sysctl": switches}


def _users(spec: ContainerSpec) -> dict[str, Any]:
    if spec.first_id is None:
        return {"userns": {"nsmode": "host"}}
    users, groups = (
        [{"container_id": part.inside, "host_id": part.host, "size": part.size} for part in extents]
        for extents in spec.maps
    )
    mappings = {"UIDMap": users, "GIDMap": groups, "HostUIDMapping": False, "HostGIDMapping": False}
    return {"userns": {"nsmode": "private"}, "idmappings": mappings}
