"""The bridge of one Curlew, chosen out of the way of the host's own networks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chains.firewall import POOL, choose


@given(st.binary(min_size=6, max_size=6))
def test_a_bridge_is_the_same_each_time_and_its_names_fit(mark: bytes) -> None:
    bridges = choose(mark.hex())
    assert bridges == choose(mark.hex())
    for bridge in bridges:
        assert bridge.subnet.subnet_of(POOL)
        assert bridge.gateway in bridge.subnet
        assert len(bridge.interface) <= 15
        assert len(bridge.chain) <= 28


def test_different_marks_have_different_bridges() -> None:
    bridges = [bridge for number in range(100) for bridge in choose(f"{number:012x}")]
    assert len({bridge.subnet for bridge in bridges}) == 200
    assert len({bridge.name for bridge in bridges}) == 200


def test_one_bridge_leads_outside_and_the_other_does_not() -> None:
    outer, inner = choose("0123456789ab")
    assert (outer.inner, inner.inner) == (False, True)
    assert outer.interface != inner.interface
