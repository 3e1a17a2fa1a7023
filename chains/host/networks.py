"""Networks of one Curlew: their addresses, reserved against other instances, and their bridges."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from chains.engine.port import EngineError
from chains.host import firewall
from chains.host.allowed_hosts import AllowedHosts
from chains.host.bridge_network import BridgeNetwork
from chains.host.bridges import ROUTES, Bridge, bridge_pair, candidate_pairs, foreign_networks
from chains.host.name_server import NameServer

RESERVATIONS = Path("/run/curlew-subnets")
"""Links for reserved subnets; each points to the instance that has it. A reboot removes them."""


def choose_bridges(
    folder: Path, instance: str, routes: Path = ROUTES, reservations: Path = RESERVATIONS
) -> tuple[Bridge, Bridge]:
    """Return the bridges of the Curlew `instance`, different from those of all other instances.

    Those recorded in `folder` are kept until another network of the host has their addresses.
    """
    memory = folder / "subnet"
    former = _read_subnet(memory)
    free = candidate_pairs(instance, tuple(foreign_networks(instance, routes)), former)
    for chosen in free:
        pair = chosen[0].subnet.supernet()
        if _reserve(reservations / str(pair.network_address), instance):
            if pair != former:
                memory.write_text(f"{pair}\n")
            return chosen
    return bridge_pair(instance, former) if former else next(candidate_pairs(instance))


def _reserve(link: Path, instance: str) -> bool:
    """Return whether the subnet is reserved for the instance now; making a link is atomic."""
    try:
        link.parent.mkdir(exist_ok=True)
        with suppress(FileExistsError):
            link.symlink_to(instance)
        return os.readlink(link) == instance
    except OSError:
        return True  # if no link can be made, other instances cannot reserve either


def _read_subnet(memory: Path) -> IPv4Network | None:
    with suppress(OSError, ValueError):
        return IPv4Network(memory.read_text().strip())
    return None


class StepLink:
    """A container on a bridge, and the private addresses and ports opened for it. Raises EngineError."""

    def __init__(
        self, bridge: Bridge, address: IPv4Address, ways: tuple[tuple[IPv4Address, int | None], ...]
    ) -> None:
        self._bridge, self._address, self._ways = bridge, address, ways
        self._began = time.monotonic()
        if ways and (trouble := firewall.open_ways(bridge, address, ways)):
            raise EngineError(f"what network_allow names cannot be opened: {trouble}")

    def refusals(self) -> list[str]:
        """Return private addresses with ports that were refused to it."""
        return firewall.refused_to(self._bridge, self._address, time.monotonic() - self._began)

    def close(self) -> None:
        """Close the opened addresses, before another container gets the address."""
        if self._ways and (trouble := firewall.close_ways(self._bridge, self._address, self._ways)):
            raise EngineError(f"what network_allow names cannot be closed again: {trouble}")
        self._ways = ()


class StepNetworks:
    """The networks of the bridges `outer` and `inner`; `trouble` says what is wrong with them."""

    def __init__(
        self, outer: Bridge, inner: Bridge, folder: Path, state: Path, allowed: AllowedHosts | None = None
    ) -> None:
        self._allowed = allowed or AllowedHosts(())
        self._networks = {bridge.name: BridgeNetwork(bridge) for bridge in (outer, inner)}
        self.names = NameServer(outer, folder, state)
        self.trouble: str | None = None

    @property
    def missing(self) -> str | None:
        """A sentence about missing rules; None if all are in place."""
        return None if all(map(firewall.stands, self._bridges())) else "the firewall's rules are gone"

    def put_up(self) -> str | None:
        """Make the bridges and add the rules; return why it failed, or None."""
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
        """Start the name server. Raises EngineError if the host has to answer itself."""
        self.names.write()
        self.names.start()

    def connect(self, name: str, process: int, account: str | None = None) -> StepLink:
        """Connect the network namespace of a process to the bridge `name`. Raises EngineError.

        Destinations allowed for jobs of `account` are opened for it.
        """
        if name not in self._networks:
            raise EngineError(f"there is no network {name}")
        network = self._networks[name]
        ways = () if network.bridge.inner else tuple(self._allowed.ways(account))
        return StepLink(network.bridge, network.connect(process), ways)

    def _bridges(self) -> list[Bridge]:
        return [network.bridge for network in self._networks.values()]
