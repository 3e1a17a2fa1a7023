"""The bridge of one Curlew, chosen out of the way of the host's own networks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chains.firewall import POOL, choose


@given(st.binary(min_size=6, max_size=6))
def test_a_bridge_is_the_same_each_time_and_its_names_fit(mark: bytes) -> None:
    bridge = choose(mark.hex())
    assert bridge == choose(mark.hex())
    assert bridge.subnet.subnet_of(POOL)
    assert bridge.gateway in bridge.subnet
    assert len(bridge.interface) <= 15
    assert len(bridge.chain) <= 28


def test_different_marks_have_different_bridges() -> None:
    bridges = [choose(f"{number:012x}") for number in range(100)]
    assert len({bridge.subnet for bridge in bridges}) == 100
