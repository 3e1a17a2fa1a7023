"""Private destinations are refused at once and named; what the operator allows is open to its accounts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.engine.port import Network
from chains.host.allowed_hosts import AllowedHost, AllowedHosts, never_opened, parse
from chains.host.bridges import POOL
from chains.host.networks import StepNetworks
from chains.podman.api import Podman
from chains.podman.engine import PodmanEngine
from tests.chains.podman.test_podman_probe import lines_of, listening, own_address, program
from tests.kit.podman import Bench

ASK = """
import errno, os, socket
for target in os.environ["TARGETS"].split():
    host, _, port = target.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=4).close()
        print(target, "open")
    except TimeoutError:
        print(target, "silent")
    except OSError as error:
        print(target, errno.errorcode[error.errno])
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    for target in os.environ["DATAGRAMS"].split():
        host, _, port = target.rpartition(":")
        sender.connect((host, int(port)))
        sender.send(b"x")
raise SystemExit(1)
"""
SERVE = """
import socket, sys
with socket.create_server(("0.0.0.0", 8000)), socket.create_server(("0.0.0.0", 8001)):
    print("ready", flush=True)
    sys.stdin.read()
"""
HERE, THERE = "192.168.234.1", "192.168.234.2"
PRIVATE = "is a private address: the operator can allow it by network_allow"


@pytest.fixture(scope="module")
def neighbour() -> Iterator[str]:
    """A machine on a network of this host's that takes connections at the ports 8000 and 8001."""
    link = "curlewtest0"
    with subprocess.Popen(
        ["unshare", "--net", sys.executable, "-c", SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as machine:
        assert machine.stdout is not None
        try:
            assert machine.stdout.readline() == "ready\n"
            inside = f"nsenter --net=/proc/{machine.pid}/ns/net"
            for command in (
                f"ip link add {link} type veth peer name eth0 netns {machine.pid}",
                f"ip addr add {HERE}/24 dev {link}",
                f"ip link set {link} up",
                f"{inside} ip addr add {THERE}/24 dev eth0",
                f"{inside} ip link set eth0 up",
                f"{inside} ip route add default via {HERE}",
            ):
                subprocess.run(command.split(), check=True, capture_output=True)
            yield THERE
        finally:
            subprocess.run(["ip", "link", "del", link], check=False, capture_output=True)
            machine.communicate("")


@pytest.fixture(scope="module")
def ask(podman_bench: Bench) -> str:
    """The image of a program that tries to reach its targets, and fails."""
    return program(podman_bench, ASK)


@contextmanager
def engine_allowing(bench: Bench, text: str, names: Mapping[str, list[str]]) -> Iterator[PodmanEngine]:
    """An engine of a host whose operator allows something; names have these addresses."""
    host = bench.host
    allowed = AllowedHosts(parse(text), lambda name: names.get(name, [name]))
    networks = StepNetworks(host.bridge, host.inner_bridge, host.folders.folder, host.folders.state, allowed)
    engine = PodmanEngine(Podman(host.socket), host.confinement, host.exits, host.instance, networks.connect)
    try:
        yield engine
    finally:
        engine.close()


def reached(
    engine: PodmanEngine, bench: Bench, image: str, targets: str, account: str = "", datagrams: str = ""
) -> tuple[dict[str, str], list[str]]:
    """What a step finds at its targets, and which of them its log calls private."""
    env = {"TARGETS": targets, "DATAGRAMS": datagrams}
    spec = replace(bench.step("true", network=Network.OUTBOUND), image=image, env=env, account=account)
    _, said = lines_of(engine, spec)
    private = [line.removesuffix(f" {PRIVATE}") for line in said if line.endswith(PRIVATE)]
    return dict(line.rsplit(" ", 1) for line in said if not line.endswith(PRIVATE)), sorted(private)


def rules(bench: Bench) -> str:
    """All rules about the bridge."""
    done = subprocess.run(["iptables-save"], capture_output=True, text=True, check=True)
    return "\n".join(line for line in done.stdout.splitlines() if bench.host.bridge.chain in line)


@pytest.mark.podman
def test_what_is_private_is_refused_at_once_and_named(podman_bench: Bench, ask: str, neighbour: str) -> None:
    host = podman_bench.host
    with listening("0.0.0.0") as port:
        ours = [f"{own_address()}:{port}", f"{host.bridge.gateway}:{port}", f"{HERE}:{port}"]
        others = [f"{neighbour}:8000", "169.254.169.254:80", "192.168.3.4:25", "10.0.0.5:5432"]
        found, private = reached(podman_bench.engine, podman_bench, ask, " ".join([*ours, *others]), "",
                               "192.168.3.4:123")  # fmt: skip
    assert found == dict.fromkeys([*ours, *others], "ECONNREFUSED")
    assert private == sorted([*ours, *others, "192.168.3.4:123"])


@pytest.mark.podman
def test_what_is_allowed_is_open_at_its_port_for_its_accounts_while_the_step_is_there(
    podman_bench: Bench, ask: str, neighbour: str
) -> None:
    before = rules(podman_bench)
    targets = f"{neighbour}:8000 {neighbour}:8001"
    open_, refused = "open", "ECONNREFUSED"
    with engine_allowing(
        podman_bench, "db.corp:8000 alice; 192.168.3.4:1", {"db.corp": [neighbour]}
    ) as engine:
        for account, wanted in (("alice", open_), ("bob", refused), ("", refused)):
            found, private = reached(engine, podman_bench, ask, targets, account)
            assert found == {f"{neighbour}:8000": wanted, f"{neighbour}:8001": refused}
            assert private == [place for place, end in found.items() if end == refused]
    with engine_allowing(podman_bench, f"{own_address()}", {}) as engine, listening("0.0.0.0") as port:
        found, _ = reached(engine, podman_bench, ask, f"{own_address()}:{port} {HERE}:{port}", "carol")
        assert found == {f"{own_address()}:{port}": open_, f"{HERE}:{port}": refused}
    assert rules(podman_bench) == before


@pytest.mark.podman
def test_no_rule_of_another_program_opens_what_is_refused(
    podman_bench: Bench, ask: str, neighbour: str
) -> None:
    """Others put theirs before ours: they accept everything, and lead one address to another."""
    bridge = podman_bench.host.bridge.interface
    with listening("0.0.0.0") as port:
        others = [
            f"-t filter -I FORWARD -i {bridge} -j ACCEPT",
            f"-t filter -I INPUT -i {bridge} -j ACCEPT",
            f"-t nat -I PREROUTING -i {bridge} -p tcp -d 10.0.0.5 -j DNAT --to-destination {neighbour}:8000",
            f"-t nat -I PREROUTING -i {bridge} -p tcp -d 10.0.0.6 -j REDIRECT --to-ports {port}",
        ]
        for rule in others:
            subprocess.run(["iptables", "-w", *rule.split()], check=True)
        try:
            targets = f"{neighbour}:8000 10.0.0.5:5432 10.0.0.6:1 {own_address()}:{port}"
            found, _ = reached(podman_bench.engine, podman_bench, ask, targets)
        finally:
            for rule in others:
                subprocess.run(["iptables", "-w", *rule.replace(" -I ", " -D ").split()], check=True)
    assert "open" not in found.values()


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("10.0.0.5:5432", AllowedHost("10.0.0.5", 5432)),
        ("Db.Corp alice bob", AllowedHost("db.corp", None, frozenset({"alice", "bob"}))),
        ("smtp:25", AllowedHost("smtp", 25)),
    ],
)
def test_a_line_names_a_destination_and_accounts(line: str, wanted: AllowedHost) -> None:
    assert parse(f"\n{line};\n") == (wanted,)


