"""What a step sees and reaches from inside its container: 27 facts without a network, the fence with one."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from chains.engine import Exit, Line, Mount, Network, StepSpec
from chains.firewall import lower_fence, raise_fence
from tests.chains.podman_fixture import Bench, texts

pytestmark = pytest.mark.podman

PROBE = (Path(__file__).parent / "probe.sh").read_text()
FACTS = 27
PYTHON = 'FROM python:3-slim\nCOPY program.py /program.py\nCMD ["python3", "/program.py"]\n'
KNOCK = """
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
    server.settimeout(10)
    server.sendto(query, (os.environ["NAMES"], 53))
    print("names", "answered" if server.recv(512) else "ignored")
"""


def lines_of(bench: Bench, spec: StepSpec) -> tuple[Exit, list[str]]:
    lines: list[Line] = []
    handle = bench.engine.prepare(spec)
    try:
        bench.engine.start(handle)
        return bench.engine.wait(handle, lines.append), texts(lines)
    finally:
        bench.engine.remove(handle)


def with_space(bench: Bench, env: Mapping[str, str]) -> StepSpec:
    spec = bench.step(PROBE)
    space = bench.folder("space")
    space.chmod(0o777)
    return replace(spec, env=env, mounts=(*spec.mounts, Mount(space, "/mnt/shared")))


def test_a_step_without_network_passes_every_fact(podman_bench: Bench) -> None:
    ended, said = lines_of(podman_bench, with_space(podman_bench, {"READ_ONLY": "shared"}))
    assert [line for line in said if line.startswith("not ok")] == []
    assert said[-1] == f"{FACTS} hold, 0 do not"
    assert ended == Exit(0)


def test_a_token_that_was_asked_for_is_there(podman_bench: Bench) -> None:
    env = {"READ_ONLY": "shared", "TOKEN": "yes", "SVC_TOKEN": "x" * 40}
    assert lines_of(podman_bench, with_space(podman_bench, env))[1][-1] == f"{FACTS} hold, 0 do not"


def test_the_probe_sees_what_is_wrong(podman_bench: Bench) -> None:
    spec = with_space(podman_bench, {"READ_ONLY": "shared", "AWS_KEY": "x", "SVC_TOKEN": "y"})
    open_space = replace(spec.mounts[-1], writable=True)
    _, said = lines_of(podman_bench, replace(spec, mounts=(*spec.mounts[:-1], open_space)))
    assert [line for line in said if line.startswith("not ok")] == [
        "not ok no secret of the service in the environment",
        "not ok a token only when it was asked for",
        "not ok read-only spaces cannot be written",
    ]


@pytest.fixture(scope="module")
def knock(podman_bench: Bench) -> str:
    """The image of a program that tries the addresses in TARGETS."""
    context = podman_bench.folder("context")
    (context / "program.py").write_text(KNOCK)
    (context / "Dockerfile").write_text(PYTHON)
    return podman_bench.builder.build(context, "Dockerfile", "knock", {}, lambda line: None).id


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


def knocked(bench: Bench, image: str, targets: list[str]) -> dict[str, str]:
    """What a step with a network finds at `targets`: open or closed, and whether names are answered."""
    env = {"TARGETS": " ".join(targets), "NAMES": str(bench.host.bridge.gateway)}
    spec = replace(bench.step("true", network=Network.OUTBOUND), image=image, env=env)
    ended, said = lines_of(bench, spec)
    assert ended == Exit(0), said
    return dict(line.rsplit(" ", 1) for line in said)


def test_a_step_with_a_network_reaches_neither_the_host_nor_its_neighbours(
    podman_bench: Bench, knock: str
) -> None:
    host = podman_bench.host
    with listening("0.0.0.0") as port:
        ours = [f"{host.bridge.gateway}:{port}", f"{own_address()}:{port}"]
        fenced = knocked(podman_bench, knock, [*ours, f"127.0.0.1:{port}", "169.254.169.254:80"])
        lower_fence(host.bridge)
        try:
            unfenced = knocked(podman_bench, knock, ours)
        finally:
            assert raise_fence(host.bridge) is None
    assert host.fence_trouble is None
    assert fenced.pop("names") == "answered"
    assert set(fenced.values()) == {"closed"}
    assert [unfenced[target] for target in ours] == ["open", "open"]


def test_steps_with_a_network_do_not_reach_each_other(podman_bench: Bench, knock: str) -> None:
    serve = podman_bench.step(
        "ip -4 -o addr show eth0 | awk '{print $4}'; exec nc -ll -p 8000 -e cat", network=Network.OUTBOUND
    )
    handle = podman_bench.engine.prepare(serve)
    podman_bench.engine.start(handle)
    said: list[Line] = []
    told = threading.Event()

    def tell(line: Line) -> None:
        said.append(line)
        told.set()

    waiting = threading.Thread(target=podman_bench.engine.wait, args=(handle, tell))
    waiting.start()
    try:
        assert told.wait(30)
        address = said[0].text.partition("/")[0]
        heard = knocked(podman_bench, knock, [f"{address}:8000"])
    finally:
        podman_bench.engine.remove(handle)
        waiting.join()
    assert heard[f"{address}:8000"] == "closed"
