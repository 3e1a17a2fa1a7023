"""Comparison of a created container with its specification, before its code starts (decision 22)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from chains.engine.port import EngineError
from chains.podman import cgroup
from chains.podman.container_spec import ContainerSpec, Extent

Document = Mapping[str, Any]
"""A JSON object of the engine: Podman's inspection, or the configuration of the OCI runtime."""


def require_confined(spec: ContainerSpec, inspected: Document) -> None:
    """Raise EngineError if the container, or the kernel's data about it, is not as specified."""
    try:
        config = json.loads(Path(inspected["OCIConfigPath"]).read_bytes())
        found = differences(spec, inspected, config)
        found += cgroup.differences(inspected["State"]["Pid"], spec.memory, spec.pids, spec.first_id or 0)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise EngineError(f"Podman describes it in a form that is not known here: {error!r}") from error
    if found:
        raise EngineError(f"it is not confined as it must be: {'; '.join(found)}")


def differences(spec: ContainerSpec, inspected: Document, config: Document) -> list[str]:
    """Return the properties of a created container that differ from `create_request`, as clauses.

    `inspected` is Podman's GET /libpod/containers/{id}/json, `config` the container's config.json, by which
    the OCI runtime asks the kernel: Podman and its client silently drop some options.
    """
    return [
        f"{what} is {found!r}, not {wanted!r}"
        for what, wanted, found in _facts(spec, inspected, config)
        if wanted != found
    ] + _foreign_mounts(spec, config)


def _facts(
    spec: ContainerSpec, inspected: Document, config: Document
) -> Iterator[tuple[str, object, object]]:
    process, linux, host = config["process"], config["linux"], inspected["HostConfig"]
    resources = linux["resources"]
    yield "privileged", False, host["Privileged"]
    yield "the network", "none", host["NetworkMode"]
    yield "its networks", [], _found_networks(inspected)
    yield "the log driver", "k8s-file", host["LogConfig"]["Type"]
    yield "the user", spec.ids_of_user, (process["user"]["uid"], process["user"]["gid"])
    yield "capabilities", sorted(spec.capabilities), _found_capabilities(process)
    yield "no-new-privileges", True, process.get("noNewPrivileges", False)
    yield "the init process", True, host.get("Init", False) and process["args"][0] == "/run/podman-init"
    yield "ulimits", dict(spec.rlimits), _found_rlimits(process)
    yield "the read-only root", True, config["root"].get("readonly", False)
    yield "the map of users", spec.maps[0], _found_map(linux.get("uidMappings", []))
    yield "the map of groups", spec.maps[1], _found_map(linux.get("gidMappings", []))
    yield "the memory limit", spec.memory, resources.get("memory", {}).get("limit")
    yield "the limit of memory and swap", spec.memory, resources.get("memory", {}).get("swap")
    yield "the processor share", spec.cpu, _found_cpu(resources)
    yield "the limit of processes", spec.pids, resources.get("pids", {}).get("limit")
    yield "devices of the host", [], linux.get("devices", [])
    yield (
        "the seccomp profile",
        _admitted_calls(_profile(spec.seccomp)),
        _admitted_calls(linux.get("seccomp", {})),
    )
    yield "missing namespaces", set(), _namespaces(spec) - {n["type"] for n in linux["namespaces"]}
    yield "unmasked paths", set(), {"/proc/kcore", "/proc/keys"} - set(linux.get("maskedPaths", []))
    yield "writable paths", set(), {"/proc/sys", "/proc/sysrq-trigger"} - set(linux.get("readonlyPaths", []))
    yield "mounts", _wanted_mounts(spec), _found_mounts(spec, config)


SYSTEM_MOUNTS = frozenset({
    *("/proc", "/sys", "/sys/fs/cgroup", "/dev", "/dev/pts", "/dev/mqueue", "/run/podman-init"),
    *("/run/.containerenv", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/passwd", "/etc/group"),
})  # fmt: skip
"""Mounts that Podman adds to every container. /dev is a small one without devices of the host."""


def _foreign_mounts(spec: ContainerSpec, config: Document) -> list[str]:
    known = SYSTEM_MOUNTS | set(_wanted_mounts(spec))
    places = [mount["destination"] for mount in config["mounts"]]
    foreign = [f"{place} is mounted unasked" for place in places if place not in known]
    return foreign + [f"{place} is mounted twice" for place in {p for p in places if places.count(p) > 1}]


def _wanted_mounts(spec: ContainerSpec) -> dict[str, tuple[str, ...]]:
    wanted: dict[str, tuple[str, ...]] = {
        target: ("tmpfs", f"size={size}", "nodev", "nosuid") for target, size in spec.temporaries.items()
    }
    for mount in spec.mounts:
        state = "rw" if mount.writable else "ro"
        wanted[mount.target] = (str(mount.source.absolute()), state, "nodev", "nosuid")
    return wanted


def _found_mounts(spec: ContainerSpec, config: Document) -> dict[str, tuple[str, ...]]:
    targets = set(_wanted_mounts(spec))
    found = {}
    for mount in config["mounts"]:
        if mount["destination"] in targets:
            options = set(mount["options"])
            temporary = mount["type"] == "tmpfs"
            size = [o for o in options if o.startswith("size=")]
            state = size if temporary else sorted(options & {"ro", "rw"})
            found[mount["destination"]] = (mount["source"], *state, *sorted(options & {"nodev", "nosuid"}))
    return found


def _namespaces(spec: ContainerSpec) -> set[str]:
    always = {"pid", "network", "ipc", "uts", "mount"}
    return always if spec.first_id is None else always | {"user"}


def _found_map(said: list[Mapping[str, int]]) -> list[Extent]:
    return [Extent(part["containerID"], part["hostID"], part["size"]) for part in said]


def _found_networks(inspected: Document) -> list[str]:
    return sorted(inspected["NetworkSettings"].get("Networks") or {})


def _found_capabilities(process: Document) -> list[str]:
    return sorted({c for kept in process.get("capabilities", {}).values() for c in kept})


def _found_cpu(resources: Document) -> dict[str, int]:
    return {key: resources.get("cpu", {}).get(key, 0) for key in ("period", "quota")}


def _found_rlimits(process: Document) -> dict[str, int]:
    return {
        r["type"].removeprefix("RLIMIT_").lower(): max(r["hard"], r["soft"])
        for r in process.get("rlimits", [])
    }


@cache
def _profile(path: Path) -> Document:
    profile: Document = json.loads(path.read_bytes())
    return profile


def _admitted_calls(profile: Document) -> dict[str, list[str]]:
    """Return the system calls that a seccomp profile allows, each with the conditions on its arguments."""
    admitted: dict[str, list[str]] = {"otherwise": [str(profile.get("defaultAction", "everything"))]}
    for rule in profile.get("syscalls", []):
        if rule["action"] == "SCMP_ACT_ALLOW":
            arguments = [(a["index"], a["op"], a["value"]) for a in rule.get("args") or []]
            for call in rule["names"]:
                admitted[call] = sorted([*admitted.get(call, []), str(arguments)])
    return admitted
