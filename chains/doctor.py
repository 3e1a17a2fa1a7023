"""What `curlew doctor` says of the machine's containers: one check a line, with what to do about each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from chains.buildbox import ability, builder_image
from chains.engine import EngineError
from chains.firewall import Bridge
from chains.podmanconf import Runtime
from chains.program import Program

PODMAN_ADVICE = "apt-get install podman netavark aardvark-dns catatonit iptables busybox-static"
SERVICE_ADVICE = "see the runner's log; it starts Podman anew by itself, and so does a restart of the runner"
RUNTIME_ADVICE = "apt-get install runc (Debian's crun does not run everywhere), or name another by setting"
USERS_ADVICE = (
    "steps have no rights all the same; allow user namespaces: sysctl user.max_user_namespaces=15000"
)
FENCE_ADVICE = "apt-get install iptables and run as root, or run steps without network"
API_ADVICE = (
    "run as root with iptables; without, the loopback mapping of pasta or slirp4netns would be needed, which "
    "is not set up here: steps get SVC_TOKEN without SVC_API_ROOT"
)
BASE_ADVICE = "see the message, or choose another base image by setting"


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, whether it is well, what was found, what to do when it is not.

    One that is `ok` and has a `warning` works, and is worth thinking about.
    """

    name: str
    ok: bool
    detail: str
    advice: str = ""
    warning: bool = False


def podman(program: Program) -> Check:
    """Whether the program is there."""
    try:
        return Check("podman", True, program.version())
    except EngineError as error:
        return Check("podman", False, str(error), PODMAN_ADVICE)


def service(up: bool, state: Path) -> Check:
    """Whether the runner's Podman answers."""
    detail = "the runner's Podman answers" if up else f"the runner's Podman does not answer in {state}"
    return Check("engine", up, detail, SERVICE_ADVICE)


def runtime(program: Program, chosen: Runtime, first_id: int) -> Check:
    """Whether a step runs."""
    trouble = program.try_step(chosen, first_id)
    return Check("runtime", trouble is None, trouble or f"a confined step runs with {chosen}", RUNTIME_ADVICE)


def users(wanted: bool, chosen: Runtime, first_id: int) -> Check:
    """Whether the users of steps are nobody on the host."""
    if chosen.userns:
        return Check("users", True, f"users of steps are ids from {first_id} on the host")
    if not wanted:
        return Check("users", True, "user namespaces are switched off by setting")
    return Check("users", False, "the host or its runtime refuses user namespaces", USERS_ADVICE)


def base_image(error: str | None, image: str) -> Check:
    """Whether builds have what they begin with."""
    return Check("base image", error is None, error or f"{image} is there", BASE_ADVICE)


def fence(trouble: str | None, bridge: Bridge) -> Check:
    """Whether steps with a network are kept from private and host addresses."""
    detail = trouble or f"steps on {bridge.interface} reach no private or host address"
    return Check("network", trouble is None, detail, FENCE_ADVICE)


def api(trouble: str | None, bridge: Bridge) -> Check:
    """Whether steps with a credential find the API on the host's end of their bridge, and nothing else."""
    detail = trouble or f"steps with a credential reach the API, and on {bridge.interface} nothing else"
    return Check("api", trouble is None, detail, API_ADVICE)


def builds(program: Program, folder: Path) -> Check:
    """Whether images can be built in boxes."""
    trouble = ability.trouble(program, folder)
    advice = trouble.rpartition(": ")[2] if trouble else ""
    return Check("builds", trouble is None, trouble or "images are built in boxes of their own", advice)


ESCAPES = (
    ("podman", (4, 9, 4), "CVE-2024-1753"),
    ("podman", (5, 2, 4), "CVE-2024-9407"),
    ("podman", (5, 2, 5), "CVE-2024-9675"),
    ("buildah", (1, 35, 1), "CVE-2024-1753"),
    ("buildah", (1, 37, 4), "CVE-2024-9407 and CVE-2024-9675"),
    ("runc", (1, 1, 12), "CVE-2024-21626"),
)
"""Ways out of containers and builds: the program, the version that closed one, its name."""

ESCAPES_ADVICE = (
    "take the newest packages of the distribution, which may hold the corrections under an older number; "
    "builds do not rely on them: what gets out of buildah is still inside its box"
)


def versions(program: Program, chosen: Runtime) -> Iterator[Check]:
    """The versions of what keeps strangers' code in, and which known escapes they leave open."""
    for name in ("podman", chosen.name, "buildah"):
        said = _said(program, name)
        found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", said)
        number = tuple(int(part or 0) for part in found.groups()) if found else ()
        known = [cve for of, closed, cve in ESCAPES if of == name and number and number < closed]
        detail = f"{said}: open to {', '.join(known)} by its number" if known else said
        yield Check(f"{name}'s age", True, detail, ESCAPES_ADVICE if known else "", warning=bool(known))


def _said(program: Program, name: str) -> str:
    """The first line of what a program says of its version."""
    try:
        return program.version_of(str(builder_image.buildah()) if name == "buildah" else name)
    except EngineError as error:
        return str(error)
