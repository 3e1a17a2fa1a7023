"""Firewall rules for steps with a network, and their route to the outside.

The outer bridge leads to no private address and not to the host, the inner one to a single port of the host.
"""

from __future__ import annotations

import ipaddress
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Address
from itertools import product
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
"""Special-purpose addresses (RFC 6890) of this host, its neighbours or a cloud's metadata service."""

SHORTEST_ROUTE = 8
"""Shortest prefix of a route to a network of the host; shorter ones are part of its route to the outside:
a VPN may use two halves of the internet instead of a default route.
"""

NAME_PROTOCOLS = ("udp", "tcp")
UNTRACKED = "-m conntrack --ctstate UNTRACKED"
"""Refused packets are not tracked. So no later rule changes their destination, and later chains recognise and
refuse them, even if another rule accepted them before.
"""

REMEMBERED_SECONDS = 600
TRIED = Path("/proc/net/ipt_hashlimit")
SBIN = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"


def raise_fence(bridge: Bridge, name_servers: Sequence[IPv4Address] = ()) -> str | None:
    """Add the rules of `bridge`, and allow it to go outside; return why it failed, or None.

    They refuse packets from it to special addresses, the host and the networks in the host's current routes,
    except to the name server at its gateway and other `name_servers`. For an inner bridge, they refuse all
    packets from it and all new connections to it. They are in the table `raw`, before routing and before
    rules of other programs.
    """
    lower_fence(bridge)
    if trouble := _restore(_tables(bridge, name_servers)):
        lower_fence(bridge)
        return trouble
    # Containers have no IPv6 (chains.podman); if the host has none either, this rule fails.
    _run("ip6tables", "-t", "raw", "-I", "PREROUTING", "-i", bridge.interface, "-j", "DROP")
    return None


def _tables(bridge: Bridge, name_servers: Sequence[IPv4Address]) -> Iterator[str]:
    """Yield lines for `iptables-restore`, which adds each table completely or not at all."""
    hooks = _hooks(bridge)
    refused = f"{bridge.chain}-R"
    chains: dict[str, dict[str, Iterable[str]]] = {
        "raw": {
            refused: ("-j CT --notrack", "-j ACCEPT"),
            bridge.chain: _fence_rules(bridge, name_servers),
        },
        "filter": {refused: _refusals(bridge), bridge.chain: (*_names(bridge), f"{UNTRACKED} -j {refused}")},
        "security": {},
        "nat": {},
    }
    for table, made in chains.items():
        yield f"*{table}"
        yield from (f":{chain} - [0:0]" for chain in made)
        yield from (f"-A {chain} {rule}" for chain, rules in made.items() for rule in rules)
        # Each rule is inserted at the top, so that the last one is the first in its chain.
        yield from (f"-I {hook}" for place, hook in reversed(hooks) if place == table)
        yield "COMMIT"
    yield ""


def _hooks(bridge: Bridge) -> list[tuple[str, str]]:
    """Return rules that lead packets of a bridge to its chains: the table, then chain and rule."""
    name = bridge.interface
    hooks = [
        ("raw", f"PREROUTING -i {name} -j {bridge.chain}"),
        ("filter", f"INPUT -i {name} -j {bridge.chain}"),
        ("filter", f"FORWARD -i {name} {UNTRACKED} -j {bridge.chain}-R"),
        ("security", f"INPUT -i {name} {UNTRACKED} -j DROP"),
        ("security", f"FORWARD -i {name} {UNTRACKED} -j DROP"),
    ]
    if not bridge.inner:
        hooks += [
            ("filter", f"FORWARD -o {name} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT"),
            ("filter", f"FORWARD -i {name} ! -o {name} -j ACCEPT"),
            ("nat", f"POSTROUTING -s {bridge.subnet} ! -o {name} -j MASQUERADE"),
        ]
    return [*hooks, ("filter", f"FORWARD -o {name} -j DROP")]


def _names(bridge: Bridge) -> Iterator[str]:
    """Yield rules that let containers ask the name server; all other packets may be refused."""
    if not bridge.inner:
        for protocol in NAME_PROTOCOLS:
            yield _to_gateway(bridge, protocol, 53)


def _refusals(bridge: Bridge) -> Iterator[str]:
    """Yield rules that record and refuse destinations."""
    yield (
        "-m hashlimit --hashlimit-upto 1000/sec --hashlimit-mode srcip,dstip,dstport "
        f"--hashlimit-name {bridge.interface} --hashlimit-htable-expire {1000 * REMEMBERED_SECONDS}"
    )
    yield "-p tcp -j REJECT --reject-with tcp-reset"
    yield "-j REJECT --reject-with icmp-admin-prohibited"
    yield "-j DROP"


