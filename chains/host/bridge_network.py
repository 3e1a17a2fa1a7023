"""BridgeNetwork: a bridge on this host, and containers connected to it (ip-link(8), veth(4))."""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Address
from itertools import cycle
from pathlib import Path

from chains.engine.port import EngineError
from chains.host.bridges import ROUTES, Bridge
from chains.host.config import PATH

INTERFACES = Path("/sys/class/net")
SETTINGS = Path("/proc/sys/net")
PROC = Path("/proc")
INSIDE = "eth0"
LARGEST_UNIT = 1500
ADVICE = "apt-get install iproute2 and run as root, or run steps without network"


class BridgeNetwork:
    """The network of a bridge; Podman does not know its containers, and no rule is for a single one.

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
    """Return the largest packet size (MTU) of the host's way outside, at most 1,500 bytes."""
    with suppress(OSError, ValueError):
        for fields in (line.split() for line in ROUTES.read_text().splitlines()):
            if fields[1] == fields[7] == "00000000":
                return min(LARGEST_UNIT, int((INTERFACES / fields[0] / "mtu").read_text()))
    return LARGEST_UNIT


def _set(switch: Path) -> None:
    """Switch a kernel setting on, if it exists and is off."""
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
