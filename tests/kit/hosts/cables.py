"""Hosts that network namespaces of this machine play, at the ends of cables to one switch that can be cut."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

NET = "10.203.79"
SWITCH, BRIDGE, NEAR = "curlew-t79s", "curlew79", "curlew79r"
SPACE = "curlew-t79h"
NOBODY = "02:00:00:00:00:01"
"""An address of Ethernet that no host has: what is sent there is lost, and nobody hears of it."""


def ip(*words: str, check: bool = True) -> None:
    """Run iproute2."""
    subprocess.run(["ip", *words], check=check, capture_output=True)


@dataclass(frozen=True, slots=True)
class Cable:
    """The cable of a host by its number; that of the tests' own namespace has none."""

    number: int

    @property
    def address(self) -> str:
        """Where the host is found by the others."""
        return f"{NET}.{self.number + 1}"

    @property
    def inside(self) -> tuple[str, ...]:
        """The words that start a command on the host."""
        return ("nsenter", f"--net=/run/netns/{self.space}") if self.space else ()

    @property
    def space(self) -> str:
        """Its namespace."""
        return f"{SPACE}{self.number}" if self.number else ""

    @property
    def port(self) -> str:
        """Its end at the switch."""
        return f"port{self.number}"

    @property
    def on_host(self) -> tuple[str, ...]:
        """The first arguments of iproute2, which select the host."""
        return ("-n", self.space) if self.space else ()

    def cut(self) -> None:
        """Let nothing pass: what is sent is lost, and nobody hears of it."""
        ip("-n", SWITCH, "link", "set", self.port, "down")

    def repair(self) -> None:
        """Let everything pass again."""
        ip("-n", SWITCH, "link", "set", self.port, "up")

    def lose(self, address: str) -> None:
        """Have what this host sends to one address lost; all others it reaches."""
        ip(*self.on_host, "neigh", "replace", address, "lladdr", NOBODY, "dev", NEAR, "nud", "permanent")

    def find(self, address: str) -> None:
        """Have that address reached again."""
        ip(*self.on_host, "neigh", "del", address, "dev", NEAR)

    def lay(self) -> None:
        """Make the cable."""
        here = self.on_host
        ip(*here, "link", "add", NEAR, "type", "veth", "peer", "netns", SWITCH, "name", self.port)
        ip(*here, "addr", "add", f"{self.address}/24", "dev", NEAR)
        ip(*here, "link", "set", NEAR, "up")
        if self.space:
            ip(*here, "link", "set", "lo", "up")
        ip("-n", SWITCH, "link", "set", self.port, "master", BRIDGE)
        self.repair()


@contextmanager
def cables(hosts: int, *more: str) -> Iterator[tuple[Cable, ...]]:
    """The cable of the tests' own namespace, and then those of the `hosts`; what earlier tests left goes.

    The own namespace has `more` addresses besides.
    """
    laid = tuple(map(Cable, range(hosts + 1)))
    spaces = [SWITCH, *(cable.space for cable in laid[1:])]
    _remove(spaces)
    try:
        for space in spaces:
            ip("netns", "add", space)
        ip("-n", SWITCH, "link", "add", BRIDGE, "type", "bridge")
        ip("-n", SWITCH, "link", "set", BRIDGE, "up")
        for cable in laid:
            cable.lay()
        for address in more:
            ip("addr", "add", f"{address}/24", "dev", NEAR)
        yield laid
    finally:
        _remove(spaces)


def _remove(spaces: list[str]) -> None:
    ip("link", "del", NEAR, check=False)
    for space in spaces:
        ip("netns", "del", space, check=False)
