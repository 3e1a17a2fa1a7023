"""The bridges of one Curlew, chosen out of the way of the host's own networks and of other Curlews."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.host.bridges import PAIR, POOL, Bridge, candidate_pairs
from chains.host.firewall import unreachable_networks
from chains.host.networks import choose_bridges
from tests.kit.podman import release
from tests.kit.suites.chains import at_once

ONE, OTHER = "0123456789ab", "fedcba9879ab"
PAIRS = 2 ** (PAIR - POOL.prefixlen)
HEAD = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"


def best(instance: str, *taken: IPv4Network, former: IPv4Network | None = None) -> tuple[Bridge, Bridge]:
    return next(candidate_pairs(instance, taken, former))


def pair(bridges: tuple[Bridge, Bridge]) -> IPv4Network:
    """The addresses of two bridges together."""
    assert bridges[0].subnet.supernet() == bridges[1].subnet.supernet()
    return bridges[0].subnet.supernet()


def little(number: int) -> str:
    return number.to_bytes(4, "little").hex().upper()


class Host:
    """Routes and reservations of a host, and a folder for each Curlew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.routes = folder / "route"
        self.lead()

    def lead(self, **routes: IPv4Network) -> None:
        """Have routes by interfaces."""
        lines = [
            f"{name}\t{little(int(to.network_address))}\t00000000\t0001\t0\t0\t0\t{little(int(to.netmask))}\t0\t0\t0\n"
            for name, to in routes.items()
        ]
        self.routes.write_text(HEAD + "".join(lines))

    def start(self, instance: str) -> tuple[Bridge, Bridge]:
        folder = self.folder / instance
        folder.mkdir(exist_ok=True)
        return choose_bridges(folder, instance, self.routes, self.folder / "reservations")


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


@given(st.binary(min_size=6, max_size=6))
def test_a_bridge_is_the_same_each_time_and_its_names_fit(mark: bytes) -> None:
    bridges = best(mark.hex())
    assert bridges == best(mark.hex())
    for bridge in bridges:
        assert bridge.subnet.subnet_of(POOL)
        assert bridge.gateway in bridge.subnet
        assert len(bridge.interface) <= 15
        assert len(bridge.chain) <= 28


def test_different_marks_have_different_bridges() -> None:
    bridges = [bridge for number in range(100) for bridge in best(f"{number:012x}")]
    assert len({bridge.subnet for bridge in bridges}) == 200
    assert len({bridge.name for bridge in bridges}) == 200


def test_one_bridge_leads_outside_and_the_other_does_not() -> None:
    outer, inner = best(ONE)
    assert (outer.inner, inner.inner) == (False, True)
    assert outer.interface != inner.interface


@pytest.mark.parametrize("instance", ["0" * 12, "f" * 12, ONE])
def test_every_subnet_comes_once(instance: str) -> None:
    assert len({pair(bridges) for bridges in candidate_pairs(instance)}) == PAIRS


def test_what_is_taken_is_avoided() -> None:
    first = pair(best(ONE))
    wide = IPv4Network("10.96.0.0/12")
    assert pair(best(ONE, first)) != first
    assert not pair(best(ONE, wide)).overlaps(wide)
    assert next(candidate_pairs(ONE, [POOL]), None) is None


def test_two_that_meet_part_at_the_next_subnet() -> None:
    first = pair(best(ONE))
    assert pair(best(OTHER)) == first
    assert pair(best(ONE, first)) != pair(best(OTHER, first))


def test_a_curlew_keeps_its_bridges_while_networks_come_and_go(host: Host) -> None:
    first = host.start(ONE)
    host.lead(podman1=pair(best(ONE)), eth0=IPv4Network("192.168.0.0/24"))
    moved = host.start(ONE)
    assert not pair(moved).overlaps(pair(first))
    host.lead(podman1=IPv4Network("10.97.0.0/24"))
    assert host.start(ONE) == moved, "what it had first is free again, but it has been elsewhere since"


def test_existing_routes_of_a_bridge_do_not_move_it(host: Host) -> None:
    outer, inner = host.start(ONE)
    host.lead(**{bridge.interface: bridge.subnet for bridge in (outer, inner)})
    assert host.start(ONE) == (outer, inner)


def test_two_curlews_that_start_at_the_same_moment_part(host: Host) -> None:
    chosen = at_once(lambda: host.start(ONE), lambda: host.start(OTHER))
    one, other = (pair(bridges) for bridges in chosen if isinstance(bridges, tuple))
    assert not one.overlaps(other)
    assert [host.start(ONE), host.start(OTHER)] == chosen, "each keeps what it has"


def test_a_curlew_that_is_wiped_gives_its_subnet_back(host: Host) -> None:
    first = pair(host.start(ONE))
    release(ONE, host.folder / "reservations")
    assert pair(host.start(OTHER)) == first


def test_without_a_place_for_claims_it_chooses_nevertheless(host: Host) -> None:
    (host.folder / "reservations").write_text("a file")
    assert host.start(ONE) == best(ONE)


@pytest.mark.parametrize("text", ["", "no network", "192.168.0.0/23", "10.96.0.0/24"])
def test_an_invalid_subnet_file_is_written_again(host: Host, text: str) -> None:
    first = host.start(ONE)
    (host.folder / ONE / "subnet").write_text(text)
    assert host.start(ONE) == first


def test_where_nothing_is_free_it_stays(host: Host) -> None:
    first = host.start(ONE)
    host.lead(vpn=IPv4Network("10.0.0.0/8"))
    assert host.start(ONE) == first
    assert host.start(OTHER) == best(OTHER)


def test_a_network_of_the_host_is_refused_at_any_address() -> None:
    blocks = unreachable_networks([IPv4Network("8.8.4.0/22"), IPv4Network("93.184.216.34/32")])
    for address in ("8.8.5.1", "93.184.216.34", "192.0.2.7", "198.51.100.1", "203.0.113.9", "192.88.99.1"):
        assert any(IPv4Address(address) in block for block in blocks), address
    assert not any(IPv4Address("9.9.9.9") in block for block in blocks)


def test_the_way_outside_is_no_network_of_the_host() -> None:
    halves = [IPv4Network("0.0.0.0/1"), IPv4Network("128.0.0.0/1")]
    assert unreachable_networks(halves) == unreachable_networks([])
