"""Build boxes: containers without access to the host, whose root may mount file systems."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from chains.engine.port import EngineError, Exit, Limits, Line, Mount, Network
from chains.host.config import within_hard_limit
from chains.podman.confined_containers import ConfinedContainers
from chains.podman.confinement import INSTANCE_LABEL, Confinement, bridge_of, name_mounts, profile_text
from chains.podman.container_spec import ContainerSpec

BUILD_LABEL = "curlew.build"
FIRST_ID = 200_000
"""The host's id for root in a box. It is neither the host's root nor the user of any step."""

IN_A_STEP_OF_A_RECIPE = (
    *("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE"),
    *("SETFCAP", "SETGID", "SETPCAP", "SETUID"),
)
CAPABILITIES = tuple(f"CAP_{word}" for word in (*IN_A_STEP_OF_A_RECIPE, "SYS_ADMIN", "SYS_CHROOT"))
MOUNTING = ("chroot", "mount", "pivot_root", "setdomainname", "sethostname", "umount2")
NEW_NAMESPACES = 0x7E020000
NEW_MOUNTS_AND_NAMES = 0x04020000
"""Flags of clone(2): all namespaces, and those that a builder opens, of mounts and of the host name."""

OPEN_FILES = 1024
PROCESSES = 4096
TEMPORARIES = {"/tmp": 64 << 20, "/run": 16 << 20, "/dev/shm": 64 << 20}
LOG = 10 << 20
ACCEPTED = [{"type": "insecureAcceptAnything"}]


@dataclass(frozen=True, slots=True)
class BuildLimits:
    """Limits of one build: bytes of memory, cores, processes, seconds, bytes of disk and of log.

    `cache` is the maximum size on the host of the disks of all repos together.
    """

    memory: int = 2 << 30
    cpus: float = 2.0
    pids: int = 1024
    seconds: float = 900.0
    disk: int = 4 << 30
    cache: int = 20 << 30
    log: int = LOG


@dataclass(frozen=True, slots=True)
class BuildBox:
    """A runner of scripts in containers of the builder's `image`.

    `seccomp` is the file of `profile`, `idle` an empty folder, `confinement` that of the host's steps.
    """

    containers: ConfinedContainers
    image: str
    seccomp: Path
    instance: str
    idle: Path
    confinement: Confinement

    def run(
        self,
        script: str,
        mounts: tuple[Mount, ...],
        limits: BuildLimits,
        network: Network = Network.NONE,
        tell: Callable[[Line], None] = lambda line: None,
        beside: Callable[[int], AbstractContextManager[object]] = lambda pid: nullcontext(),
        begun: Callable[[Callable[[], None]], object] = lambda kill: None,
    ) -> Exit:
        """Run a shell script in its own box until all of its processes have ended.

        `beside(pid)` is a context around the run, for a process in its namespaces. `begun` gets a function to
        kill the box. The script survives Podman's service. Raises EngineError if no box can be made.
        """
        watched = Limits(seconds=limits.seconds, log=limits.log)
        container = self.containers.make(
            self.container_spec(script, mounts, limits, network), watched, self.idle
        )
        try:
            with beside(container.pid):
                begun(container.watch.kill)
                container.watch.start(lambda: self.containers.start(container))
                return self.containers.wait(container, tell)
        finally:
            self.containers.remove(container)

    def container_spec(
        self, script: str, mounts: tuple[Mount, ...], limits: BuildLimits, network: Network = Network.NONE
    ) -> ContainerSpec:
        """Return the container in which a script runs."""
        return ContainerSpec(
            image=self.image,
            command=("sh", "-c", script),
            env={"HOME": "/tmp", "TMPDIR": "/vol/tmp"},
            labels={BUILD_LABEL: "yes", INSTANCE_LABEL: self.instance},
            user=0,
            capabilities=CAPABILITIES,
            seccomp=self.seccomp,
            first_id=FIRST_ID,
            memory=limits.memory,
            cpus=limits.cpus,
            pids=limits.pids,
            rlimits={**_process_limits(), "core": 0},
            log=8 * limits.log + (1 << 20),
            temporaries=TEMPORARIES,
            mounts=(*mounts, *name_mounts(network, self.confinement)),
            network=bridge_of(network, self.confinement),
            version_6=self.confinement.version_6,
        )


def sweep(containers: ConfinedContainers, instance: str) -> None:
    """Remove the boxes that a killed runner of the Curlew `instance` left. Raise EngineError."""
    for container, labels in containers.api.list_labelled(INSTANCE_LABEL, instance):
        if BUILD_LABEL in labels:
            containers.api.remove(container)


def profile() -> str:
    """Return the seccomp profile of a box: that of steps, with the calls that mount layers in a namespace."""
    found = json.loads(profile_text())
    freed = {*MOUNTING, "unshare"}
    for rule in found["syscalls"]:
        rule["names"] = [name for name in rule["names"] if name not in freed]
    allow = {"action": "SCMP_ACT_ALLOW"}
    others = {
        "index": 0,
        "value": NEW_NAMESPACES & ~NEW_MOUNTS_AND_NAMES,
        "valueTwo": 0,
        "op": "SCMP_CMP_MASKED_EQ",
    }
    found["syscalls"] += [
        allow | {"names": list(MOUNTING)},
        allow | {"names": ["unshare"], "args": [others]},
    ]
    return json.dumps(found)


def write_etc(folder: Path, storage: str, registries: tuple[str, ...] | None) -> tuple[Mount, ...]:
    """Write the builder's configuration into `folder`, and return its mounts.

    `storage` is its store. `registries` are the hosts that images may be pulled from; None means any.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "storage.conf": (
            f'[storage]\ndriver = "overlay"\ngraphroot = "{storage}"\nrunroot = "/tmp/run"\n'
            + ("" if storage == "/base" else '[storage.options]\nadditionalimagestores = ["/base"]\n')
        ),
        "containers.conf": _containers_conf(),
        "shown.json": json.dumps({"default": ACCEPTED}),
        "policy.json": json.dumps(_policy(registries)),
        "registries.conf": (
            'unqualified-search-registries = ["docker.io"]\nshort-name-mode = "permissive"\n'
        ),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return tuple(Mount(folder / name, f"/etc/containers/{name}") for name in texts)


def _process_limits() -> Mapping[str, int]:
    return {
        "nofile": within_hard_limit(resource.RLIMIT_NOFILE, OPEN_FILES),
        "nproc": within_hard_limit(resource.RLIMIT_NPROC, PROCESSES),
    }


def _containers_conf() -> str:
    limits = [f"{name}={most}:{most}" for name, most in _process_limits().items()]
    return (
        f"[containers]\ndefault_ulimits = {json.dumps(limits)}\n"
        f"default_capabilities = {json.dumps(IN_A_STEP_OF_A_RECIPE)}\n"
    )


def _policy(registries: tuple[str, ...] | None) -> Mapping[str, object]:
    """Return the policy for the images that a recipe may begin with (containers-policy.json(5)).

    It allows images in the store, and public images of `registries`. A path is not an image's name.
    """
    hosts = ("",) if registries is None else registries
    transports = {"containers-storage": {"": ACCEPTED}}
    if hosts:
        transports["docker"] = dict.fromkeys(hosts, ACCEPTED)
    return {"default": [{"type": "reject"}], "transports": transports}


def require_success(ended: Exit, lines: Iterator[str] | list[str], what: str) -> None:
    """Raise EngineError if a box for the server's own work failed."""
    if not ended.succeeded:
        raise EngineError(f"{what} ({ended.cause}, exit code {ended.code}): {' '.join(lines)[-500:]}")
