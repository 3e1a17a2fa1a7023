"""The Podman of this machine, from the settings: the engine over it, and the API inside of steps."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from chains.engine.port import Engine, Network
from chains.files.folder_lock import make_folder
from chains.files.keeper import meddler
from chains.host.allowed_hosts import parse
from chains.host.firewall import close_port, open_port
from chains.host.host import HostSettings, PodmanHost
from chains.host.program import PYTHON_IMAGE, Tell, tell_nobody
from chains.podman.api import Podman
from chains.podman.engine import PodmanEngine
from chains.sharing.shared_images import FetchingEngine, ImageStore
from handlers.processes.api_proxy import ROOT, forwarding
from handlers.settings.settings import Settings
from vfs.errors import Unavailable


def host_of(settings: Settings, tell: Tell = tell_nobody) -> PodmanHost:
    """Return the Podman of this machine, in the runner's folder; `tell` is notified of slow actions."""
    proxies = {name: word for name, word in os.environ.items() if name.lower().endswith("_proxy")}
    return PodmanHost(
        HostSettings(
            folder=settings.runner_home / "podman",
            runtime=settings.runtime or None,
            base_image=settings.base_image or PYTHON_IMAGE,
            userns=settings.userns,
            variables=proxies,
            allowed=parse(settings.network_allow),
        ),
        tell,
    )


def require_own_folder(folder: Path) -> None:
    """Create the folder of the runner's own files. Raises Unavailable if others than root could change it."""
    if why := meddler(folder):
        raise Unavailable(
            f"the runner's files would be in {folder}, which accounts other than root can change ({why}): "
            "set runner_folder to a folder of root, such as /var/lib/curlew-runner"
        )
    try:
        make_folder(folder)
    except OSError as error:
        raise Unavailable(f"the runner's folder {folder} cannot be made: {error.strerror}") from error


@contextmanager
def podman_engine(
    host: PodmanHost, missed: Callable[[str], object], images: ImageStore | None = None
) -> Iterator[Engine]:
    """Yield the engine of this host; `missed` gets missing images, `images` pulls those of other hosts."""
    engine = PodmanEngine(
        Podman(host.socket),
        host.confinement,
        host.exits,
        host.instance,
        host.networks.connect,
        host.shell,
        missed if images is None else lambda image: None,
    )
    try:
        yield engine if images is None else FetchingEngine(engine, images, missed)
    finally:
        engine.close()


log = logging.getLogger("curlew")


@contextmanager
def offering(
    settings: Settings, host: PodmanHost, target: tuple[str, int] | str | None, mark: str
) -> Iterator[str | None]:
    """Offer the API inside containers during the block (decision 24b); yield its address there.

    `target` is the web server (None: unknown). Steps with the network of `settings` or the API's network
    reach it; None, with a line in the log, if it fails.
    """
    bridge = host.inner_bridge if Network(settings.network) is Network.NONE else host.bridge
    with ExitStack() as stack:
        try:
            if target is None:
                raise OSError("the address of the web server is unknown")
            port = stack.enter_context(forwarding(bridge.gateway, bridge.subnet, target, mark))
            if trouble := host.networks.trouble or open_port(bridge, port):
                raise OSError(trouble)
            stack.callback(close_port, bridge, port)
        except OSError as error:
            log.warning("steps do not reach the API and have no SVC_API_ROOT: %s", error)
            yield None
            return
        yield f"http://{bridge.gateway}:{port}{ROOT}"
