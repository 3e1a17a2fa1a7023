"""The API inside of steps, on the host's end of their bridge (decision 24b)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from chains.engine.port import Network
from chains.host.firewall import close_port, open_port
from chains.host.host import PodmanHost
from handlers.processes.api_proxy import ROOT, forwarding
from handlers.settings.settings import Settings

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
                raise OSError("nobody knows where the web server is")
            port = stack.enter_context(forwarding(bridge.gateway, bridge.subnet, target, mark))
            if trouble := host.networks.trouble or open_port(bridge, port):
                raise OSError(trouble)
            stack.callback(close_port, bridge, port)
        except OSError as error:
            log.warning("steps do not reach the API and have no SVC_API_ROOT: %s", error)
            yield None
            return
        yield f"http://{bridge.gateway}:{port}{ROOT}"
