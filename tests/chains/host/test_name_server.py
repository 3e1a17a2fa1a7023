"""Names are asked of a real dnsmasq at the gateway of a bridge, which asks the host's name servers."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from ipaddress import IPv4Network
from pathlib import Path

import dns.message
import dns.query
import dns.rcode
import pytest

from chains.engine.port import EngineError
from chains.host.bridges import Bridge, bridge_pair
from chains.host.daemon import NameServer
from chains.host.firewall import lower_fence, raise_fence
from chains.host.networks import BridgeNetwork

pytestmark = pytest.mark.podman


@pytest.fixture
def bridge() -> Iterator[Bridge]:
    """A bridge of nobody."""
    outer, _ = bridge_pair("feedfeed0053", IPv4Network("10.127.252.0/23"))
    network = BridgeNetwork(outer)
    assert network.make() is None
    yield outer
    network.remove()


def answer_of(server: str, *, by_tcp: bool) -> dns.message.Message:
    """The answer to a question that needs no other name server, as soon as there is one."""
    question = dns.message.make_query("localhost.", "A")
    until = time.monotonic() + 20
    while True:
        try:
            return (dns.query.tcp if by_tcp else dns.query.udp)(question, server, timeout=1)
        except (OSError, dns.exception.DNSException):
            if time.monotonic() > until:
                raise


def test_without_the_program_containers_ask_the_hosts_own(tmp_path: Path) -> None:
    outer, _ = bridge_pair("feedfeed0053", IPv4Network("10.127.252.0/23"))
    stub, systemd = tmp_path / "stub", tmp_path / "systemd"
    stub.write_text("# by systemd\nnameserver 127.0.0.53\noptions edns0\n")
    systemd.write_text("nameserver fe80::1\nnameserver 10.1.2.3\nnameserver\nsearch a.example\n")
    names = NameServer(outer, tmp_path, tmp_path, "no-such-program", (stub, systemd))
    names.write()
    assert names.resolv_conf.read_text() == "nameserver 10.1.2.3\n"
    assert names.trouble == "no-such-program is not installed"
    with pytest.raises(EngineError, match="apt-get install dnsmasq-base"):
        names.start()
    assert raise_fence(outer, names.host_servers) is None
    try:
        rules = subprocess.run(
            ["iptables", "-t", "raw", "-S", outer.chain], capture_output=True, text=True, check=True
        ).stdout.splitlines()
    finally:
        lower_fence(outer)
    excepted = [rule for rule in rules if "-d 10.1.2.3/32" in rule and rule.endswith("-j ACCEPT")]
    assert len(excepted) == 2
    assert max(map(rules.index, excepted)) < rules.index(f"-A {outer.chain} -d 10.0.0.0/8 -j {outer.chain}-R")


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
            assert answer_of(gateway, by_tcp=by_tcp).question[0].name.to_text() == "localhost."
        with socket.create_server(("127.0.0.1", 53)):
            pass  # nobody is there
    finally:
        names.stop()
    until = time.monotonic() + 10
    while is_open(gateway):  # by what answered the last question, which is ending
        assert time.monotonic() < until
