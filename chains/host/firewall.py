"""Fences around steps with a network.

One bridge leads to no private address and not to the host, another to a single port of the host.
"""

from __future__ import annotations

import ipaddress
import subprocess
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

UNREACHABLE = (
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
)
"""Special-purpose addresses (RFC 6890) that lead to this host, its neighbours or a cloud's metadata."""

SHORTEST_ROUTE = 8
"""Bits of the prefix below which a route is no network of the host's but a piece of its way outside (a VPN
has two halves of the internet instead of a default route).
"""

ROUTES = Path("/proc/net/route")
INTERFACES = Path("/sys/class/net")
POOL = ipaddress.IPv4Network("10.96.0.0/11")
PAIR = 23  # the length of the prefix of two bridges together
SBIN = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True)
class Bridge:
    """A network of one Curlew's steps: Podman's name for it, the interface's name, its addresses.

    An `inner` one leads nowhere but to a port that is opened on its gateway (`open_port`).
    """

    name: str
    interface: str
    subnet: ipaddress.IPv4Network
    inner: bool = False

    @property
    def gateway(self) -> ipaddress.IPv4Address:
        """The host's own address on the bridge, where containers find the name server and the API."""
        return self.subnet[1]

    @property
    def chain(self) -> str:
        """The name of the firewall's chain for it (at most 28 characters)."""
        return f"CURLEW-{self.interface.upper()}"


def choose(
    instance: str,
    taken: Collection[ipaddress.IPv4Network] = (),
    former: ipaddress.IPv4Network | None = None,
) -> Iterator[tuple[Bridge, Bridge]]:
    """The pairs of bridges, to the outside and inner, that the Curlew `instance` (hexadecimal) may have.

    First is that on the addresses `former`, then others in an order of its own; none on those `taken`.
    """
    for pair in chain([former] if former else [], _order(instance)):
        inside = pair.prefixlen == PAIR and pair.subnet_of(POOL)
        if inside and not any(pair.overlaps(other) for other in taken):
            yield bridges(instance, pair)


def _order(instance: str) -> Iterator[ipaddress.IPv4Network]:
    """Every pair of subnets once, in an order of the instance's own.

    An odd step leads through all of a power of two, and two Curlews that meet at one place part at the next.
    """
    many, first = 1 << (PAIR - POOL.prefixlen), int(POOL.network_address)
    step, start = divmod(int(instance, 16), many)
    for place in range(many):
        number = (start + place * (2 * step + 1)) % many
        yield ipaddress.IPv4Network((first + number * (1 << (32 - PAIR)), PAIR))


def bridges(instance: str, pair: ipaddress.IPv4Network) -> tuple[Bridge, Bridge]:
    """The bridge of the Curlew `instance` to the outside and its inner one, on the two halves of `pair`."""
    interface = f"curlew{instance[:6]}"
    outer, inner = pair.subnets()
    return (
        Bridge(f"curlew-{instance}", interface, outer),
        Bridge(f"curlew-{instance}-api", f"{interface}a", inner, inner=True),
    )


def raise_fence(bridge: Bridge) -> str | None:
    """Fence `bridge` off; the reason when the host cannot.

    Refused is what comes from it for special and host addresses and for the networks that the host has
    routes to now, the name server excepted; from an inner one everything. The rules stand in the table
    `raw`, before routing and before anything that Podman's own rules accept.
    """
    lower_fence(bridge)
    hook = ["-I", "PREROUTING", "-i", bridge.interface, "-j", bridge.chain]
    for rule in (["-N", bridge.chain], *_rules(bridge), hook):
        if trouble := _iptables("iptables", *rule):
            lower_fence(bridge)
            return trouble
    # Containers have no version 6 (chains.podman); where the host has none either, this rule fails.
    _iptables("ip6tables", "-I", "PREROUTING", "-i", bridge.interface, "-j", "DROP")
    return None


