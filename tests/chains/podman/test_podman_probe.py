"""What a step sees and reaches from inside its container: 27 facts without a network, the fence with one."""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from chains.engine.port import BuildOrder, Cause, Exit, Line, Mount, Network, StepSpec
from chains.host.doctor import check_host
from chains.host.firewall import close_port, lower_fence, open_port, raise_fence
from chains.podman.api import Podman
from chains.podman.confined_containers import NetworkLink
from chains.podman.engine import PodmanEngine
from chains.podman.leftovers import await_quiet
from tests.kit.podman import Bench, texts

pytestmark = pytest.mark.podman

PROBE = (Path(__file__).parent / "probe.sh").read_text()
FACTS = 27
PYTHON = 'FROM python:3-slim\nCOPY program.py /program.py\nCMD ["python3", "/program.py"]\n'
TRY_CONNECT = """
import os, socket
for target in os.environ["TARGETS"].split():
    host, _, port = target.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
        print(target, "open")
    except OSError:
        print(target, "closed")
query = b"\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0" + b"\\7example\\0" + b"\\0\\1\\0\\1"
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
    server.settimeout(float(os.environ["PATIENCE"]))
    server.sendto(query, (os.environ["NAMES"], 53))
    try:
        print("names", "answered" if server.recv(512) else "ignored")
    except TimeoutError:
        print("names", "ignored")
"""


def lines_of(engine: PodmanEngine, spec: StepSpec) -> tuple[Exit, list[str]]:
    lines: list[Line] = []
    handle = engine.prepare(spec)
    try:
        engine.start(handle)
        return engine.wait(handle, lines.append), texts(lines)
    finally:
        engine.remove(handle)


def with_space(bench: Bench, env: Mapping[str, str]) -> StepSpec:
    spec = bench.step(PROBE)
    space = bench.folder("space")
    space.chmod(0o777)
    return replace(spec, env=env, mounts=(*spec.mounts, Mount(space, "/mnt/shared")))


def test_a_step_without_network_passes_every_fact(podman_bench: Bench) -> None:
    ended, said = lines_of(podman_bench.engine, with_space(podman_bench, {"READ_ONLY": "shared"}))
    assert [line for line in said if line.startswith("not ok")] == []
    assert said[-1] == f"{FACTS} hold, 0 do not"
    assert ended == Exit(0)


def test_a_requested_token_is_there(podman_bench: Bench) -> None:
    env = {"READ_ONLY": "shared", "TOKEN": "yes", "SVC_TOKEN": "x" * 40}
    assert lines_of(podman_bench.engine, with_space(podman_bench, env))[1][-1] == f"{FACTS} hold, 0 do not"


def test_the_probe_sees_what_is_wrong(podman_bench: Bench) -> None:
    spec = with_space(podman_bench, {"READ_ONLY": "shared", "AWS_KEY": "x", "SVC_TOKEN": "y"})
    open_space = replace(spec.mounts[-1], writable=True)
    _, said = lines_of(podman_bench.engine, replace(spec, mounts=(*spec.mounts[:-1], open_space)))
    assert [line for line in said if line.startswith("not ok")] == [
        "not ok no secret of the service in the environment",
        "not ok a token only when it was asked for",
        "not ok read-only spaces cannot be written",
    ]


SERVE = """
import fcntl, socket
ADDRESS_OF = 0x8915  # SIOCGIFADDR, netdevice(7)
with socket.create_server(("0.0.0.0", 8000)) as server:
    found = fcntl.ioctl(server.fileno(), ADDRESS_OF, b"eth0" + bytes(252))
    print(socket.inet_ntoa(found[20:24]), flush=True)
    while True:
        server.accept()
"""


def program(bench: Bench, text: str) -> str:
    """The id of an image that runs a Python program."""
    context = bench.folder("context")
    (context / "program.py").write_text(text)
    (context / "Dockerfile").write_text(PYTHON)
    return bench.builder.build(BuildOrder(1, context, "Dockerfile", "program", {}), lambda line: None).id


@pytest.fixture(scope="module")
def try_connect(podman_bench: Bench) -> str:
    """The image of a program that tries the addresses in TARGETS."""
    return program(podman_bench, TRY_CONNECT)


@pytest.fixture(scope="module")
def serve(podman_bench: Bench) -> str:
    """The image of a program that says its address and takes connections."""
    return program(podman_bench, SERVE)


@contextmanager
def listening(address: str) -> Iterator[int]:
    """A port on which this host accepts connections."""
    with socket.create_server((address, 0)) as server:
        yield server.getsockname()[1]


