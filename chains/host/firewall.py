"""Fences around steps with a network.

One bridge leads to no private address and not to the host, another to a single port of the host.
"""

from __future__ import annotations

import ipaddress
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from chains.host.bridges import ROUTES, Bridge, routed_networks

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

INTERFACES = Path("/sys/class/net")
SBIN = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"


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
    for block in unreachable_networks(routed_networks(ROUTES, (bridge.interface,))):
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
