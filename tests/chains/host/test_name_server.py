"""Names are asked of a real dnsmasq at the gateway of a bridge, which asks the host's name servers."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from ipaddress import IPv4Network
from pathlib import Path

import dns.message
import dns.query
import dns.rcode
import pytest

from chains.host.bridge_network import BridgeNetwork
from chains.host.bridges import Bridge, bridge_pair
from chains.host.name_server import NameServer

pytestmark = pytest.mark.podman


@pytest.fixture
def bridge() -> Iterator[Bridge]:
    """A bridge of nobody."""
    outer, _ = bridge_pair("feedfeed0053", IPv4Network("10.127.252.0/23"))
    network = BridgeNetwork(outer)
    assert network.make() is None
    yield outer
    network.remove()


def asked(server: str, *, by_tcp: bool) -> dns.message.Message:
    """The answer to a question that needs no other name server, as soon as there is one."""
    question = dns.message.make_query("localhost.", "A")
    until = time.monotonic() + 20
    while True:
        try:
            return (dns.query.tcp if by_tcp else dns.query.udp)(question, server, timeout=1)
        except (OSError, dns.exception.DNSException):
            if time.monotonic() > until:
                raise


def is_open(server: str) -> bool:
    try:
        socket.create_connection((server, 53), timeout=5).close()
    except ConnectionRefusedError:
        return False
    return True


def test_names_are_answered_on_the_bridge_alone(bridge: Bridge, tmp_path: Path) -> None:
    names = NameServer(bridge, tmp_path, tmp_path)
    assert names.trouble is None
    names.write()
    names.start()
    try:
        gateway = str(bridge.gateway)
        assert names.resolv_conf.read_text() == f"nameserver {gateway}\n"
        for by_tcp in (False, True):
            assert asked(gateway, by_tcp=by_tcp).question[0].name.to_text() == "localhost."
        with socket.create_server(("127.0.0.1", 53)):
            pass  # nobody is there
    finally:
        names.stop()
    until = time.monotonic() + 10
    while is_open(gateway):  # by what answered the last question, which is ending
        assert time.monotonic() < until
