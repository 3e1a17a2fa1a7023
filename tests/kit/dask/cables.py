"""Hosts that network namespaces of this machine play, each at the end of a cable that may be pulled."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

RUNNER, SCHEDULER, WORKER = "10.203.78.1", "10.203.78.2", "10.203.78.3"
SWITCH, BRIDGE = "curlew-t78s", "curlew78"
SPACES = {SCHEDULER: "curlew-t78a", WORKER: "curlew-t78b"}
"""The namespaces of hosts; the runner's is that of the tests."""
NEAR = "curlew78r"


def ip(*words: str, check: bool = True) -> None:
    """Ask iproute2 for something."""
    subprocess.run(["ip", *words], check=check, capture_output=True)


def inside(host: str) -> tuple[str, ...]:
    """The words that start a command on a host."""
    return ("ip", "netns", "exec", SPACES[host])


def pull(host: str) -> None:
    """Cut a host off from the others: what is sent is lost, and nobody is told."""
    ip("-n", SWITCH, "link", "set", _port(host), "down")


def plug(host: str) -> None:
    """Have a host back."""
    ip("-n", SWITCH, "link", "set", _port(host), "up")


@contextmanager
def cables() -> Iterator[None]:
    """The hosts and their switch."""
    _remove()
    try:
        for space in (SWITCH, *SPACES.values()):
            ip("netns", "add", space)
        ip("-n", SWITCH, "link", "add", BRIDGE, "type", "bridge")
        ip("-n", SWITCH, "link", "set", BRIDGE, "up")
        for host in (RUNNER, *SPACES):
            _lay(host)
        yield
    finally:
        _remove()


def _lay(host: str) -> None:
    here = ("-n", SPACES[host]) if host in SPACES else ()
    far = ("netns", SWITCH, "name", _port(host))
    ip(*here, "link", "add", NEAR, "type", "veth", "peer", *far)
    ip(*here, "addr", "add", f"{host}/24", "dev", NEAR)
    ip(*here, "link", "set", NEAR, "up")
    if here:
        ip(*here, "link", "set", "lo", "up")
    ip("-n", SWITCH, "link", "set", _port(host), "master", BRIDGE)
    plug(host)


def _port(host: str) -> str:
    return f"port{host.rpartition('.')[2]}"


def _remove() -> None:
    ip("link", "del", NEAR, check=False)
    for space in (SWITCH, *SPACES.values()):
        ip("netns", "del", space, check=False)
