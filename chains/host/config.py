"""Configuration files of a Podman of its own: folders, runtime, networks (containers.conf(5))."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shlex
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from chains.host.bridges import Bridge

SYSTEMD = Path("/run/systemd/system")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
POLICY = {"default": [{"type": "insecureAcceptAnything"}]}
TIDIED_AFTER_SECONDS = 20
"""For so long conmon(8) leaves an ended container to Curlew, before it calls `podman container cleanup`."""


@dataclass(frozen=True, slots=True)
class HostFolders:
    """Folders of a Podman: `folder` for what stays, `state` for what ends with the machine's uptime."""

    folder: Path
    state: Path

    def environ(self, variables: Mapping[str, str]) -> dict[str, str]:
        """The whole environment of a process of Podman's; this process's own holds secrets and stays here."""
        return {
            "PATH": PATH,
            "LANG": "C.UTF-8",
            **variables,
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "scratch"),
            "CONTAINERS_CONF": str(self.folder / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"),
        }

    def service_environ(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of the service, whose conmon leaves ended containers to Curlew."""
        return {**self.environ(variables), "CONTAINERS_CONF": str(self.folder / "service.conf")}

    @property
    def socket(self) -> Path:
        """The socket on which the service listens."""
        return self.state / "podman.sock"

    @property
    def store(self) -> Path:
        """The images, and what is mounted of containers."""
        return self.folder / "store"


@dataclass(frozen=True, slots=True)
class Runtime:
    """An OCI runtime by name, and whether containers get a user namespace."""

    name: str
    userns: bool

    def __str__(self) -> str:
        users = "with" if self.userns else "without"
        return f"{self.name} {users} user namespaces"


def write(folders: HostFolders, runtime: Runtime, bridge: Bridge, others: Iterable[Bridge] = ()) -> None:
    """Write the configuration and what it names; `bridge` is the default network beside `others`."""
    folder = folders.folder
    for name in ("home/.config/containers", "net", "scratch", "volumes"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folders.state / "tmp").mkdir(parents=True, exist_ok=True)
    (folder / "containers.conf").write_text(_containers_conf(folders, runtime, bridge))
    patient = _patient_conmon(folder / "conmon")
    (folder / "service.conf").write_text(_containers_conf(folders, runtime, bridge, patient))
    (folder / "storage.conf").write_text(
        f'[storage]\ndriver = "overlay"\ngraphroot = "{folders.store}"\nrunroot = "{folders.state}/run"\n'
    )
    (folder / "home/.config/containers/policy.json").write_text(json.dumps(POLICY))
    for network in (bridge, *others):
        (folder / "net" / f"{network.name}.json").write_text(json.dumps(_network(network), indent=1))


def within_hard_limit(kind: int, wanted: int) -> int:
    """Return the lower of `wanted` and this process's hard limit, which takes CAP_SYS_RESOURCE to raise."""
    _, hard = resource.getrlimit(kind)
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def _patient_conmon(script: Path) -> str:
    """Return a line of containers.conf for a conmon that waits before it has Podman tidy up; else empty.

    Curlew removes containers itself and then ends their conmon: a process of Podman's less for every step.
    """
    if (conmon := shutil.which("conmon", path=PATH)) is None:
        return ""
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(conmon)} --exit-delay {TIDIED_AFTER_SECONDS} "$@"\n')
    script.chmod(0o755)
    # A folder that is mounted noexec stays with Podman's own.
    return f'conmon_path = ["{script}"]\n' if os.access(script, os.X_OK) else ""


def _containers_conf(folders: HostFolders, runtime: Runtime, bridge: Bridge, engine: str = "") -> str:
    files = within_hard_limit(resource.RLIMIT_NOFILE, 1024)
    processes = within_hard_limit(resource.RLIMIT_NPROC, 4096)
    # No static_dir: conmon's own `podman container cleanup` would not know of it, and every end would take
    # 20 s. What must not lie on a disk is mounted where it is looked for by default (container_records).
    return f"""[containers]
default_ulimits = ["nofile={files}:{files}", "nproc={processes}:{processes}"]
log_driver = "k8s-file"
[engine]
runtime = "{runtime.name}"
cgroup_manager = "{"systemd" if SYSTEMD.exists() else "cgroupfs"}"
events_logger = "none"
lock_type = "file"
image_copy_tmp_dir = "{folders.folder}/scratch"
tmp_dir = "{folders.state}/tmp"
volume_path = "{folders.folder}/volumes"
{engine}[network]
network_backend = "netavark"
network_config_dir = "{folders.folder}/net"
default_network = "{bridge.name}"
default_subnet = "{bridge.subnet}"
"""


def _network(bridge: Bridge) -> dict[str, object]:
    """The network as `podman network create` would write it, with an interface's name of our choice."""
    return {
        "name": bridge.name,
        "id": hashlib.sha256(bridge.name.encode()).hexdigest(),
        "driver": "bridge",
        "network_interface": bridge.interface,
        "created": "2026-01-01T00:00:00Z",
        "subnets": [
            {"subnet": str(bridge.subnet), "gateway": str(bridge.gateway), "lease_range": bridge.by_hand}
        ],
        "ipv6_enabled": False,
        "internal": bridge.inner,
        "dns_enabled": False,
        "ipam_options": {"driver": "host-local"},
    }
