"""What a step's container must look like: the request for it,
and the comparison with what the engine really made (decisions 24).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from chains.engine import Network, StepSpec

RUN_LABEL = "curlew.run"
STEP_LABEL = "curlew.step"
INSTANCE_LABEL = "curlew.instance"
NO_VERSION_6 = ("net.ipv6.conf.all.disable_ipv6", "net.ipv6.conf.default.disable_ipv6")

Document = Mapping[str, Any]
"""A JSON object of the engine: Podman's create request or inspection,
or the configuration that the OCI runtime is given.
"""


@dataclass(frozen=True, slots=True)
class Confinement:
    """What is the same for every step on this host: ids, sizes in bytes, number of open files.

    `first_id` is the host's id of a container's root when the host can map users, else None: then `user` is
    the host's too. `seccomp` is the profile's file, `network` the bridge for `Network.OUTBOUND`, `api` the
    one for `Network.API`, `version_6` whether the kernel knows IPv6.
    """

    seccomp: Path
    first_id: int | None = 100_000
    ids: int = 65_536
    user: int = 65_532
    temporary: int = 64 << 20
    shared_memory: int = 64 << 20
    open_files: int = 1024
    processes: int = 4096
    network: str = "podman"
    api: str = "podman-api"
    version_6: bool = True

    @property
    def owner(self) -> int:
        """The host's id of the user that steps run as: who must own what they are to read and write."""
        return self.user + (self.first_id or 0)

    @property
    def map(self) -> list[dict[str, int]]:
        """The ids of the container on the host, as OCI's linux.uidMappings; empty when the host maps none."""
        if self.first_id is None:
            return []
        return [{"containerID": 0, "hostID": self.first_id, "size": self.ids}]


def request(step: StepSpec, confinement: Confinement, name: str, instance: str) -> dict[str, Any]:
    """The body of Podman's POST /libpod/containers/create for `step`;
    nothing is left to a default that could open it.
    """
    limits = step.limits
    body: dict[str, Any] = {
        "name": name,
        "image": step.image,
        "env": {"HOME": "/tmp", **step.env},
        "labels": {RUN_LABEL: step.run, STEP_LABEL: step.step, INSTANCE_LABEL: instance},
        "user": f"{confinement.user}:{confinement.user}",
        "cap_drop": ["all"],
        "no_new_privileges": True,
        "read_only_filesystem": True,
        "seccomp_profile_path": str(confinement.seccomp),
        "init": True,
        "systemd": "false",
        "stop_signal": 15,
        "healthconfig": {"Test": ["NONE"]},
        "image_volume_mode": "ignore",
        "volatile": True,
        "umask": "0022",
        "ipcns": {"nsmode": "none"},
        "resource_limits": {
            "memory": {"limit": limits.memory, "swap": limits.memory},
            "cpu": _cpu(limits.cpus),
            "pids": {"limit": limits.pids},
        },
        "r_limits": [
            {"type": kind, "hard": value, "soft": value}
            for kind, value in _rlimits(step, confinement).items()
        ],
        # The engine reads along and ends the step at the limit of its texts; this bounds the disk, with the
        # 45 bytes that each record has besides.
        "log_configuration": {"driver": "k8s-file", "size": 8 * limits.log + (1 << 20)},
        "mounts": [*_temporaries(confinement), *_binds(step)],
    }
    return body | _network(step, confinement) | _users(confinement)


def refusal(step: StepSpec, reason: str) -> str:
    """Why `step` has no container, in words for a run's log; `reason` is Podman's or ours."""
    if "image not known" in reason or "no such image" in reason:
        return (
            f"the image {step.image} of step {step.step} is not there: push its repository again to build it"
        )
    if "no command or entrypoint" in reason:
        return f"the image of step {step.step} says no command: add CMD or ENTRYPOINT to its Dockerfile"
    return f"step {step.step} cannot have its container: {reason}"


def differences(step: StepSpec, confinement: Confinement, inspected: Document, config: Document) -> list[str]:
    """Where the created container is not as `request` wanted it, a clause each; empty when all is well.

    `inspected` is Podman's GET /libpod/containers/{id}/json, `config` the OCI runtime's config.json of the
    container, which is what the kernel will be asked for: Podman and its client drop some options without a
    word.
    """
    return [
        f"{what} is {found!r}, not {wanted!r}"
        for what, wanted, found in _facts(step, confinement, inspected, config)
        if wanted != found
    ] + _foreign_mounts(step, config)


