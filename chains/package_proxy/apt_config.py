"""Configuration by which the apt of a build fetches its packages from the relay (apt.conf(5))."""

from __future__ import annotations

from collections.abc import Iterable

FILE = "/etc/apt/apt.conf.d/99curlew"
PORT = 3142
DEBIAN = ("deb.debian.org", "security.debian.org")
UBUNTU = ("archive.ubuntu.com", "security.ubuntu.com", "ports.ubuntu.com")
HOSTS = (*DEBIAN, *UBUNTU)


def apt_configuration(names: Iterable[str], port: int = PORT) -> str:
    """Settings to fetch from the hosts `names` by the relay, and from others as ever."""
    lines = [
        f'Acquire::{scheme}::Proxy::{name} "http://127.0.0.1:{port}";\n'
        for name in sorted(names)
        for scheme in ("http", "https")
    ]
    return "".join(lines)
