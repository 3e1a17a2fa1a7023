"""Hosts: the authority of a request (RFC 3986 section 3.2), loopback names, and networks of clients."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import NamedTuple

_AUTHORITY = re.compile(r"(?:([A-Za-z0-9._-]{1,253})|\[([0-9A-Fa-f:.]{2,45})\])(?::([0-9]{0,5}))?")
_MOST_KNOWN = 1024
LARGEST_PORT = 65_535
# Internet providers give each IPv6 customer at least one network of this size.
PREFIX_BITS = 64
# Names below it mean this host (RFC 6761 section 6.3); browsers do not look them up in DNS.
LOCALHOST = "localhost"


class Host(NamedTuple):
    """A host without brackets, and its authority as a URL spells it, with the port."""

    name: str
    authority: str


@lru_cache(_MOST_KNOWN)
def parse_host(text: str) -> Host | None:
    """Return the host of an authority without a user; None if invalid. An empty port counts as none."""
    found = _AUTHORITY.fullmatch(text)
    if found is None:
        return None
    name, literal, port = found.groups()
    if literal is not None and not _is_ipv6(literal):
        return None
    if name is not None and not name.strip(".-_"):
        return None
    if port and not 0 < int(port) <= LARGEST_PORT:
        return None
    spelled = name if literal is None else f"[{literal}]"
    return Host(name or literal, f"{spelled}:{port}" if port else spelled)


@lru_cache(_MOST_KNOWN)
def loopback(host: str) -> bool:
    """Return whether a host's name or address is a loopback one."""
    name = host.lower().rstrip(".")
    if name == LOCALHOST or name.endswith(f".{LOCALHOST}"):
        return True
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback


def network(address: str) -> str:
    """Return the network that counts as one client: an IPv4 address, or the /64 of an IPv6 address."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, PREFIX_BITS), strict=False))


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True
