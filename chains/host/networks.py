"""Networks of the steps of one Curlew: their bridges, the firewall's rules around them, their name server."""

from __future__ import annotations

from pathlib import Path

from chains.engine.port import EngineError
from chains.host import firewall
from chains.host.bridge_network import BridgeNetwork
from chains.host.bridges import Bridge
from chains.host.name_server import NameServer


class StepNetworks:
    """The networks of the bridges `outer` and `inner`; `trouble` says why they are not as they should be."""

    def __init__(self, outer: Bridge, inner: Bridge, folder: Path, state: Path) -> None:
        self._networks = {bridge.name: BridgeNetwork(bridge) for bridge in (outer, inner)}
        self.names = NameServer(outer, folder, state)
        self.trouble: str | None = None

    @property
    def missing(self) -> str | None:
        """Sentence on rules that are gone, None when they stand."""
        return None if all(map(firewall.stands, self._bridges())) else "the firewall's rules are gone"

    def put_up(self) -> str | None:
        """Make the bridges and set the rules; the reason when the host cannot."""
        servers = self.names.host_servers if self.names.trouble else ()
        rules = [firewall.raise_fence(bridge, servers) for bridge in self._bridges()]
        made = [network.make() for network in self._networks.values()]
        return next(filter(None, [*rules, *made]), None)

    def take_down(self) -> None:
        """Remove bridges and rules."""
        self.names.stop()
        for network in self._networks.values():
            network.remove()
            firewall.lower_fence(network.bridge)

    def start_names(self) -> None:
        """Answer names from here on. Raises EngineError where the host has to do it itself."""
        self.names.write()
        self.names.start()

    def connect(self, name: str, process: int) -> None:
        """Put the network namespace of a process onto the bridge `name`. Raises EngineError."""
        if name not in self._networks:
            raise EngineError(f"there is no network {name}")
        self._networks[name].connect(process)

    def _bridges(self) -> list[Bridge]:
        return [network.bridge for network in self._networks.values()]