def _facts(
    step: StepSpec, confinement: Confinement, inspected: Document, config: Document
) -> Iterator[tuple[str, object, object]]:
    process, linux, host = config["process"], config["linux"], inspected["HostConfig"]
    user, resources = confinement.user, linux["resources"]
    yield "privileged", False, host["Privileged"]
    yield "the network", "none" if step.network is Network.NONE else "bridge", host["NetworkMode"]
    yield "its networks", _networks(step, confinement), _found_networks(inspected)
    yield "the log driver", "k8s-file", host["LogConfig"]["Type"]
    yield "the user", (user, user), (process["user"]["uid"], process["user"]["gid"])
    yield "capabilities", [], sorted({c for kept in process.get("capabilities", {}).values() for c in kept})
    yield "no-new-privileges", True, process.get("noNewPrivileges", False)
    yield "the init process", True, host.get("Init", False) and process["args"][0] == "/run/podman-init"
    yield "ulimits", _rlimits(step, confinement), _found_rlimits(process)
    yield "the read-only root", True, config["root"].get("readonly", False)
    yield "the map of users", confinement.map, linux.get("uidMappings", [])
    yield "the map of groups", confinement.map, linux.get("gidMappings", [])
    yield "the memory limit", step.limits.memory, resources.get("memory", {}).get("limit")
    yield "the limit of memory and swap", step.limits.memory, resources.get("memory", {}).get("swap")
    yield "the processor share", _cpu(step.limits.cpus), _found_cpu(resources)
    yield "the limit of processes", step.limits.pids, resources.get("pids", {}).get("limit")
    yield "devices of the host", [], linux.get("devices", [])
    yield "the seccomp profile", _allowed(_profile(confinement.seccomp)), _allowed(linux.get("seccomp", {}))
    yield "missing namespaces", set(), _namespaces(confinement) - {n["type"] for n in linux["namespaces"]}
    yield "unmasked paths", set(), {"/proc/kcore", "/proc/keys"} - set(linux.get("maskedPaths", []))
    yield "writable paths", set(), {"/proc/sys", "/proc/sysrq-trigger"} - set(linux.get("readonlyPaths", []))
    yield "mounts", _wanted_mounts(step, confinement), _found_mounts(step, config)


