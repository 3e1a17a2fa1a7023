"""Networks of one Curlew: their addresses, reserved against other instances, and their bridges."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Network
from itertools import cycle
from pathlib import Path

from chains.engine.port import EngineError
from chains.host import firewall
from chains.host.allowed_hosts import AllowedHosts
from chains.host.bridges import ROUTES, Bridge, bridge_pair, candidate_pairs, foreign_networks
from chains.host.config import PATH
from chains.host.daemon import NameServer

INTERFACES = Path("/sys/class/net")
SETTINGS = Path("/proc/sys/net")
PROC = Path("/proc")
INSIDE = "eth0"
LARGEST_UNIT = 1500
ADVICE = "apt-get install iproute2 and run as root, or run steps without network"


class BridgeNetwork:
    """The network of a bridge. Podman does not know which containers are in it.

    A container is connected by a pair of virtual interfaces: one end is in its namespace; the name of the
    other end contains its address, so that the kernel assigns each address once. Ports of the bridge are
    isolated from each other (bridge port flag `isolated`, Linux 4.18). Both ends disappear with the
    namespace.
    """

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge
        # Start at a random address: the host may remember a previous container at the first ones.
        start = secrets.randbelow(len(bridge.places))
        self._places = cycle([*bridge.places[start:], *bridge.places[:start]])

    @property
    def is_there(self) -> bool:
        """Whether the host has the bridge."""
        return (INTERFACES / self.bridge.interface).exists()

    def make(self) -> str | None:
        """Make the bridge, with the host's address on it; return why it failed, or None."""
        name, subnet = self.bridge.interface, self.bridge.subnet
        # A previous one may have had other addresses.
        first = (
            f"addr flush dev {name}"
            if self.is_there
            else f"link add name {name} mtu {outside_unit()} type bridge"
        )
        lines = [
            first,
            f"addr add {self.bridge.gateway}/{subnet.prefixlen} dev {name}",
            f"link set dev {name} up",
        ]
        try:
            _ip(lines)
            # The host has no IPv6 address there that a container could reach.
            _set(SETTINGS / f"ipv6/conf/{name}/disable_ipv6")
            if not self.bridge.inner:
                _set(SETTINGS / "ipv4/ip_forward")
        except (EngineError, OSError) as error:
            return str(error)
        return None

    def remove(self) -> None:
        """Remove the bridge."""
        if self.is_there:
            with suppress(EngineError):
                _ip([f"link del dev {self.bridge.interface}"])

    def connect(self, process: int) -> IPv4Address:
        """Connect the network namespace of a process to the bridge, isolated from others; return its address.

        Raises EngineError; then the namespace must not be used.
        """
        if not self.is_there and (trouble := self.make()):
            raise EngineError(trouble)
        try:
            with (PROC / f"{process}/ns/net").open("rb") as namespace:
                if os.path.samestat(os.fstat(namespace.fileno()), (PROC / "self/ns/net").stat()):
                    raise EngineError("the process has no separate network namespace")
                place = self._link(namespace.fileno())
                self._join(self._port(place))
                return self.bridge.subnet[place]
        except OSError as error:
            raise EngineError(f"the process has no network namespace: {error}") from error

    def _link(self, namespace: int) -> int:
        """Return the number of the first free address, and make a pair of interfaces named by it."""
        for place in self._free_places():
            if _ip(self._pair(place), namespace, unless_taken=True):
                return place
        raise EngineError(
            f"no address is left on the network {self.bridge.subnet}: let fewer steps run at once"
        )

    def _free_places(self) -> Iterator[int]:
        for _ in self.bridge.places:
            place = next(self._places)
            if not (INTERFACES / self._port(place)).exists():
                yield place

    def _pair(self, place: int) -> list[str]:
        address, unit = self.bridge.subnet[place], outside_unit()
        # Derived from the address, so that the host's ARP entry of an earlier container is right.
        hardware = ":".join(f"{byte:02x}" for byte in (2, 0xC, *address.packed))
        peer = f"peer name {self._port(place)} mtu {unit} netns {os.getpid()}"
        lines = [
            f"link add name {INSIDE} mtu {unit} address {hardware} type veth {peer}",
            f"addr add {address}/{self.bridge.subnet.prefixlen} dev {INSIDE}",
            f"link set dev {INSIDE} up",
        ]
        return lines if self.bridge.inner else [*lines, f"route add default via {self.bridge.gateway}"]

    def _join(self, port: str) -> None:
        settings = f"link set dev {port}"
        _ip([
            f"{settings} master {self.bridge.interface}",
            f"{settings} type bridge_slave isolated on",
            f"{settings} up",
        ])  # fmt: skip

    def _port(self, place: int) -> str:
        return f"{self.bridge.interface}{place:02x}"


def outside_unit() -> int:
    """Return the largest packet size (MTU) of the host's route to the outside, at most 1,500 bytes."""
    with suppress(OSError, ValueError):
        for fields in (line.split() for line in ROUTES.read_text().splitlines()):
            if fields[1] == fields[7] == "00000000":
                return min(LARGEST_UNIT, int((INTERFACES / fields[0] / "mtu").read_text()))
    return LARGEST_UNIT


def _set(switch: Path) -> None:
    """Turn a kernel setting on, if it exists and is off."""
    with suppress(FileNotFoundError):
        if switch.read_text().strip() != "1":
            switch.write_text("1")


def _ip(lines: list[str], namespace: int | None = None, *, unless_taken: bool = False) -> bool:
    """Run commands of ip(8), in the namespace of a descriptor; return False if a name or address is taken.

    Raises EngineError with its error text.
    """
    inside = () if namespace is None else ("nsenter", f"--net=/proc/self/fd/{namespace}")
    try:
        done = subprocess.run(
            [*inside, "ip", "-batch", "-"],
            input="\n".join(lines) + "\n", capture_output=True, text=True, check=False,
            env={"PATH": PATH, "LANG": "C"}, pass_fds=() if namespace is None else (namespace,),
        )  # fmt: skip
    except OSError as error:
        raise EngineError(f"ip cannot be run ({error.strerror}): {ADVICE}") from error
    if done.returncode == 0:
        return True
    if unless_taken and "File exists" in done.stderr:
        return False
    raise EngineError(f"a network cannot be set up ({done.stderr.strip()}): {ADVICE}")


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
            raise EngineError(f"the destinations in network_allow cannot be opened: {trouble}")

    def refusals(self) -> list[str]:
        """Return private addresses with ports that were refused to the container."""
        return firewall.refused_to(self._bridge, self._address, time.monotonic() - self._began)

    def close(self) -> None:
        """Close the opened addresses, before another container gets the address."""
        if self._ways and (trouble := firewall.close_ways(self._bridge, self._address, self._ways)):
            raise EngineError(f"the destinations in network_allow cannot be closed again: {trouble}")
        self._ways = ()


class StepNetworks:
    """The networks of the bridges `outer` and `inner`. `trouble` describes a fault of them."""

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
        """Create the bridges and add the rules; return why it failed, or None."""
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
