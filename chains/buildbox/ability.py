"""A test whether this host can build images in boxes."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from chains.buildbox import builder_image, disk
from chains.buildbox.box import CAPABILITIES, FIRST_ID, profile
from chains.engine.port import EngineError
from chains.host.program import BUSYBOX_IMAGE, PodmanProgram
from chains.host.user_ids import ADVICE, lacks_ids
from chains.podman.cgroup import Cgroup

SIZE = 16 << 20
OVERLAY = (
    "cd /vol && mkdir lower upper work all && "
    "mount -t overlay overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work all && touch all/file"
)
OVERLAY_ADVICE = (
    "builds need user namespaces in which overlay may be mounted: Linux 5.11 or newer, "
    "sysctl user.max_user_namespaces=15000, and no security module that forbids it"
)
SYS_ADVICE = (
    "the kernel gives a container a /sys of its own only if nothing covers parts of this host's /sys, so "
    "start the machine or container that this is with SYSTEMD_NSPAWN_API_VFS_WRITABLE=yes (systemd-nspawn) "
    "or --privileged (podman), or run Curlew on the machine below it"
)
GROUPS_ADVICE = (
    "the limits of containers cannot be read, as the control group of this process is not below "
    "/sys/fs/cgroup: start the container that this is with --privileged --cgroupns=host "
    "--volume=/sys/fs/cgroup:/sys/fs/cgroup:rw (podman, docker)"
)


def trouble(program: PodmanProgram, folder: Path) -> str | None:
    """Return why no image can be built here and what to do, or None. Tries it in `folder`."""
    if lack := lacks_ids(FIRST_ID):
        return f"images cannot be built on this host, as {lack}: {ADVICE}"
    if not Cgroup.of(os.getpid()).memory.is_dir():
        return f"images cannot be built on this host: {GROUPS_ADVICE}"
    try:
        builder_image.buildah()
        program.ensure_busybox()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix="trial-") as scratch:
            return _trouble(program, Path(scratch))
    except EngineError as error:
        return f"images cannot be built on this host: {error}"


def _trouble(program: PodmanProgram, scratch: Path) -> str | None:
    scratch.chmod(0o711)
    seccomp = scratch / "seccomp.json"
    seccomp.write_text(profile())
    file = scratch / "disk"
    disk.make(file, SIZE, FIRST_ID)
    ids = f"0:{FIRST_ID}:65536"
    with disk.temporary_mount(file, scratch / "mounted") as place:
        failed = program.trouble(
            *("run", "--rm", "--init", "--network=none", "--ipc=none", "--read-only", "--user=0"),
            *("--uidmap", ids, "--gidmap", ids, "--cap-drop=all", f"--cap-add={','.join(CAPABILITIES)}"),
            *("--security-opt=no-new-privileges", f"--security-opt=seccomp={seccomp}"),
            *("--memory=64m", "--pids-limit=32", f"--volume={place}:/vol:nosuid,nodev"),
            *(BUSYBOX_IMAGE, "sh", "-c", OVERLAY),
        )
    with suppress(OSError):
        file.unlink()
    return f"images cannot be built on this host ({failed}): {advice_on(failed)}" if failed else None


def advice_on(failed: str) -> str:
    """Return what to do about the error of a trial."""
    return SYS_ADVICE if "/sys/" in failed or "sysfs" in failed else OVERLAY_ADVICE
