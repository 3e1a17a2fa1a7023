"""Checks of image builds for `curlew doctor`: whether they work, and the versions of the programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from chains.buildbox import ability, builder_image
from chains.engine.port import EngineError
from chains.host.config import Runtime
from chains.host.doctor import DoctorCheck
from chains.host.program import PodmanProgram


def build_checks(program: PodmanProgram, chosen: Runtime, folder: Path) -> Iterator[DoctorCheck]:
    """Yield all checks. They run test builds below `folder`."""
    yield builds(program, folder)
    yield from versions(program, chosen)


def builds(program: PodmanProgram, folder: Path) -> DoctorCheck:
    """Return the check whether images can be built in boxes."""
    trouble = ability.trouble(program, folder)
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
    "take the newest packages of the distribution, which may hold the corrections under an older number; "
    "builds do not rely on them: what gets out of buildah is still inside its box"
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