def _fence_rules(bridge: Bridge, name_servers: Sequence[IPv4Address]) -> Iterator[str]:
    refused = f"-j {bridge.chain}-R"
    if bridge.inner:
        yield refused
        return
    yield from _names(bridge)
    for server, protocol in product(name_servers, NAME_PROTOCOLS):
        yield f"-d {server}/32 -p {protocol} --dport 53 -j ACCEPT"
    for block in unreachable_networks(routed_networks(ROUTES, (bridge.interface,))):
        yield f"-d {block} {refused}"
    yield f"-m addrtype --dst-type LOCAL {refused}"


def unreachable_networks(near: Iterable[ipaddress.IPv4Network]) -> list[ipaddress.IPv4Network]:
    """Return networks that no container may reach; `near` are those in the host's routes."""
    close = (network for network in near if network.prefixlen >= SHORTEST_ROUTE)
    return list(ipaddress.collapse_addresses([*map(ipaddress.IPv4Network, UNREACHABLE), *close]))


def open_port(bridge: Bridge, port: int) -> str | None:
    """Let steps on `bridge` reach a TCP port of its gateway; return why it failed, or None.

    It stays open until the rules are removed or the port is closed.
    """
    rule = _to_gateway(bridge, "tcp", port)
    troubles = [_iptables(table, "-I", f"{bridge.chain} {rule}") for table in ("filter", "raw")]
    return next(filter(None, troubles), None)


def close_port(bridge: Bridge, port: int) -> None:
    """Undo `open_port`."""
    for table in ("raw", "filter"):
        _iptables(table, "-D", f"{bridge.chain} {_to_gateway(bridge, 'tcp', port)}")


def open_ways(
    bridge: Bridge, source: IPv4Address, ways: Iterable[tuple[IPv4Address, int | None]]
) -> str | None:
    """Let the container at `source` reach addresses, at a port or all; return why it failed, or None."""
    return _restore(_ways(bridge, "-I", source, ways))


def close_ways(
    bridge: Bridge, source: IPv4Address, ways: Iterable[tuple[IPv4Address, int | None]]
) -> str | None:
    """Undo `open_ways`; return why it failed, or None."""
    return _restore(_ways(bridge, "-D", source, ways))


def _ways(
    bridge: Bridge, change: str, source: IPv4Address, ways: Iterable[tuple[IPv4Address, int | None]]
) -> Iterator[str]:
    yield "*raw"
    for address, port in ways:
        for ports in [""] if port is None else [f" -p {kind} --dport {port}" for kind in ("tcp", "udp")]:
            yield f"{change} {bridge.chain} -s {source}/32 -d {address}/32{ports} -j ACCEPT"
    yield "COMMIT"
    yield ""


def refused_to(bridge: Bridge, source: IPv4Address, seconds: float) -> list[str]:
    """Return addresses with ports that were refused to a container recently (hashlimit in /proc/net)."""
    try:
        lines = (TRIED / bridge.interface).read_text().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        left, way = line.split()[:2]
        asked, _, wanted = way.partition("->")
        recent = REMEMBERED_SECONDS - int(left) <= seconds + 1
        if recent and asked.rpartition(":")[0] == str(source):
            found.append(wanted.removesuffix(":0"))
    return found


def _to_gateway(bridge: Bridge, protocol: str, port: int) -> str:
    return f"-d {bridge.gateway}/32 -p {protocol} --dport {port} -j ACCEPT"


def stands(bridge: Bridge) -> bool:
    """Return whether the rules of `bridge` are in place."""
    needed = (hook for hook in _hooks(bridge) if hook[0] in ("raw", "security"))
    return all(_iptables(table, "-C", hook) is None for table, hook in needed)


def lower_fence(bridge: Bridge) -> None:
    """Remove the rules of `bridge`, including those of an earlier process."""
    for table, hook in _hooks(bridge):
        while _iptables(table, "-D", hook) is None:
            pass
    while _run("ip6tables", "-t", "raw", "-D", "PREROUTING", "-i", bridge.interface, "-j", "DROP") is None:
        pass
    for table, chain in product(("raw", "filter"), (bridge.chain, f"{bridge.chain}-R")):
        _iptables(table, "-F", chain)
        _iptables(table, "-X", chain)


def _iptables(table: str, change: str, rule: str) -> str | None:
    """Make one change to a table; return why it failed, or None."""
    return _run("iptables", "-t", table, change, *rule.split())


def _restore(lines: Iterable[str]) -> str | None:
    """Add or remove rules, all rules of a table or none; return why it failed, or None."""
    return _run("iptables-restore", "--noflush", text="\n".join(lines))


def _run(program: str, *arguments: str, text: str = "") -> str | None:
    """Run a firewall program, waiting for its lock; return why it failed, or None."""
    command = [program, "-w", "5", *arguments]
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, env={"PATH": SBIN}
        )
    except OSError as error:
        return f"{program} cannot be run ({error.strerror}): apt-get install iptables"
    return None if done.returncode == 0 else f"{' '.join(command)}: {done.stderr.strip()}"
