"""Private destinations that the operator allows for steps (setting `network_allow`)."""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address

from chains.host.bridges import POOL

LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
NAME = re.compile(rf"(?=.{{1,253}}$){LABEL}(?:\.{LABEL})*\.?")
ACCOUNT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
KEPT_SECONDS = 30.0
MOST_ADDRESSES = 16
EXAMPLE = "10.0.0.5:5432, or db.corp:5432 alice bob"


def never_opened(address: IPv4Address) -> bool:
    """Return whether an address is never allowed: loopback, link-local, or an address of other steps."""
    return (
        address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_unspecified
        or address.is_reserved
        or address in POOL
    )


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """A host by name or address, its port (None: all), and the accounts whose jobs may use it (none: all)."""

    host: str
    port: int | None = None
    accounts: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, line: str) -> AllowedHost:
        """Parse `HOST[:PORT] [ACCOUNT …]`. Raises ValueError with what is wrong."""
        place, *accounts = line.split()
        host, colon, said = place.partition(":")
        port = int(said) if said.isascii() and said.isdecimal() and len(said) < 6 else 0
        if colon and not 0 < port < 65_536:
            raise ValueError(f'"{place}" does not end with a port')
        if re.fullmatch(r"[0-9.]+", host):
            try:
                address = IPv4Address(host)
            except ValueError:
                raise ValueError(f'"{host}" is no address of IP version 4') from None
            if never_opened(address):
                raise ValueError(
                    f"{host} cannot be opened: loopback, link-local and the steps' own addresses stay closed"
                )
        elif not NAME.fullmatch(host):
            raise ValueError(f'"{host}" is neither a name of a host nor an address of IP version 4')
        for account in accounts:
            if not ACCOUNT.fullmatch(account):
                raise ValueError(f'"{account}" is no name of an account')
        return cls(host.lower(), port if colon else None, frozenset(accounts))

    def is_for(self, account: str | None) -> bool:
        """Return whether jobs of an account may reach the host; a build (None) may not."""
        return account is not None and (not self.accounts or account in self.accounts)


def parse(text: str) -> tuple[AllowedHost, ...]:
    """Return the destinations in a text, separated by lines or `;`. Raises ValueError."""
    return tuple(AllowedHost.parse(line) for line in re.split(r"[\n;]", text) if line.strip())


class AllowedHosts:
    """The allowed destinations of one host; their names are looked up again after some seconds."""

    def __init__(
        self, allowed: Iterable[AllowedHost], look_up: Callable[[str], list[str]] | None = None
    ) -> None:
        self._allowed = tuple(allowed)
        self._look_up = look_up or addresses_of
        self._known: dict[str, tuple[float, list[IPv4Address]]] = {}
        self._lock = threading.Lock()

    def ways(self, account: str | None) -> list[tuple[IPv4Address, int | None]]:
        """Return addresses and ports that a step of an account's job may reach now."""
        return list(
            dict.fromkeys(
                (address, one.port)
                for one in self._allowed
                if one.is_for(account)
                for address in self._addresses(one.host)
            )
        )

    def _addresses(self, host: str) -> list[IPv4Address]:
        with self._lock:
            since, known = self._known.get(host, (float("-inf"), []))
            if time.monotonic() - since > KEPT_SECONDS:
                # A name that cannot be looked up keeps its previous addresses.
                with suppress(OSError, UnicodeError):
                    found = [IPv4Address(word) for word in self._look_up(host)[:MOST_ADDRESSES]]
                    known = [address for address in found if not never_opened(address)]
                self._known[host] = time.monotonic(), known
            return known


def addresses_of(host: str) -> list[str]:
    """Return the IPv4 addresses of a host. Raises OSError."""
    with suppress(ValueError):
        return [str(ipaddress.IPv4Address(host))]
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)]
