"""What is connected to for a build is a public address, the one that was checked."""

from __future__ import annotations

import socket
import ssl
import urllib.error

import pytest

from chains import public_hosts
from chains.package_proxy import outbound
from chains.package_proxy.outbound import Proxy, without_credentials
from chains.public_hosts import connect_public, is_public


def test_hosts_without_the_proxy_are_the_operators_to_name() -> None:
    variables = {"http_proxy": "p:1", "https_proxy": "http://q", "no_proxy": "example.org,.internal"}
    assert Proxy.of("http", "deb.debian.org", variables) == Proxy("p", 1, None)
    assert Proxy.of("https", "deb.debian.org", variables) == Proxy("q", 80, None)
    assert Proxy.of("http", "example.org", variables) is None
    assert Proxy.of("http", "a.internal", variables) is None
    assert Proxy.of("http", "deb.debian.org", {}) is None
    assert without_credentials("http://x:1/y") == ("http://x:1/y", None)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("9.9.9.9", True), ("2620:fe::fe", True), ("64:ff9b::909:909", True), ("::ffff:9.9.9.9", True),
        ("127.0.0.1", False), ("10.1.2.3", False), ("172.16.0.1", False), ("192.168.1.1", False),
        ("169.254.169.254", False), ("100.64.0.1", False), ("0.0.0.0", False), ("224.0.0.1", False),
        ("255.255.255.255", False), ("::1", False), ("::", False), ("fe80::1", False), ("fd00::1", False),
        ("ff02::1", False), ("ff0e::1", False), ("::ffff:127.0.0.1", False), ("::127.0.0.1", False),
        ("::ffff:0:127.0.0.1", False), ("64:ff9b:1::7f00:1", False), ("fec0::1", False), ("3fff::1", False),
        ("4000::1", False), ("5f00::1", False), ("2001:0:4136:e378::1", False), ("192.88.99.1", False),
        ("fe80::1%lo", False), ("240.0.0.1", False), ("198.18.0.1", False),
        ("64:ff9b::7f00:1", False), ("2002:7f00:1::", False),
    ],
)  # fmt: skip
def test_an_address_is_public_or_not(address: str, public: bool) -> None:
    assert is_public(address) is public


def test_an_address_of_this_host_is_recognised() -> None:
    assert public_hosts._is_own("127.0.0.1", 4)
    assert not public_hosts._is_own("9.9.9.9", 4)


@pytest.mark.parametrize(
    "host", ["localhost", "127.1", "0x7f000001", "2130706433", "0", "::1", "a..b", "x" * 70]
)
def test_a_name_of_a_private_address_is_not_connected_to(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door, pytest.raises(OSError):  # noqa: PT011
        connect_public(host, door.getsockname()[1], 1)


def test_what_is_connected_to_is_what_was_checked() -> None:
    checked: list[str] = []

    def permits(address: str) -> bool:
        checked.append(address)
        return True

    with (
        socket.create_server(("127.0.0.1", 0)) as door,
        connect_public("localhost", door.getsockname()[1], 1, permits) as connection,
    ):
        assert connection.getpeername()[0] in checked
    with socket.create_server(("127.0.0.1", 0)) as door:
        closed = door.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        connect_public("localhost", closed, 1, permits)


def test_an_opener_connects_to_its_sources_and_to_public_addresses_alone() -> None:
    """A name that was public when it was looked at, and is not when it is fetched from."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(0.2)
        port = door.getsockname()[1]
        fetches = outbound.opener({}, ssl.create_default_context(), {("near.example", 80)}, lambda host: True)
        for address in (f"http://localhost:{port}/x.whl", f"https://localhost:{port}/x.whl"):
            with pytest.raises(urllib.error.URLError, match="private address"):
                fetches.open(address, timeout=2)
        with pytest.raises(TimeoutError):
            door.accept()
