"""Addresses that count as one."""

from __future__ import annotations

import pytest

from handlers.rules.hosts import network


@pytest.mark.parametrize(
    ("address", "one"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("no address", "no address"),
        ("", ""),
    ],
)
def test_a_customer_is_one_address(address: str, one: str) -> None:
    assert network(address) == one
