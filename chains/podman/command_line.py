"""Podman's command line for a StepSpec, to repeat a step by hand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from chains.engine.port import Network, StepSpec
from chains.podman.confinement import Confinement, bridge_of, name_mounts, who_runs
from chains.podman.container_spec import NO_VERSION_6
from chains.podman.step_users import StepUser, extents


def confinement_options(step: StepSpec, confinement: Confinement, named: StepUser | None = None) -> list[str]:
    """Options that confine a step as `container_spec.create_request` does, but for mounts and variables."""
    limits, who = step.limits, who_runs(confinement, named)
    return [
        *_network(step, confinement),
        *("--ipc=none", "--init", "--systemd=false", "--no-healthcheck", "--umask=0022"),
        *("--read-only", "--read-only-tmpfs=false", "--image-volume=ignore", "--cap-drop=all"),
        *("--security-opt=no-new-privileges", f"--security-opt=seccomp={confinement.seccomp}"),
        *(f"--user={who.user}:{who.group}", "--log-driver=k8s-file"),
        *(f"--memory={limits.memory}", f"--memory-swap={limits.memory}", f"--pids-limit={limits.pids}"),
        *("--cpu-period=100000", f"--cpu-quota={max(1000, int(limits.cpus * 100_000))}"),
        *_ulimits(step, confinement),
        *_temporaries(confinement),
        *_users(confinement, who),
        "--env=HOME=/tmp",
    ]


def command_line(
    step: StepSpec, confinement: Confinement, podman: str = "podman", named: StepUser | None = None
) -> str:
    """Return the shell command that runs a step's image as the step ran, with the same user.

    Folders are the reader's own: /input is ./input, and so on. Variables are named without their values,
    which may be secret.
    """
    words = [shlex.quote(word) for word in confinement_options(step, confinement, named)]
    folders = [
        f'-v "$PWD{mount.target}:{mount.target}:{"rw" if mount.writable else "ro"},nosuid,nodev"'
        for mount in step.mounts
    ]
    names = [shlex.quote(f"--env={name}") for name in sorted(step.env) if name != "HOME"]
    made = " ".join(f".{mount.target}" for mount in step.mounts)
    run = " ".join([podman, "run", "--rm", *words, *names, *folders, shlex.quote(step.image)])
    return f"mkdir -pm 777 {made} && {run}"


def _network(step: StepSpec, confinement: Confinement) -> Iterator[str]:
    if step.network is Network.NONE:
        yield "--network=none"
        return
    yield f"--network={bridge_of(step.network, confinement)}"
    for mount in name_mounts(step.network, confinement):
        yield f"--volume={mount.source}:{mount.target}:ro,nosuid,nodev"
    if confinement.version_6:
        yield from (f"--sysctl={name}=1" for name in NO_VERSION_6)


def _ulimits(step: StepSpec, confinement: Confinement) -> Iterator[str]:
    sizes = {
        "nofile": confinement.open_files,
        "nproc": confinement.processes,
        "fsize": step.limits.output,
        "core": 0,
    }
    return (f"--ulimit={name}={size}:{size}" for name, size in sizes.items())


def _temporaries(confinement: Confinement) -> Iterator[str]:
    sizes = {"/tmp": confinement.temporary, "/dev/shm": confinement.shared_memory}
    for target, size in sizes.items():
        yield (f"--mount=type=tmpfs,destination={target},tmpfs-size={size},tmpfs-mode=1777,notmpcopyup")


def _users(confinement: Confinement, who: StepUser) -> Iterator[str]:
    if confinement.first_id is None:
        return
    for option, inside in (("--uidmap", who.user), ("--gidmap", who.group)):
        for part in extents(confinement.first_id, confinement.ids, inside, confinement.user):
            yield f"{option}={part.inside}:{part.host}:{part.size}"
