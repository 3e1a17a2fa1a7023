"""Where bytes lie: every file that a service on this machine may have written, and on what kind of disk."""

from __future__ import annotations

import base64
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
PLACES = (
    "/run",
    "/var/tmp",
    "/dev/shm",
    "/var/lib/containers",
    str(Path.home() / ".local/share/containers"),
    "/etc/containers",
)
LARGEST, LARGEST_ELSEWHERE = 64 << 20, 4 << 20
SHOWN_ELSEWHERE = "overlay"
"""What is mounted so consists of folders that are looked at themselves."""

IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs", "mqueue")


def fresh_mark() -> str:
    """A word that nothing on this machine holds by chance."""
    return f"mk{secrets.token_hex(12)}"


def forms(mark: str) -> list[bytes]:
    """The mark as it is, which web addresses and JSON spell alike, and within a text in base64."""
    raw = mark.encode()
    # The first and last signs hang on what is around: three ways for a text to be cut into triples.
    turns = [base64.b64encode(b"\0" * lead + raw)[4:-4] for lead in range(3)]
    return [raw, raw.hex().encode(), raw[::-1], mark.encode("utf-16-le"), *turns]


@dataclass(frozen=True, slots=True)
class Trace:
    """A file that holds a mark; `kind` is that of its file system."""

    path: str
    kind: str

    @property
    def in_memory(self) -> bool:
        """Whether the file is on no disk."""
        return self.kind in IN_MEMORY


def traces(marks: Iterable[str], folders: Iterable[Path], since: float) -> list[Trace]:
    """The files of the folders, and those written since a time elsewhere, that hold a mark."""
    needles = [form for mark in marks for form in forms(mark)]
    found = {
        path: Trace(path, kind)
        for folder in folders
        for path, kind in _files(folder)
        if _holds(path, needles)
    }
    for place in (*PLACES, tempfile.gettempdir()):
        for path, kind in _files(Path(place), since):
            if path not in found and _holds(path, needles):
                found[path] = Trace(path, kind)
    return list(found.values())


def kind_of(path: Path) -> str:
    """The kind of the file system that a path is on."""
    return _kinds()[path.stat().st_dev]


def _files(folder: Path, since: float = 0.0) -> Iterator[tuple[str, str]]:
    kinds, largest = _kinds(), LARGEST_ELSEWHERE if since else LARGEST
    for here, folders, names in os.walk(folder):
        try:
            kind = kinds.get(os.lstat(here).st_dev, "")
        except FileNotFoundError:
            continue
        if kind == SHOWN_ELSEWHERE and here != str(folder):
            folders.clear()
            continue
        for name in names:
            path = os.path.join(here, name)
            try:
                found = os.lstat(path)
            except FileNotFoundError:
                continue
            if (
                found.st_mtime >= since
                and 0 < found.st_size < largest
                and (found.st_mode & 0o170000) == 0o100000
            ):
                yield path, kinds.get(found.st_dev, "")


def _kinds() -> dict[int, str]:
    """The kind of each mounted file system by its device."""
    kinds = {}
    for line in MOUNTS.read_text().splitlines():
        fields, _, rest = line.partition(" - ")
        major, _, minor = fields.split()[2].partition(":")
        kinds[os.makedev(int(major), int(minor))] = rest.split()[0]
    return kinds


def _holds(path: str, needles: list[bytes]) -> bool:
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    return any(needle in content for needle in needles)