def own_address() -> str:
    """The address of this host's way out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])


def tried(
    bench: Bench,
    image: str,
    targets: list[str],
    engine: PodmanEngine | None = None,
    network: Network = Network.OUTBOUND,
) -> dict[str, str]:
    """What a step with a network finds at `targets`: open or closed, and whether names are answered."""
    bridge, patience = (bench.host.inner_bridge, "1") if network is Network.API else (bench.host.bridge, "10")
    env = {"TARGETS": " ".join(targets), "NAMES": str(bridge.gateway), "PATIENCE": patience}
    spec = replace(bench.step("true", network=network), image=image, env=env)
    ended, said = lines_of(engine or bench.engine, spec)
    assert ended == Exit(0), said
    return dict(line.rsplit(" ", 1) for line in said)


def test_a_step_with_a_network_reaches_neither_the_host_nor_its_neighbours(
    podman_bench: Bench, try_connect: str
) -> None:
    host = podman_bench.host
    with listening("0.0.0.0") as port:
        ours = [f"{host.bridge.gateway}:{port}", f"{own_address()}:{port}"]
        fenced = tried(podman_bench, try_connect, [*ours, f"127.0.0.1:{port}", "169.254.169.254:80"])
        lower_fence(host.bridge)
        lowered = next(check for check in check_host(host) if check.name == "network")
        try:
            unfenced = tried(podman_bench, try_connect, ours)
        finally:
            assert raise_fence(host.bridge) is None
    assert (lowered.ok, lowered.detail) == (False, "the firewall's rules are gone")
    assert fenced.pop("names") == "answered"
    assert set(fenced.values()) == {"closed"}
    assert [unfenced[target] for target in ours] == ["open", "open"]


def test_a_step_with_the_api_alone_reaches_one_port(podman_bench: Bench, try_connect: str) -> None:
    host, bridge = podman_bench.host, podman_bench.host.inner_bridge
    with listening("0.0.0.0") as port, listening("0.0.0.0") as other:
        ours = [f"{bridge.gateway}:{port}", f"{bridge.gateway}:{other}", f"{host.bridge.gateway}:{port}"]
        targets = [*ours, f"{own_address()}:{port}"]
        before = tried(podman_bench, try_connect, targets, network=Network.API)
        assert open_port(bridge, port) is None
        meanwhile = tried(podman_bench, try_connect, targets, network=Network.API)
        close_port(bridge, port)
        after = tried(podman_bench, try_connect, targets, network=Network.API)
    assert set(before.values()) == {"closed", "ignored"}
    assert meanwhile == before | {ours[0]: "open"}
    assert after == before


@contextmanager
def serving(engine: PodmanEngine, spec: StepSpec) -> Iterator[str]:
    """Where a step with a network takes connections."""
    handle = engine.prepare(spec)
    engine.start(handle)
    said: queue.Queue[Line] = queue.Queue()
    waiting = threading.Thread(target=engine.wait, args=(handle, said.put))
    waiting.start()
    try:
        yield f"{said.get(timeout=120).text}:8000"
    finally:
        engine.remove(handle)
        waiting.join()


@pytest.mark.parametrize("network", [Network.OUTBOUND, Network.API])
def test_steps_with_a_network_do_not_reach_each_other(
    podman_bench: Bench, try_connect: str, serve: str, network: Network
) -> None:
    """Two things keep them apart; some hosts show bridged packets to the fence, so it is lowered here."""
    host = podman_bench.host
    spec = replace(podman_bench.step("true", network=network), image=serve)
    bridges = (host.bridge, host.inner_bridge)

    def connect(name: str, process: int, account: str | None) -> NetworkLink:
        link = host.networks.connect(name, process, account)
        for port in Path("/sys/class/net").glob(f"{host.bridge.interface}*/brport/isolated"):
            port.write_text("0")
        return link

    careless = PodmanEngine(Podman(host.socket), host.confinement, host.exits, host.instance, connect)
    for bridge in bridges:
        lower_fence(bridge)
    try:
        with serving(podman_bench.engine, spec) as address:
            kept_apart = tried(podman_bench, try_connect, [address], network=network)[address]
        with serving(careless, spec) as address:
            together = tried(podman_bench, try_connect, [address], careless, network)[address]
    finally:
        assert [raise_fence(bridge) for bridge in bridges] == [None, None]
        careless.close()
    assert (kept_apart, together) == ("closed", "open")


@pytest.mark.parametrize("patient", [False, True])
def test_a_network_is_removed_by_any_cleanup(podman_bench: Bench, patient: bool) -> None:
    """It goes with the namespace, when a container's last process has ended."""
    bridge = Path("/sys/class/net") / podman_bench.host.bridge.interface
    engine = podman_bench.engine
    handle = engine.prepare(podman_bench.step("exec sleep 60", network=Network.OUTBOUND))
    engine.start(handle)
    assert bridge.exists()
    engine.stop(handle, 0)
    assert engine.wait(handle, lambda line: None).cause is Cause.STOPPED
    if patient:
        await_quiet(Path(handle.id), 30)
    engine.remove(handle)
    until = time.monotonic() + 10
    while list(bridge.glob("brif/*")):
        assert time.monotonic() < until
        time.sleep(0.01)
