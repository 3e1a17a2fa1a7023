"""Configuration for the apt of a build, and the host's pip configuration of package sources."""

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
    """Return settings that use the relay for the hosts `names` and leave all others unchanged."""
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
    certificates are not checked. `chosen`: the first index is set, not pip's default.
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
        """The configured sources, without the public index if it is only the default."""
        indexes = self.indexes if self.chosen else tuple(i for i in self.indexes if i != PUBLIC)
        return PackageConfiguration(
            indexes, self.links, self.authorities, self.client, self.proxy, self.trusted, self.chosen
        )


def configuration(files: Iterable[Path], variables: Mapping[str, str]) -> PackageConfiguration | None:
    """Return the options in `files` (later ones win) and in PIP_* `variables` (they win), or None."""
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
"""Options about the sources of packages. All other options concern only the host."""


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