SYSTEM_MOUNTS = frozenset({
    *("/proc", "/sys", "/sys/fs/cgroup", "/dev", "/dev/pts", "/dev/mqueue", "/run/podman-init"),
    *("/run/.containerenv", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/passwd", "/etc/group"),
})  # fmt: skip
"""What Podman puts into every container; /dev is a small one of its own without devices of the host."""


def _foreign_mounts(step: StepSpec, config: Document) -> list[str]:
    known = SYSTEM_MOUNTS | {"/tmp", "/dev/shm"} | {mount.target for mount in step.mounts}
    places = [mount["destination"] for mount in config["mounts"]]
    foreign = [f"{place} is mounted unasked" for place in places if place not in known]
    return foreign + [f"{place} is mounted twice" for place in {p for p in places if places.count(p) > 1}]


def _wanted_mounts(step: StepSpec, confinement: Confinement) -> dict[str, tuple[str, ...]]:
    temporary = {"/tmp": confinement.temporary, "/dev/shm": confinement.shared_memory}
    wanted: dict[str, tuple[str, ...]] = {
        target: ("tmpfs", f"size={size}", "nodev", "nosuid") for target, size in temporary.items()
    }
    for mount in step.mounts:
        wanted[mount.target] = (
            str(mount.source.absolute()),
            "rw" if mount.writable else "ro",
            "nodev",
            "nosuid",
        )
    return wanted


def _found_mounts(step: StepSpec, config: Document) -> dict[str, tuple[str, ...]]:
    targets = {"/tmp", "/dev/shm"} | {mount.target for mount in step.mounts}
    found = {}
    for mount in config["mounts"]:
        if mount["destination"] in targets:
            options = set(mount["options"])
            temporary = mount["type"] == "tmpfs"
            size = [o for o in options if o.startswith("size=")]
            state = size if temporary else sorted(options & {"ro", "rw"})
            found[mount["destination"]] = (mount["source"], *state, *sorted(options & {"nodev", "nosuid"}))
    return found


def _temporaries(confinement: Confinement) -> list[dict[str, Any]]:
    shared = ["mode=1777", "nosuid", "nodev", "notmpcopyup"]
    sizes = {"/tmp": confinement.temporary, "/dev/shm": confinement.shared_memory}
    return [
        {"type": "tmpfs", "source": "tmpfs", "destination": target, "options": [f"size={size}", *shared]}
        for target, size in sizes.items()
    ]


def _binds(step: StepSpec) -> list[dict[str, Any]]:
    return [
        {
            "type": "bind",
            "source": str(mount.source.absolute()),
            "destination": mount.target,
            "options": ["rbind", "rw" if mount.writable else "ro", "nosuid", "nodev"],
        }
        for mount in step.mounts
    ]


def _network(step: StepSpec, confinement: Confinement) -> dict[str, Any]:
    if step.network is Network.NONE:
        return {"netns": {"nsmode": "none"}}
    # Without the sysctl a step would have a link-local address that reaches the host's end of the bridge.
    return {
        "netns": {"nsmode": "bridge"},
        "networks": {network: {} for network in _networks(step, confinement)},
        "sysctl": dict.fromkeys(NO_VERSION_6, "1") if confinement.version_6 else {},
    }


def _networks(step: StepSpec, confinement: Confinement) -> list[str]:
    bridges = {Network.API: confinement.api, Network.OUTBOUND: confinement.network}
    return [bridges[step.network]] if step.network in bridges else []


def _found_networks(inspected: Document) -> list[str]:
    return sorted(inspected["NetworkSettings"].get("Networks") or {})


def _users(confinement: Confinement) -> dict[str, Any]:
    if confinement.first_id is None:
        return {"userns": {"nsmode": "host"}}
    ids = [{"container_id": 0, "host_id": confinement.first_id, "size": confinement.ids}]
    mappings = {"UIDMap": ids, "GIDMap": ids, "HostUIDMapping": False, "HostGIDMapping": False}
    return {"userns": {"nsmode": "private"}, "idmappings": mappings}


def _namespaces(confinement: Confinement) -> set[str]:
    always = {"pid", "network", "ipc", "uts", "mount"}
    return always if confinement.first_id is None else always | {"user"}


def _cpu(cpus: float) -> dict[str, int]:
    return {"period": 100_000, "quota": max(1000, int(cpus * 100_000))}


def _found_cpu(resources: Document) -> dict[str, int]:
    return {key: resources.get("cpu", {}).get(key, 0) for key in ("period", "quota")}


def _rlimits(step: StepSpec, confinement: Confinement) -> dict[str, int]:
    return {
        "nofile": confinement.open_files,
        "nproc": confinement.processes,
        "fsize": step.limits.output,
        "core": 0,
    }


def _found_rlimits(process: Document) -> dict[str, int]:
    return {
        r["type"].removeprefix("RLIMIT_").lower(): max(r["hard"], r["soft"])
        for r in process.get("rlimits", [])
    }


@cache
def _profile(path: Path) -> Document:
    profile: Document = json.loads(path.read_bytes())
    return profile


def _allowed(profile: Document) -> dict[str, list[str]]:
    """System calls that a seccomp profile admits, each with the conditions on its arguments."""
    admitted: dict[str, list[str]] = {"otherwise": [str(profile.get("defaultAction", "everything"))]}
    for rule in profile.get("syscalls", []):
        if rule["action"] == "SCMP_ACT_ALLOW":
            arguments = [(a["index"], a["op"], a["value"]) for a in rule.get("args") or []]
            for call in rule["names"]:
                admitted[call] = sorted([*admitted.get(call, []), str(arguments)])
    return admitted


def profile_text() -> str:
    """Our seccomp profile, in the form of containers/common:
    an allow list for programs without any capability.
    """
    return files("chains").joinpath("seccomp.json").read_text()
