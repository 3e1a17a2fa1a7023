"""A recorder of all that processes do to the files of a folder, in the order in which they ask for it."""

from __future__ import annotations

import contextlib
import os
import struct
from dataclasses import dataclass
from pathlib import Path

from tests.durability.warden import HERE, Warden, memory, named

SYNCS = ("fsync", "fdatasync")
REMOVES_FOLDER = 0x200
EVERYTHING = ""
APPENDS = -1
IGNORED = ("chmod", "fchmod", "utimensat", "mknod", "mknodat")


@dataclass(frozen=True, slots=True)
class Event:
    """A call that changes a path, by its name; `make` opens a file, and `grow` gives it room.

    Paths are relative to the folder. `offset` is also a size. A `mark` says that so much has been promised.
    """

    kind: str
    path: str = EVERYTHING
    offset: int = 0
    data: bytes = b""
    to: str = ""


class Recorder(Warden):
    """Writes down what changes files below its folder, with the bytes. Nothing fails."""

    def __init__(self, folder: Path) -> None:
        self.events: list[Event] = []
        self._root = str(folder)
        super().__init__(folder)

    def mark(self, number: int) -> None:
        """Note that so much has been promised."""
        with self._lock:
            self.events.append(Event("mark", offset=number))

    def _verdict(self, thread: int, name: str, where: str, arguments: list[int]) -> int:
        with contextlib.suppress(OSError):  # the call fails for the same reason
            found = self._event(thread, name.removesuffix("at").removesuffix("2"), where, arguments)
            if found is not None:
                with self._lock:
                    self.events.append(found)
        return 0

    def _event(self, thread: int, name: str, where: str, given: list[int]) -> Event | None:
        if name in IGNORED:
            return None
        if where.startswith("F"):
            return self._of_file(thread, name, given)
        at, rest = (given[0], given[1:]) if where == "PD" else (HERE, given)
        path = self._inside(named(thread, at, rest[0]))
        if path is None:
            return None
        if name == "open":
            makes, cuts = rest[1] & os.O_CREAT, rest[1] & os.O_TRUNC
            return Event("make", path, offset=bool(cuts)) if makes or cuts else None
        if name in ("rename", "link"):
            other = named(thread, rest[1], rest[2]) if where == "PD" else named(thread, HERE, rest[1])
            return Event(name, path, to=self._inside(other) or EVERYTHING)
        return Event(
            "rmdir" if name == "unlink" and where == "PD" and rest[1] & REMOVES_FOLDER else name, path
        )

    def _of_file(self, thread: int, name: str, given: list[int]) -> Event | None:
        handle = given[2] if name == "copy_file_range" else given[0]
        path = self._inside(os.readlink(f"/proc/{thread}/fd/{handle}"))
        if path is None:
            return None
        if name in SYNCS:
            return Event("sync", path)
        if name == "syncfs":
            return Event("sync")
        if name == "ftruncate":
            return Event("size", path, given[1])
        if name == "fallocate":
            return Event("grow", path, given[2] + given[3])
        offset = given[3] if name in ("pwrite", "pwritev") else _position(thread, handle)
        return Event("write", path, offset, _written(thread, name, given))

    def _inside(self, path: str) -> str | None:
        """The path below the folder; None for another, and for one without a name any more."""
        if path == self._root:
            return "."
        inside = path.startswith(self._root + "/") and not path.endswith(" (deleted)")
        return path[len(self._root) + 1 :] if inside else None


def _position(thread: int, handle: int) -> int:
    with open(f"/proc/{thread}/fdinfo/{handle}", encoding="ascii") as file:
        facts = dict(line.split(":", 1) for line in file)
    return APPENDS if int(facts["flags"], 8) & os.O_APPEND else int(facts["pos"])


def _written(thread: int, name: str, given: list[int]) -> bytes:
    if name in ("write", "pwrite"):
        return memory(thread, given[1], given[2])
    if name in ("writev", "pwritev"):
        vectors = struct.iter_unpack("QQ", memory(thread, given[1], 16 * given[2]))
        return b"".join(memory(thread, address, size) for address, size in vectors)
    source, place, size = (given[0], given[1], given[4]) if name == "copy_file_range" else given[1:4]
    with open(f"/proc/{thread}/fd/{source}", "rb") as file:
        file.seek(struct.unpack("Q", memory(thread, place, 8))[0] if place else _position(thread, source))
        return file.read(size)
