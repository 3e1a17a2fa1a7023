"""Configuration by which apt and pip of a build fetch their packages from the relay."""

from __future__ import annotations

import configparser
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

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


PUBLIC = "https://pypi.org/simple"
FILES = (Path("/etc/pip.conf"),)


@dataclass(frozen=True, slots=True)
class PackageConfiguration:
    """Options of pip about sources.

    `indexes`: addresses of simple repositories, with user and password if needed. `links`: folders, or
    addresses of pages with links. `authorities` and `client`: files of certificates. `trusted`: hosts whose
    certificates are not checked. `chosen`: the first index is not pip's own.
    """

    indexes: tuple[str, ...] = (PUBLIC,)
    links: tuple[str, ...] = ()
    authorities: Path | None = None
    client: Path | None = None
    proxy: str | None = None
    trusted: frozenset[str] = frozenset()
    chosen: bool = False

    @property
    def own(self) -> PackageConfiguration:
        """The sources that were named, without the public index that nobody asked for."""
        indexes = self.indexes if self.chosen else tuple(i for i in self.indexes if i != PUBLIC)
        return PackageConfiguration(
            indexes, self.links, self.authorities, self.client, self.proxy, self.trusted, self.chosen
        )


def configuration(files: Iterable[Path], variables: Mapping[str, str]) -> PackageConfiguration | None:
    """Options in `files` (later ones win) and PIP_* `variables` (which win over files); None without any."""
    options: dict[str, str] = {}
    for file in files:
        parser = configparser.RawConfigParser()
        try:
            parser.read(file)
        except (configparser.Error, UnicodeDecodeError):
            continue
        for section in ("global", "install"):
            options |= dict(parser.items(section)) if parser.has_section(section) else {}
    options |= {
        name.removeprefix("PIP_").lower().replace("_", "-"): word
        for name, word in variables.items()
        if name.startswith("PIP_")
    }
    said = {name: tuple(word.split()) for name, word in options.items() if word.strip()}
    return _sources(said) if said.keys() & NAMED else None


NAMED = frozenset({
    *("index-url", "extra-index-url", "find-links", "no-index"),
    *("trusted-host", "cert", "client-cert", "proxy"),
})  # fmt: skip
"""Options that say where packages come from; the rest of a host's configuration is about the host."""


def _sources(said: Mapping[str, tuple[str, ...]]) -> PackageConfiguration:
    indexes = (*(said.get("index-url") or (PUBLIC,)), *said.get("extra-index-url", ()))
    if said.get("no-index", ("no",))[0].lower() in ("1", "true", "yes", "on"):
        indexes = ()
    return PackageConfiguration(
        indexes=indexes,
        links=said.get("find-links", ()),
        authorities=Path(said["cert"][0]) if "cert" in said else None,
        client=Path(said["client-cert"][0]) if "client-cert" in said else None,
        proxy=said["proxy"][0] if "proxy" in said else None,
        trusted=frozenset(said.get("trusted-host", ())),
        chosen="index-url" in said,
    )