def _rules(bridge: Bridge) -> Iterator[list[str]]:
    append = ["-A", bridge.chain]
    if bridge.inner:
        yield [*append, "-j", "DROP"]
        return
    for protocol in ("udp", "tcp"):
        yield [*append, *_to_gateway(bridge, protocol, 53)]
    for block in unreachable_networks(_routes(ROUTES, (bridge.interface,))):
        yield [*append, "-d", str(block), "-j", "DROP"]
    yield [*append, "-m", "addrtype", "--dst-type", "LOCAL", "-j", "DROP"]


def unreachable_networks(near: Iterable[ipaddress.IPv4Network]) -> list[ipaddress.IPv4Network]:
    """Networks that no container may reach on a host that has routes to those `near`."""
    close = (network for network in near if network.prefixlen >= SHORTEST_ROUTE)
    return list(ipaddress.collapse_addresses([*map(ipaddress.IPv4Network, UNREACHABLE), *close]))


def open_port(bridge: Bridge, port: int) -> str | None:
    """Let steps on `bridge` reach a TCP port of its gateway; the reason when the host cannot.

    It stays open until the fence is lowered or the port closed.
    """
    return _iptables("iptables", "-I", bridge.chain, *_to_gateway(bridge, "tcp", port))


def close_port(bridge: Bridge, port: int) -> None:
    """Take back what `open_port` did."""
    _iptables("iptables", "-D", bridge.chain, *_to_gateway(bridge, "tcp", port))


def _to_gateway(bridge: Bridge, protocol: str, port: int) -> list[str]:
    return ["-d", f"{bridge.gateway}/32", "-p", protocol, "--dport", str(port), "-j", "ACCEPT"]


def stands(bridge: Bridge) -> bool:
    """Whether the fence of `bridge` is up."""
    return _iptables("iptables", "-C", "PREROUTING", "-i", bridge.interface, "-j", bridge.chain) is None


def lower_fence(bridge: Bridge) -> None:
    """Remove the rules of `bridge`, those of an earlier life too."""
    for target in (bridge.chain, "DROP"):
        program = "iptables" if target == bridge.chain else "ip6tables"
        while _iptables(program, "-D", "PREROUTING", "-i", bridge.interface, "-j", target) is None:
            pass
    _iptables("iptables", "-F", bridge.chain)
    _iptables("iptables", "-X", bridge.chain)


def isolate(bridge: Bridge) -> None:
    """Keep the containers on `bridge` from each other (bridge port flag `isolated`, Linux 4.18).

    Raises OSError where the host does not let its bridges be changed.
    """
    for port in (INTERFACES / bridge.interface / "brif").glob("*/isolated"):
        with suppress(FileNotFoundError):
            port.write_text("1")


def _iptables(program: str, *arguments: str) -> str | None:
    """Run one change of the table `raw`; None when done, else why not."""
    command = [program, "-w", "5", "-t", "raw", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": SBIN})
    except OSError as error:
        return f"{program} cannot be run ({error.strerror}): apt-get install iptables"
    return None if done.returncode == 0 else f"{' '.join(command)}: {done.stderr.strip()}"


def foreign_networks(instance: str, routes: Path = ROUTES) -> Iterator[ipaddress.IPv4Network]:
    """Networks that the host has routes to, but for the bridges of the Curlew `instance`."""
    own = tuple(bridge.interface for bridge in bridges(instance, next(_order(instance))))
    return _routes(routes, own)


def _routes(table: Path, except_by: tuple[str, ...]) -> Iterator[ipaddress.IPv4Network]:
    """Networks in a table of routes but by some interfaces (proc(5), /proc/net/route: little-endian hex)."""
    try:
        lines = table.read_text().splitlines()[1:]
    except OSError:
        return
    for fields in (line.split() for line in lines):
        address, mask = (int.from_bytes(bytes.fromhex(fields[at]), "little") for at in (1, 7))
        if mask and fields[0] not in except_by:
            yield ipaddress.IPv4Network((address, bin(mask).count("1")))
