"""Debian packages that are installed on this host, from dpkg's database (deb-control(5))."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

DATABASE = Path("/var/lib/dpkg")
RELATIONS = ("Pre-Depends", "Depends")


@dataclass(frozen=True, slots=True)
class DebianPackage:
    """An installed package: its `fields`, and the `paragraph` of the database that contains them."""

    name: str
    fields: Mapping[str, str]
    paragraph: str

    @property
    def version(self) -> str:
        """The version, with epoch and revision."""
        return self.fields["Version"]

    @property
    def architecture(self) -> str:
        """The architecture that it is for, or `all`."""
        return self.fields["Architecture"]

    @property
    def conffiles(self) -> Mapping[str, str]:
        """The MD5 sums of its configuration files as packaged, by path."""
        lines = (line.split() for line in self.fields.get("Conffiles", "").splitlines())
        return {words[0]: words[1] for words in lines if len(words) > 1}

    def needs(self) -> Iterator[list[str]]:
        """Yield lists of names; one of each list has to be installed."""
        for relation in filter(None, (self.fields.get(name) for name in RELATIONS)):
            for wanted in relation.split(","):
                yield [re.split(r"[\s(:]", name.strip())[0] for name in wanted.split("|")]


class PackageDatabase:
    """The packages in `folder`, dpkg's database; none if the host has no dpkg."""

    def __init__(self, folder: Path = DATABASE) -> None:
        self.folder = folder
        try:
            text = (folder / "status").read_text(errors="surrogateescape")
        except OSError:
            text = ""
        installed = [package for package in map(_package, text.split("\n\n")) if package]
        native = next((one.architecture for one in installed if one.name == "dpkg"), "")
        self._packages = {one.name: one for one in installed if one.architecture in (native, "all")}
        self._provided: dict[str, str] = {}
        self._records: dict[str, list[Path]] = {}
        for package in self._packages.values():
            for name in re.findall(r"(?:^|,)\s*([^\s,(]+)", package.fields.get("Provides", "")):
                self._provided.setdefault(name, package.name)

    def __contains__(self, name: str) -> bool:
        return name in self._packages

    def closure(self, wanted: Iterable[str]) -> list[DebianPackage]:
        """Return the installed packages among `wanted`, the essential ones, and all dependencies, by name."""
        essential = (name for name, one in self._packages.items() if one.fields.get("Essential") == "yes")
        todo, found = [*wanted, *essential], set[str]()
        while todo:
            name = todo.pop()
            if name in self._packages and name not in found:
                found.add(name)
                todo += filter(None, map(self._find_installed, self._packages[name].needs()))
        return [self._packages[name] for name in sorted(found)]

    def records(self, package: DebianPackage) -> list[Path]:
        """Return the files of the database that belong to one package."""
        if not self._records:
            for path in (self.folder / "info").iterdir():
                self._records.setdefault(path.stem, []).append(path)
        found = (package.name, f"{package.name}:{package.architecture}")
        return [path for name in found for path in self._records.get(name, ())]

    def files(self, package: DebianPackage) -> list[str]:
        """Return the paths of a package, folders before their content."""
        lists = [path for path in self.records(package) if path.suffix == ".list"]
        lines = lists[0].read_text(errors="surrogateescape").splitlines() if lists else []
        return [line for line in lines if line not in ("", "/.")]

    def diversions(self) -> list[tuple[str, str, str]]:
        """Return diverted paths, each with its new path and the package that diverts it (dpkg-divert(1))."""
        try:
            lines = (self.folder / "diversions").read_text().splitlines()
        except OSError:
            return []
        return list(zip(lines[::3], lines[1::3], lines[2::3], strict=False))

    def _find_installed(self, names: Iterable[str]) -> str | None:
        """Return the first name that an installed package has or provides, or None."""
        known = (name if name in self._packages else self._provided.get(name) for name in names)
        return next(filter(None, known), None)


def fingerprint(packages: Iterable[DebianPackage]) -> str:
    """Return a text that changes when a package or its version changes."""
    said = "\n".join(f"{one.name} {one.version}" for one in packages)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _package(paragraph: str) -> DebianPackage | None:
    """Return the package of a paragraph; None if it is not installed."""
    fields: dict[str, str] = {}
    name = ""
    for line in paragraph.splitlines():
        if line[:1] in (" ", "\t"):
            fields[name] = f"{fields.get(name, '')}\n{line}"
        else:
            name, _, word = line.partition(":")
            fields[name] = word.strip()
    if not fields.get("Status", "").endswith(" installed"):
        return None
    return DebianPackage(fields["Package"], fields, paragraph.strip("\n"))
