"""Addresses of hooks: what may be written, and which addresses of hosts may be connected to."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from chains.public_hosts import is_public
from handlers.rules.hosts import parse_host
from handlers.settings.mails import Networks, read_reach
from vfs.errors import Invalid

LONGEST = 2_000
SIGNS = re.compile(r"[!-\"$-~]+")
PORTS = {"http": 80, "https": 443}
FIRST_FREE = 1_024
"""Ports below it, but that of HTTPS, are those of a host's own services."""
EXAMPLE = "https://chat.example.org/hooks/k3x"


@dataclass(frozen=True, slots=True)
class HookAddress:
    """An address in parts: the scheme, the host without brackets, the port, and path with query."""

    scheme: str
    host: str
    port: int
    target: str
    authority: str


@dataclass(frozen=True, slots=True)
class HookReach:
    """The hosts and networks that hooks may reach although they are private (setting `hooks_out_hosts`)."""

    hosts: frozenset[str]
    networks: Networks

    @classmethod
    def parse(cls, words: str) -> HookReach:
        """Return the reach of the setting. Raises ValueError for a malformed network."""
        return cls(*read_reach(words))

    @property
    def is_empty(self) -> bool:
        """Whether hooks reach public addresses only."""
        return not self.hosts and not self.networks

    def permits(self, to: HookAddress, address: str) -> bool:
        """Return whether a hook may connect to this address of its host."""
        if to.host in self.hosts:
            return True
        found = ipaddress.ip_address(address)
        found = getattr(found, "ipv4_mapped", None) or found
        if any(found in network for network in self.networks):
            return True
        return to.scheme == "https" and (to.port == 443 or to.port >= FIRST_FREE) and is_public(address)


def parse_address(text: str, reach: HookReach) -> HookAddress:
    """Return the parts of an address. Raises Invalid for one that a hook cannot have."""
    if len(text) > LONGEST or not SIGNS.fullmatch(text):
        raise Invalid(f"an address has at most {LONGEST} signs, all ASCII, and no blanks or #: as {EXAMPLE}")
    try:
        parts = urlsplit(text)
    except ValueError:
        raise Invalid(f"that is no address of a host: write one like {EXAMPLE}") from None
    if parts.scheme not in PORTS:
        raise Invalid(f"a hook sends over HTTPS: write an address like {EXAMPLE}")
    if "@" in parts.netloc:
        raise Invalid("an address contains no user and password here: its receiver checks the signature")
    host = parse_host(parts.netloc)
    if host is None:
        raise Invalid(f'"{parts.netloc[:80]}" is no host: write an address like {EXAMPLE}')
    port = parts.port or PORTS[parts.scheme]
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    found = HookAddress(parts.scheme, host.name.lower(), port, target, host.authority)
    _require_reachable(found, reach)
    return found


def _require_reachable(to: HookAddress, reach: HookReach) -> None:
    """Refuse at once what can be seen from the address itself. The check of its host is that at connect."""
    if to.host in reach.hosts:
        return
    if reach.is_empty and to.scheme == "http":
        raise Invalid("a hook sends over HTTPS: write the address with https://")
    if reach.is_empty and to.port != PORTS["https"] and to.port < FIRST_FREE:
        raise Invalid(f"a hook sends to port 443, or to one from {FIRST_FREE}")
    try:
        private = not reach.permits(to, to.host)
    except ValueError:
        return
    if private:
        raise Invalid(
            "a hook sends to public addresses only: the operator may allow others (setting hooks_out_hosts)"
        )
