"""Public addresses: a check for them, and connections to no other addresses."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable

SECONDS = 30.0
MOST_TRIED = 4
TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""The prefix under which an IPv6 network reaches IPv4 addresses."""
UNICAST, EXAMPLES = ipaddress.IPv6Network("2000::/3"), ipaddress.IPv6Network("3fff::/20")
RELAYS = ipaddress.IPv4Network("192.88.99.0/24")
"""The anycast address of routers between IPv4 and IPv6, which may be one of a local network (RFC 7526)."""


def is_public(address: str) -> bool:
    """Return whether an address is public: neither in a private network nor of this host."""
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if found in TRANSLATED:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        # Other addresses are not assigned, or a network maps them to addresses in a way that only it knows.
        if found not in UNICAST or found in EXAMPLES:
            return False
    elif found in RELAYS:
        return False
    return found.is_global and not found.is_multicast and not _is_own(str(found), found.version)


def _is_own(address: str, version: int) -> bool:
    """Return whether an address is one of this host: then packets to it also have it as their source."""
    try:
        with socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 9))
            return str(probe.getsockname()[0]) == address
    except OSError:
        return False


def connect_public(
    host: str, port: int, seconds: float = SECONDS, permits: Callable[[str], bool] = is_public
) -> socket.socket:
    """Return a connection to a host, resolved once, whose addresses are all permitted. Raise OSError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(f"{host!r} is not a host name") from error
    addresses = [str(entry[4][0]) for entry in found]
    if not addresses or not all(map(permits, addresses)):
        raise OSError("the host has a private address")
    trouble: OSError | None = None
    for address in addresses[:MOST_TRIED]:
        try:
            return socket.create_connection((address, port), seconds)
        except OSError as error:
            trouble = error
    raise trouble or OSError("the host has no address")
