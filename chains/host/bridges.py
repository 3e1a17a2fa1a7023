"""Bridges of one Curlew, with addresses that the host's own networks do not use."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from itertools import chain
from pathlib import Path

ROUTES = Path("/proc/net/route")
POOL = IPv4Network("10.96.0.0/11")
PAIR = 23  # the prefix length of the subnet of two bridges
FIRST_BY_HAND = 240


@dataclass(frozen=True, slots=True)
class Bridge:
    """A network for steps of one Curlew: Podman's name for it, the interface's name, its addresses.

    An `inner` one leads only to a port opened on its gateway (`firewall.open_port`).
    """

    name: str
    interface: str
    subnet: IPv4Network
    inner: bool = False

    @property
    def gateway(self) -> IPv4Address:
        """The host's address on the bridge, where containers find the name server and the API."""
        return self.subnet[1]

    @property
    def places(self) -> range:
        """The numbers of the addresses that steps may get."""
        return range(2, FIRST_BY_HAND)

    @property
    def by_hand(self) -> dict[str, str]:
        """Addresses for containers that an operator starts by hand, as Podman's `lease_range`."""
        return {"start_ip": str(self.subnet[FIRST_BY_HAND]), "end_ip": str(self.subnet[-2])}

    @property
    def chain(self) -> str:
        """The name of its firewall chain (at most 28 characters)."""
        return f"CURLEW-{self.interface.upper()}"


def candidate_pairs(
    instance: str,
    taken: Collection[IPv4Network] = (),
    former: IPv4Network | None = None,
) -> Iterator[tuple[Bridge, Bridge]]:
    """Yield the pairs of bridges, outer and inner, that the Curlew `instance` (hexadecimal) may use.

    First the pair on the addresses `former`, then others in an order of the instance; none on `taken` ones.
    """
    for pair in chain([former] if former else [], _order(instance)):
        inside = pair.prefixlen == PAIR and pair.subnet_of(POOL)
        if inside and not any(pair.overlaps(other) for other in taken):
            yield bridge_pair(instance, pair)


def _order(instance: str) -> Iterator[IPv4Network]:
    """Yield every pair of subnets once, in an order that depends on the instance.

    The number of pairs is a power of two, so that an odd step visits all of them. Two instances that have one
    pair in common differ in the next.
    """
    many, first = 1 << (PAIR - POOL.prefixlen), int(POOL.network_address)
    step, start = divmod(int(instance, 16), many)
    for place in range(many):
        number = (start + place * (2 * step + 1)) % many
        yield IPv4Network((first + number * (1 << (32 - PAIR)), PAIR))


def bridge_pair(instance: str, pair: IPv4Network) -> tuple[Bridge, Bridge]:
    """Return the outer and inner bridge of the Curlew `instance`, on the two halves of `pair`."""
    interface = f"curlew{instance[:6]}"
    outer, inner = pair.subnets()
    return (
        Bridge(f"curlew-{instance}", interface, outer),
        Bridge(f"curlew-{instance}-api", f"{interface}a", inner, inner=True),
    )


def foreign_networks(instance: str, routes: Path = ROUTES) -> Iterator[IPv4Network]:
    """Return networks in the host's routes, except for the bridges of the Curlew `instance`."""
    own = tuple(bridge.interface for bridge in bridge_pair(instance, next(_order(instance))))
    return routed_networks(routes, own)


def routed_networks(table: Path, except_by: tuple[str, ...]) -> Iterator[IPv4Network]:
    """Return networks in a routing table, without some interfaces.

    The format is that of /proc/net/route (proc(5)): little-endian hex.
    """
    try:
        lines = table.read_text().splitlines()[1:]
    except OSError:
        return
    for fields in (line.split() for line in lines):
        address, mask = (int.from_bytes(bytes.fromhex(fields[at]), "little") for at in (1, 7))
        if mask and fields[0] not in except_by:
            yield IPv4Network((address, bin(mask).count("1")))
