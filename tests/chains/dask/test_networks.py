"""Hosts that are cut off from each other: network namespaces of this machine play them."""

from __future__ import annotations

import ipaddress
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from chains.dask.engine import DaskEngine
from chains.sharing.run_files import KeptRunFiles
from storage.bytes.blobs import FileBlobs
from storage.bytes.seal import AesSeal
from tests.kit.clocks import WallClock
from tests.kit.dask.certificates import make_certificates
from tests.kit.dask.fakes import ListedImages
from tests.kit.dask.parts import IMAGES, part

# Namespaces are made by root with iproute2, which Podman's networks need too.
pytestmark = [pytest.mark.repeats, pytest.mark.podman]

HERE, THERE = "10.203.77.1", "10.203.77.2"
SPACE, NEAR, FAR = "curlew-t77", "curlew77a", "curlew77b"


def ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, capture_output=True)


@pytest.fixture
def network() -> Iterator[None]:
    """Another host at the end of a cable."""
    ip("netns", "del", SPACE, check=False)
    ip("link", "del", NEAR, check=False)
    ip("netns", "add", SPACE)
    try:
        ip("link", "add", NEAR, "type", "veth", "peer", "name", FAR, "netns", SPACE)
        ip("addr", "add", f"{HERE}/30", "dev", NEAR)
        ip("link", "set", NEAR, "up")
        for words in (
            ("addr", "add", f"{THERE}/30", "dev", FAR),
            ("link", "set", FAR, "up"),
            ("link", "set", "lo", "up"),
        ):
            ip("-n", SPACE, *words)
        yield
    finally:
        ip("link", "del", NEAR, check=False)
        ip("netns", "del", SPACE)


def listeners(*inside: str) -> set[tuple[str, int]]:
    """The addresses and ports of IPv4 and IPv6 on which somebody listens on a host."""
    command = [*inside, "cat", "/proc/net/tcp", "/proc/net/tcp6"]
    rows = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    found = set()
    for words in (row.split() for row in rows):
        if words[3] == "0A":
            host, _, port = words[1].partition(":")
            pieces = [bytes.fromhex(host[place : place + 8])[::-1] for place in range(0, len(host), 8)]
            found.add((str(ipaddress.ip_address(b"".join(pieces))), int(port, 16)))
    return found


def test_what_hosts_open_to_the_network_speaks_to_none_but_those_with_a_certificate(
    tmp_path: Path, network: None
) -> None:
    """Dask opens a port for HTTP in any case: only the host itself gets there, and it has nothing to show."""
    make_certificates(tmp_path / "tls")
    inside, address = ("ip", "netns", "exec", SPACE), f"tls://{THERE}:28787"
    with (
        part(tmp_path, "scheduler", address, "scheduler", *inside),
        part(tmp_path, "worker", address, "worker", *inside),
    ):
        found = listeners(*inside)
        near = {place for place in found if ipaddress.ip_address(place[0]).is_loopback}
        assert (THERE, 28787) in found
        ports = {port for _, port in found - near}
        assert len(ports) == 2, f"the scheduler's port, and the worker's: {found}"
        for port in ports:
            for say in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x08\0\0\0\0\0\0\0"):
                with socket.create_connection((THERE, port), 10) as wire:
                    wire.sendall(say)
                    assert heard(wire) == b""
        assert near
        for host, port in near:
            place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
            command = [*inside, "curl", "-s", "-m", "10", "-w", "%{http_code}", f"http://{place}/"]
            shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            assert shown.endswith("404"), shown


def heard(wire: socket.socket) -> bytes:
    """What is said before the end of a connection."""
    try:
        return wire.recv(1)
    except ConnectionError:
        return b""


@pytest.fixture
def engine(tmp_path: Path, network: None) -> Iterator[DaskEngine]:
    certificates, address = make_certificates(tmp_path / "tls"), f"tls://{HERE}:28787"
    files = KeptRunFiles(FileBlobs(f"osfs://{tmp_path / 'blobs'}", WallClock()))
    with part(tmp_path, "scheduler", address, "scheduler"):
        engine = DaskEngine(address, certificates, ListedImages(IMAGES), files, AesSeal(bytes(32)), str)
        yield engine
        engine.close()
