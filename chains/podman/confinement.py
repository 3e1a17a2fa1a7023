"""Confinement of steps on this host (decisions 24), and the command line that repeats a step by hand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from chains.engine.port import Mount, Network, StepSpec
from chains.podman.container_spec import NO_VERSION_6, ContainerSpec, StepUser, extents

RUN_LABEL = "curlew.run"
STEP_LABEL = "curlew.step"
INSTANCE_LABEL = "curlew.instance"


@dataclass(frozen=True, slots=True)
class Confinement:
    """The bounds of every step on this host: ids, sizes in bytes, number of open files.

    `first_id`: the host's id of a container's root, if the host can map users (None: `user` is the host's
    id). `seccomp`: the file of the profile. `network`: the bridge for `Network.OUTBOUND`; `api`: the bridge
    for `Network.API`. `resolv_conf`: the file with the name server for `network`, if not the host's.
    `version_6`: whether the kernel supports IPv6.
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
    resolv_conf: Path | None = None
    api: str = "podman-api"
    version_6: bool = True

    @property
    def owner(self) -> int:
        """The host's id of the user that steps run as. It must own the files they read and write."""
        return self.user + (self.first_id or 0)


def who_runs(confinement: Confinement, named: StepUser | None) -> StepUser:
    """Return the user of a step: the image's (never root), or `confinement.user` if users are not mapped.

    Without a mapping, the image's user would be a user of the host.
    """
    if named is None or confinement.first_id is None:
        return StepUser(confinement.user, confinement.user)
    return named


def step_container(
    step: StepSpec, confinement: Confinement, instance: str, named: StepUser | None = None
) -> ContainerSpec:
    """Return the container of `step`, whose image has the user `named`, labelled with `instance`."""
    who = who_runs(confinement, named)
    limits = step.limits
    # An empty value is not secret, and Podman stores no empty secret.
    secrets = {name: value for name, value in step.env.items() if value and name not in step.public}
    plain = {name: value for name, value in {"HOME": "/tmp", **step.env}.items() if name not in secrets}
    return ContainerSpec(
        image=step.image,
        env=plain,
        secrets=secrets,
        labels={RUN_LABEL: step.run, STEP_LABEL: step.step, INSTANCE_LABEL: instance},
        user=who.user,
        group=who.group,
        owner=confinement.user,
        seccomp=confinement.seccomp,
        first_id=confinement.first_id,
        ids=confinement.ids,
        memory=limits.memory,
        cpus=limits.cpus,
        pids=limits.pids,
        rlimits={
            "nofile": confinement.open_files,
            "nproc": confinement.processes,
            "fsize": limits.output,
            "core": 0,
        },
        # The engine counts the texts and ends the step at their limit. This limits the file on disk,
        # including the 45 extra bytes of each record.
        log=8 * limits.log + (1 << 20),
        temporaries={"/tmp": confinement.temporary, "/dev/shm": confinement.shared_memory},
        mounts=(*step.mounts, *name_mounts(step.network, confinement)),
        network=bridge_of(step.network, confinement),
        account=step.account,
        version_6=confinement.version_6,
    )


def bridge_of(network: Network, confinement: Confinement) -> str | None:
    """Return the bridge of a container's network."""
    return {Network.API: confinement.api, Network.OUTBOUND: confinement.network}.get(network)


def name_mounts(network: Network, confinement: Confinement) -> tuple[Mount, ...]:
    """Return the mount of the file with the name server of a network."""
    if network is not Network.OUTBOUND or confinement.resolv_conf is None:
        return ()
    return (Mount(confinement.resolv_conf, "/etc/resolv.conf"),)


def lacks_image(reason: str) -> bool:
    """Return whether Podman has no container because the image is missing."""
    return "image not known" in reason or "no such image" in reason


def refusal(step: StepSpec, reason: str) -> str:
    """Return a sentence for the run's log about why `step` has no container. `reason`: Podman's or ours."""
    if lacks_image(reason):
        return step.image_gone
    if "no command or entrypoint" in reason:
        return f"the image of step {step.step} has no command: add CMD or ENTRYPOINT to its Dockerfile"
    return f"step {step.step} cannot have its container: {reason}"


def profile_text() -> str:
    """Return our seccomp profile (containers/common): an allow list for programs without capabilities."""
    return files("chains.podman").joinpath("seccomp.json").read_text()


def confinement_options(step: StepSpec, confinement: Confinement, named: StepUser | None = None) -> list[str]:
    """Return options that confine a step as `container_spec.create_request`, without mounts and variables."""
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

    Folders are those of the reader: /input is ./input, and so on. Variables are named without their values,
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
