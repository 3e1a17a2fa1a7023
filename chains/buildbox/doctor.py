"""A test of builds in boxes on this host, and its checks for `curlew doctor`."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from chains.buildbox import builder_image, disk
from chains.buildbox.box import CAPABILITIES, FIRST_ID, profile
from chains.engine.port import EngineError
from chains.host.config import Runtime
from chains.host.doctor import DoctorCheck
from chains.host.host_limits import IDS_ADVICE, lacks_ids
from chains.host.program import BUSYBOX_IMAGE, PodmanProgram
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
    "the kernel gives a container a separate /sys only if nothing covers parts of this host's /sys, so "
    "start this machine or container with SYSTEMD_NSPAWN_API_VFS_WRITABLE=yes (systemd-nspawn) "
    "or --privileged (podman), or run Curlew directly on its host"
)
GROUPS_ADVICE = (
    "the limits of containers cannot be read, as the control group of this process is not below "
    "/sys/fs/cgroup: start this container with --privileged --cgroupns=host "
    "--volume=/sys/fs/cgroup:/sys/fs/cgroup:rw (podman, docker)"
)


def build_trouble(program: PodmanProgram, folder: Path) -> str | None:
    """Return why no image can be built here and what to do, or None. Tries it in `folder`."""
    if lack := lacks_ids(FIRST_ID):
        return f"images cannot be built on this host, as {lack}: {IDS_ADVICE}"
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


def build_checks(program: PodmanProgram, chosen: Runtime, folder: Path) -> Iterator[DoctorCheck]:
    """Yield all checks. They run test builds below `folder`."""
    yield builds(program, folder)
    yield from versions(program, chosen)


def builds(program: PodmanProgram, folder: Path) -> DoctorCheck:
    """Return the check whether images can be built in boxes."""
    trouble = build_trouble(program, folder)
    advice = trouble.rpartition(": ")[2] if trouble else ""
    return DoctorCheck("builds", trouble is None, trouble or "images are built in separate boxes", advice)


ESCAPES = (
    ("podman", (4, 9, 4), "CVE-2024-1753"),
    ("podman", (5, 2, 4), "CVE-2024-9407"),
    ("podman", (5, 2, 5), "CVE-2024-9675"),
    ("buildah", (1, 35, 1), "CVE-2024-1753"),
    ("buildah", (1, 37, 4), "CVE-2024-9407 and CVE-2024-9675"),
    ("runc", (1, 1, 12), "CVE-2024-21626"),
)
"""Known escapes from containers and builds: the program, the version with the fix, the CVE."""

ESCAPES_ADVICE = (
    "install the newest packages of the distribution, which may have the fixes under an older number; "
    "builds do not rely on them: code that escapes from buildah is still inside its box"
)


def versions(program: PodmanProgram, chosen: Runtime) -> Iterator[DoctorCheck]:
    """Yield the versions of the programs that confine foreign code, with the known escapes in them."""
    for name in ("podman", chosen.name, "buildah"):
        said = _version_line(program, name)
        found = re.search(r"(?<!\d)(\d+)\.(\d+)(?:\.(\d+))?", said)
        number = tuple(int(part or 0) for part in found.groups()) if found else ()
        known = [cve for of, closed, cve in ESCAPES if of == name and number and number < closed]
        detail = f"{said}: open to {', '.join(known)} by its number" if known else said
        yield DoctorCheck(f"{name}'s age", True, detail, ESCAPES_ADVICE if known else "", warning=bool(known))


def _version_line(program: PodmanProgram, name: str) -> str:
    """Return the name and version of a program, or why there is none."""
    try:
        return program.version_of(str(builder_image.buildah()) if name == "buildah" else name)
    except EngineError as error:
        return str(error)
