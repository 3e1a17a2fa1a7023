"""Checks of the container host for `curlew doctor`, with advice for each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from chains.engine.port import EngineError
from chains.host.bridges import Bridge
from chains.host.config import Runtime
from chains.host.host import PodmanHost
from chains.host.host_limits import count_ids
from chains.host.program import PodmanProgram
from chains.host.rootfs import ImageRecipe

PODMAN_ADVICE = "apt-get install podman netavark catatonit iproute2 iptables busybox-static"
SERVICE_ADVICE = "see the runner's log; it restarts Podman, and so does a restart of the runner"
RUNTIME_ADVICE = "apt-get install runc (Debian's crun does not run everywhere), or name another by setting"
USERS_ADVICE = "steps still have no privileges; allow user namespaces: sysctl user.max_user_namespaces=15000"
FENCE_ADVICE = "apt-get install iptables and run as root, or run steps without network"
NAMES_ADVICE = (
    "apt-get install dnsmasq-base and restart the runner; until then steps ask the name servers that the "
    "host had when the runner started"
)
API_ADVICE = (
    "run as root with iptables; without, the loopback mapping of pasta or slirp4netns would be needed, which "
    "is not set up here: steps get SVC_TOKEN without SVC_API_ROOT"
)
BASE_ADVICE = "see the message, or choose another base image by setting"


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One check: whether it passed, what was found, what to do if it failed.

    One that is `ok` and has a `warning` works, but has a disadvantage.
    """

    name: str
    ok: bool
    detail: str
    advice: str = ""
    warning: bool = False


def check_host(host: PodmanHost) -> list[DoctorCheck]:
    """Check all that steps and builds need, by trying it. This does not disturb running containers."""
    checks = [podman(host.program)]
    if not checks[0].ok:
        return checks
    if host.runtimes.chosen is None:
        try:
            host.prepare()
        except EngineError as error:
            return [*checks, DoctorCheck("runtime", False, str(error), RUNTIME_ADVICE)]
    chosen, settings, trouble = host.runtimes.require(), host.settings, _fence_trouble(host)
    return [
        *checks,
        runtime(host.program, chosen, settings.first_id),
        users(settings.userns, chosen, settings.first_id),
        base_image(_base_trouble(host), settings.base_image, host.base_recipe),
        fence(trouble, host.bridge),
        names(host.networks.names.trouble),
        api(trouble, host.inner_bridge),
    ]


def observe_host(host: PodmanHost) -> list[DoctorCheck]:
    """Check the host that another process runs, without changing it."""
    missing = host.networks.missing
    return [
        podman(host.program),
        service(host.answers, host.folders.state),
        fence(missing, host.bridge),
        names(host.networks.names.trouble),
        api(missing, host.inner_bridge),
    ]


def _base_trouble(host: PodmanHost) -> str | None:
    try:
        host.ensure_base()
    except EngineError as error:
        return str(error)
    return None


def _fence_trouble(host: PodmanHost) -> str | None:
    """Return a fault of the firewall of the running host (perhaps of another process), or of a trial."""
    if host.answers:
        return host.networks.trouble or host.networks.missing
    trouble = host.networks.put_up()
    host.networks.take_down()
    return trouble


def podman(program: PodmanProgram) -> DoctorCheck:
    """Check that the program is installed."""
    try:
        return DoctorCheck("podman", True, program.version())
    except EngineError as error:
        return DoctorCheck("podman", False, str(error), PODMAN_ADVICE)


def service(up: bool, state: Path) -> DoctorCheck:
    """Check that the runner's Podman answers."""
    detail = "the runner's Podman answers" if up else f"the runner's Podman does not answer in {state}"
    return DoctorCheck("engine", up, detail, SERVICE_ADVICE)


def runtime(program: PodmanProgram, chosen: Runtime, first_id: int) -> DoctorCheck:
    """Check that a step runs."""
    trouble = program.try_step(chosen, first_id)
    return DoctorCheck(
        "runtime", trouble is None, trouble or f"a confined step runs with {chosen}", RUNTIME_ADVICE
    )


def users(wanted: bool, chosen: Runtime, first_id: int) -> DoctorCheck:
    """Check that the users of steps do not exist on the host."""
    if chosen.userns:
        return DoctorCheck(
            "users", True, f"users of steps are ids from {first_id} on, of {count_ids():,} here"
        )
    if not wanted:
        return DoctorCheck("users", True, "user namespaces are switched off by setting")
    return DoctorCheck("users", False, "the host or its runtime refuses user namespaces", USERS_ADVICE)


def base_image(error: str | None, image: str, recipe: ImageRecipe | None = None) -> DoctorCheck:
    """Check that the base image for builds is there."""
    if error is None and recipe is not None and recipe.lacking:
        detail = f"{image} is there, made from {recipe.source}, without apt and libraries for wheels"
        return DoctorCheck("base image", True, detail, recipe.advice, warning=True)
    return DoctorCheck("base image", error is None, error or f"{image} is there", BASE_ADVICE)


def fence(trouble: str | None, bridge: Bridge) -> DoctorCheck:
    """Check that steps with a network cannot reach private and host addresses."""
    detail = trouble or f"steps on {bridge.interface} reach no private or host address"
    return DoctorCheck("network", trouble is None, detail, FENCE_ADVICE)


def names(trouble: str | None) -> DoctorCheck:
    """Check that name look-ups work for steps with a network."""
    return DoctorCheck(
        "names", trouble is None, trouble or "steps with a network have a name server", NAMES_ADVICE
    )


def api(trouble: str | None, bridge: Bridge) -> DoctorCheck:
    """Check that steps with a credential reach the API on their bridge's gateway, and nothing else."""
    detail = trouble or f"steps with a credential reach the API, and on {bridge.interface} nothing else"
    return DoctorCheck("api", trouble is None, detail, API_ADVICE)
