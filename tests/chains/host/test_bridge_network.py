"""Processes with a separate network namespace, put onto a bridge and removed with their namespace."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import pytest

from chains.engine.port import EngineError
from chains.host.bridges import Bridge, bridge_pair
from chains.host.networks import BridgeNetwork, outside_unit

INTERFACES = Path("/sys/class/net")
PAIR = IPv4Network("10.127.254.0/23")

pytestmark = pytest.mark.podman


@pytest.fixture
def bridges() -> Iterator[tuple[Bridge, Bridge]]:
    """Two bridges of nobody, and nothing of them afterwards."""
    pair = bridge_pair("feedfeedfeed", PAIR)
    yield pair
    for bridge in pair:
        BridgeNetwork(bridge).remove()
    assert not list(INTERFACES.glob(f"{pair[0].interface}*"))


@contextmanager
def namespace() -> Iterator[int]:
    """A process in a separate network namespace."""
    with subprocess.Popen(["unshare", "--net", "sleep", "600"]) as process:
        try:
            until = time.monotonic() + 10
            while Path(f"/proc/{process.pid}/comm").read_text() != "sleep\n":
                assert time.monotonic() < until
            yield process.pid
        finally:
            process.kill()


def inside(process: int, *words: str) -> Any:
    """What ip(8) says in the namespace of a process."""
    command = ["nsenter", f"--net=/proc/{process}/ns/net", "ip", "-json", *words]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def address_of(process: int) -> str:
    """The one address of a process in a network."""
    (found,) = [one for one in inside(process, "address") if one["ifname"] == "eth0"]
    (info,) = [one for one in found["addr_info"] if one["family"] == "inet"]
    return str(info["local"])


def test_each_has_an_address_a_way_outside_and_nobody_beside_it(bridges: tuple[Bridge, Bridge]) -> None:
    network, gateway = BridgeNetwork(bridges[0]), str(bridges[0].gateway)
    assert network.make() is None
    with ExitStack() as stack:
        processes = [stack.enter_context(namespace()) for _ in range(6)]
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(network.connect, processes))
        addresses = {address_of(process) for process in processes}
        assert len(addresses) == 6
        assert gateway not in addresses
        for process in processes:
            (route,) = inside(process, "route", "show", "default")
            assert route["gateway"] == gateway
            (link,) = inside(process, "link", "show", "eth0")
            assert (link["operstate"], link["mtu"]) == ("UP", outside_unit())
        ports = list(INTERFACES.glob(f"{bridges[0].interface}??/brport/isolated"))
        assert [port.read_text() for port in ports] == ["1\n"] * 6
    until = time.monotonic() + 10
    while list(INTERFACES.glob(f"{bridges[0].interface}/brif/*")):
        assert time.monotonic() < until, "they go with their namespaces"
    moved = replace(bridges[0], subnet=IPv4Network("10.127.250.0/24"))
    for bridge in (moved, bridges[0]):
        assert BridgeNetwork(bridge).make() is None, "what is there is made as it should be"
        command = ["ip", "-json", "address", "show", "dev", bridge.interface]
        (found,) = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        assert [one["local"] for one in found["addr_info"]] == [str(bridge.gateway)]


def test_an_inner_one_leads_nowhere(bridges: tuple[Bridge, Bridge]) -> None:
    network = BridgeNetwork(bridges[1])
    with namespace() as process:
        network.connect(process)
        assert network.is_there, "it is made when it is not there, as after somebody took it away"
        assert inside(process, "route", "show", "default") == []
        assert address_of(process).startswith("10.127.255.")


def test_the_hosts_own_namespace_is_never_touched(bridges: tuple[Bridge, Bridge]) -> None:
    network = BridgeNetwork(bridges[0])
    with subprocess.Popen(["sleep", "600"]) as process:
        with pytest.raises(EngineError, match="no separate network namespace"):
            network.connect(process.pid)
        process.kill()
    with pytest.raises(EngineError, match="has no network namespace"):
        network.connect(process.pid)


def test_where_no_address_is_left_that_is_said(bridges: tuple[Bridge, Bridge]) -> None:
    network, names = BridgeNetwork(bridges[0]), [f"{bridges[0].interface}{n:02x}" for n in bridges[0].places]
    lines = "".join(f"link add name {name} type bridge\n" for name in names)
    subprocess.run(["ip", "-batch", "-"], input=lines, text=True, check=True)
    try:
        with namespace() as process:
            with pytest.raises(EngineError, match=r"no address is left on the network 10\.127\.254\.0/24"):
                network.connect(process)
            subprocess.run(["ip", "link", "del", names[7]], check=True)
            network.connect(process)
            assert address_of(process) == "10.127.254.9"
    finally:
        subprocess.run(
            ["ip", "-force", "-batch", "-"],
            input="".join(f"link del dev {name}\n" for name in names), text=True, check=False,
            capture_output=True,
        )  # fmt: skip
