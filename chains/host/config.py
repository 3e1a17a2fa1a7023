"""Configuration files of a separate Podman: folders, runtime, networks (containers.conf(5))."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from chains.engine.port import EngineError
from chains.host.bridges import Bridge

SYSTEMD = Path("/run/systemd/system")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
POLICY = {"default": [{"type": "insecureAcceptAnything"}]}
TIDIED_AFTER_SECONDS = 20
"""Time that conmon(8) waits before `podman container cleanup`: Curlew removes the container earlier."""


@dataclass(frozen=True, slots=True)
class HostFolders:
    """Folders of a Podman: `folder` for permanent files, `state` for those that a reboot removes."""

    folder: Path
    state: Path

    def environ(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Return the whole environment of a Podman process; our own contains secrets and is not passed on."""
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
        """The images, and the mounts of containers."""
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
    """Write the configuration files; `bridge` is the default network besides `others`."""
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
    """Return the lower of `wanted` and this process's hard limit; raising that needs CAP_SYS_RESOURCE."""
    _, hard = resource.getrlimit(kind)
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def _patient_conmon(script: Path) -> str:
    """Return a line of containers.conf for a conmon that delays Podman's cleanup; "" if it cannot.

    Curlew removes containers itself and then ends their conmon. This saves one Podman process per step.
    """
    if (conmon := shutil.which("conmon", path=PATH)) is None:
        return ""
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(conmon)} --exit-delay {TIDIED_AFTER_SECONDS} "$@"\n')
    script.chmod(0o755)
    # On a folder mounted noexec, Podman's own one is used.
    return f'conmon_path = ["{script}"]\n' if os.access(script, os.X_OK) else ""


def _containers_conf(folders: HostFolders, runtime: Runtime, bridge: Bridge, engine: str = "") -> str:
    files = within_hard_limit(resource.RLIMIT_NOFILE, 1024)
    processes = within_hard_limit(resource.RLIMIT_NPROC, 4096)
    # No static_dir: conmon's own `podman container cleanup` would not know it, and each end of a step would
    # take 20 s. Files that must not be on a disk are at the default paths, in memory (container_records).
    # Steps may not use keyrings, and the kernel limits their number. If this machine is a container, it may
    # not be allowed to make one.
    return f"""[containers]
keyring = false
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
    """Return the network as `podman network create` writes it, with a chosen interface name."""
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


NAMES = ("crun", "runc")
"""In Podman's own order of preference."""


class RuntimeChoice:
    """The runtime of a host, `chosen` by trying and recorded in `file`.

    Candidates are the runtime `name`, or all installed ones (None), with user namespaces if `userns` is set.
    """

    def __init__(self, file: Path, name: str | None, *, userns: bool) -> None:
        self._file = file
        self._name = name
        self._userns = userns
        self.chosen: Runtime | None = None

    @property
    def proven(self) -> Runtime | None:
        """The runtime that was found earlier for the same settings."""
        if self.chosen:
            return self.chosen
        with suppress(OSError, ValueError, KeyError):
            found = json.loads(self._file.read_text())
            if found["wanted"] == [self._name, self._userns]:
                return Runtime(found["name"], found["userns"])
        return None

    def require(self) -> Runtime:
        """Return the runtime that works here. Raises EngineError before the host was prepared."""
        if self.chosen is None:
            raise EngineError("the host was not made ready: call ensure() first")
        return self.chosen

    def choose(self, attempt: Callable[[Runtime, bool], str | None]) -> None:
        """Choose the first runtime with which `attempt` succeeds; it also gets whether that one is proven.

        Raises EngineError if none works.
        """
        proven = self.proven
        candidates = self._candidates()
        failures = [] if candidates else ["none is installed"]
        for runtime in sorted(candidates, key=lambda candidate: candidate != proven):
            trouble = attempt(runtime, runtime == proven)
            if not trouble:
                self._keep(runtime)
                return
            failures.append(f"{runtime}: {trouble}")
        raise EngineError("no container runtime works here: " + "; ".join(failures))

    def _keep(self, runtime: Runtime) -> None:
        self.chosen = runtime
        wanted = [self._name, self._userns]
        self._file.write_text(json.dumps({"wanted": wanted, "name": runtime.name, "userns": runtime.userns}))

    def _candidates(self) -> list[Runtime]:
        """Return candidates in order: those with user namespaces before those without.

        Always by name: Podman's own choice changes when another runtime is installed.
        """
        names = [self._name] if self._name else [name for name in NAMES if shutil.which(name, path=PATH)]
        return [
            Runtime(name, userns) for userns in ([True, False] if self._userns else [False]) for name in names
        ]
