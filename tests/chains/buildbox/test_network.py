"""A build with a network is behind the fence of steps."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from chains.buildbox.box import BuildLimits
from chains.buildbox.builder import BoxBuilder
from chains.engine.port import BuildFailed, BuildOrder, Network
from tests.kit.podman import Bench, builder_on

pytestmark = pytest.mark.podman


@pytest.fixture
def outside(podman_bench: Bench) -> Iterator[BoxBuilder]:
    """A builder of a server whose steps have a network."""
    yield builder_on(podman_bench.host, BuildLimits(seconds=20), network=Network.OUTBOUND)
    podman_bench.host.networks.trouble = None


def own_address() -> str:
    """This host's address towards the outside."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as guess:
        guess.connect(("192.0.2.1", 9))
        return str(guess.getsockname()[0])


def test_a_build_reaches_neither_the_host_nor_its_networks(podman_bench: Bench, outside: BoxBuilder) -> None:
    with socket.create_server(("0.0.0.0", 0)) as door:
        port = door.getsockname()[1]
        addresses = ("127.0.0.1", own_address(), str(podman_bench.host.bridge.gateway), "169.254.169.254")
        knocks = "; ".join(f"nc -w 2 {address} {port} </dev/null && echo reached" for address in addresses)
        context = podman_bench.folder("context")
        (context / "Dockerfile").write_text(
            f"FROM localhost/busybox\nRUN {knocks}; cat /proc/net/dev /etc/resolv.conf; echo tried\n"
        )
        lines: list[str] = []
        outside.build(BuildOrder(51, context, "Dockerfile", "x", {}), lines.append)
    assert "reached" not in lines
    assert "tried" in lines
    assert any("eth0" in line for line in lines), "it has a network"
    assert f"nameserver {podman_bench.host.bridge.gateway}" in lines
    (context / "Dockerfile").write_text(f"FROM localhost/busybox\nADD http://{own_address()}:{port}/ /x\n")
    with pytest.raises(BuildFailed):
        outside.build(BuildOrder(51, context, "Dockerfile", "x", {}), lines.append)


def test_a_build_without_a_fence_has_no_network_and_says_so(podman_bench: Bench, outside: BoxBuilder) -> None:
    podman_bench.host.networks.trouble = "iptables cannot be run"
    context = podman_bench.folder("context")
    (context / "Dockerfile").write_text("FROM localhost/busybox\n")
    with pytest.raises(BuildFailed, match=r"iptables cannot be run.*set network to none"):
        outside.build(BuildOrder(52, context, "Dockerfile", "x", {}), lambda line: None)