@pytest.mark.parametrize(
    "line",
    [
        *(
            "127.0.0.1:80",
            "127.9.9.9",
            "169.254.169.254",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "[::1]:80",
        ),
        *(
            "::1",
            "10.0.0.300",
            "10.0.0.5:0",
            "10.0.0.5:65536",
            "10.0.0.5:",
            "10.0.0.0/8",
            "a b/c",
            "-a",
            "a..b",
        ),
        *("http://a", "a:1:2", str(POOL[77]), "10.1", "*"),
    ],
)
def test_what_is_no_destination_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"is |does not|cannot"):
        parse(line)


def test_a_name_opens_no_forbidden_address_and_is_looked_up_again() -> None:
    """No answer of a name server leads a step to loopback, metadata or another step."""
    answers = ["127.0.0.1", "169.254.169.254", str(POOL[300]), "0.0.0.0", "10.0.0.5"]
    lookups: list[str] = []

    def look_up(name: str) -> list[str]:
        lookups.append(name)
        if name == "away.corp":
            raise OSError("no answer")
        return answers

    allowed = AllowedHosts(parse("db.corp:1; db.corp:2 alice; away.corp"), look_up)
    assert allowed.ways("bob") == [(IPv4Address("10.0.0.5"), 1)]
    assert allowed.ways("alice") == [(IPv4Address("10.0.0.5"), port) for port in (1, 2)]
    # Builds, whose code nobody has a job for, reach nothing of it.
    assert allowed.ways(None) == []
    assert lookups == ["db.corp", "away.corp"]


@given(st.ip_addresses(v=4))
def test_addresses_of_no_machine_and_of_steps_are_never_opened(address: IPv4Address) -> None:
    named = AllowedHosts((AllowedHost("name"),), lambda name: [str(address)])
    assert bool(named.ways("")) is not never_opened(address)
    assert never_opened(address) or not (address.is_loopback or address.is_link_local or address in POOL)
