"""The rewriting of an image's layer: regular files, folders and links, without special rights."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterable
from typing import IO, Any, cast

from chains.buildbox.layout import IDS, ImageRefused

LATEST = 1 << 33
LONGEST_NAME = 4096
GZIP = b"\x1f\x8b"
WHITEOUT = ".wh."
OPAQUE = ".wh..wh..opq"


class Budget:
    """The bytes and entries that an image may still contain.

    `mounted` are the paths of files that the recipe's commands saw and that belong to no image. Builds leave
    empty files there.
    """

    def __init__(self, size: int, entries: int, mounted: Iterable[str] = ()) -> None:
        self._size = size
        self._entries = entries
        self.mounted = frozenset(path.removeprefix("/") for path in mounted)

    def spend(self, size: int) -> None:
        """Subtract `size` bytes. Raise ImageRefused if there are not enough left."""
        self._size -= size
        if self._size < 0:
            raise ImageRefused("the image is larger than a build may make it")

    def count(self) -> None:
        """Subtract one entry. Raise ImageRefused if there is none left."""
        self._entries -= 1
        if self._entries < 0:
            raise ImageRefused("the image holds more files than a build may make")


def rewrite(source: IO[bytes], target: IO[bytes], budget: Budget, *, opened: bool = False) -> tuple[str, int]:
    """Write the allowed entries of the tar file `source`, which may be compressed. Return digest and size.

    Devices, pipes, extended attributes and the setuid, setgid and file sticky bits are left out. `opened`:
    everybody may read all files and run what the owner may run. Raises ImageRefused.
    """
    compressed = source.read(len(GZIP)) == GZIP
    source.seek(0)
    plain = cast(IO[bytes], gzip.GzipFile(fileobj=source)) if compressed else source
    written = _Digesting(target)
    names = _Names()
    try:
        with (
            tarfile.open(fileobj=cast(IO[bytes], _Spending(plain, budget)), mode="r|", errorlevel=2) as given,
            tarfile.open(fileobj=cast(IO[bytes], written), mode="w|", format=tarfile.GNU_FORMAT) as made,
        ):
            for member in given:
                budget.count()
                if entry := _proper(member, names, budget.mounted):
                    if opened:
                        entry.mode |= 0o555 if entry.isdir() or entry.mode & 0o111 else 0o444
                    made.addfile(entry, given.extractfile(member) if entry.isreg() else None)
                # Otherwise tarfile keeps every header in memory.
                cast(Any, given).members.clear()
                cast(Any, made).members.clear()
    except (
        tarfile.TarError,
        OSError,
        EOFError,
        MemoryError,
        ValueError,
        ArithmeticError,
        RecursionError,
    ) as error:
        raise ImageRefused(f"a layer of the result cannot be read ({error})") from error
    return f"sha256:{written.digest.hexdigest()}", written.size


def _proper(member: tarfile.TarInfo, names: _Names, mounted: frozenset[str]) -> tarfile.TarInfo | None:
    """Return the entry as it is written, or None for one that no image needs."""
    if not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
        return None
    if member.issparse() or member.size < 0:
        raise ImageRefused("a layer holds a sparse file, which is endless when it is written")
    if not (0 <= member.uid < IDS and 0 <= member.gid < IDS):
        raise ImageRefused(f"a file in a layer belongs to a user or group above {IDS - 1}")
    name = names.place(member.name)
    if not name and not member.isdir():
        raise ImageRefused("a layer's root is no folder")
    if name in mounted and member.isreg() and not member.size:
        return None
    entry = tarfile.TarInfo(name or ".")
    entry.type = tarfile.REGTYPE if member.isreg() else member.type
    entry.mode = member.mode & (0o1777 if member.isdir() else 0o777)
    entry.uid, entry.gid = member.uid, member.gid
    entry.mtime = min(max(0, int(member.mtime)), LATEST)
    if member.isreg():
        entry.size = member.size
    if member.islnk():
        entry.linkname = names.place(member.linkname)
    if member.issym():
        entry.linkname = _short(member.linkname)
        names.link(name)
    return entry


class _Names:
    """A check that no name in a layer leads out of the layer or through one of its links."""

    def __init__(self) -> None:
        self._links: set[str] = set()

    def link(self, name: str) -> None:
        self._links.add(name)

    def place(self, name: str) -> str:
        parts = [part for part in _short(name).split("/") if part not in ("", ".")]
        if ".." in parts:
            raise ImageRefused("a name in a layer leads out of it")
        if any(_is_reserved(part) for part in parts):
            raise ImageRefused("a name in a layer is reserved")
        if self._links and any("/".join(parts[:end]) in self._links for end in range(1, len(parts))):
            raise ImageRefused("a name in a layer is behind a link")
        return "/".join(parts)


def _short(name: str) -> str:
    if "\0" in name or len(name) > LONGEST_NAME:
        raise ImageRefused("a name in a layer is malformed")
    return name


def _is_reserved(part: str) -> bool:
    """Return whether a name is special to a storage driver, other than for a removed file."""
    if not part.startswith(WHITEOUT) or part == OPAQUE:
        return False
    removed = part.removeprefix(WHITEOUT)
    return removed in ("", ".", "..") or removed.startswith(WHITEOUT)


class _Spending(io.RawIOBase):
    """A reader that stops when the budget is spent, so that no layer grows beyond it."""

    def __init__(self, file: IO[bytes], budget: Budget) -> None:
        self._file = file
        self._budget = budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        self._budget.spend(len(data))
        buffer[: len(data)] = data
        return len(data)


class _Digesting:
    """A writer that computes the digest and the size of the written bytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        self.size += len(data)
        return self._file.write(data)
