"""The tar format of a backup: only regular files, written as a stream, and parsed as untrusted input."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from vfs.errors import Invalid

BLOCK = tarfile.BLOCKSIZE
PIECE = 1 << 20
MOST_EXTENSION = 16 << 10
"""Maximum size in bytes of a long name or size."""

PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE)
KNOWN = {"path", "size", "hdrcharset"}


class DamagedBackup(Invalid):
    """The file is not a complete backup."""


def head_of(name: str, size: int, mode: int = 0o600) -> bytes:
    """Return the head of a member, in POSIX format, so that every tar program reads it."""
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, mode
    return member.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")


def padding(size: int) -> bytes:
    """Return the bytes that fill the last block of a member."""
    return bytes(-size % BLOCK)


ENDING = bytes(2 * BLOCK)


@dataclass
class TarMember:
    """A member with `left` bytes still to be read."""

    name: str
    size: int
    mode: int
    source: BinaryIO
    left: int

    def read(self, most: int = PIECE) -> bytes:
        """Return the next bytes; b"" at its end. Raises DamagedBackup when the file is too short."""
        if self.left == 0:
            return b""
        piece = self.source.read(min(most, self.left, PIECE))
        if not piece:
            raise DamagedBackup(f"the file ends within {self.name}")
        self.left -= len(piece)
        return piece

    def pieces(self) -> Iterator[bytes]:
        """Yield the rest of it."""
        while piece := self.read():
            yield piece


def members(source: BinaryIO) -> Iterator[TarMember]:
    """Yield the members of a tar, each to be read before the next. Raises DamagedBackup.

    Only regular files are accepted: no links, devices, sparse or compressed files.
    """
    last = "its beginning"
    while True:
        member = _next(source, last)
        if member is None:
            return
        yield member
        for _ in member.pieces():
            pass
        if source.read(-member.size % BLOCK).strip(b"\0"):
            raise DamagedBackup(f"there are bytes after {member.name} that belong to no file")
        last = member.name


def _next(source: BinaryIO, last: str) -> TarMember | None:
    head = _head(source, last)
    extended: dict[str, str] = {}
    if head is not None and head.type == tarfile.XHDTYPE:
        extended = _extension(source, head, last)
        head = _head(source, last)
        if head is None:
            raise DamagedBackup(f"the file ends within the head after {last}")
    if head is None:
        return None
    if head.type not in PLAIN:
        raise DamagedBackup(f"the entry after {last} is no regular file, as all entries of a backup are")
    name, size = extended.get("path", head.name), _size(extended.get("size", head.size), last)
    return TarMember(name, size, head.mode & 0o777, source, size)


def _head(source: BinaryIO, last: str) -> tarfile.TarInfo | None:
    """Return the next head; None at the end of the archive."""
    block = source.read(BLOCK)
    if block == bytes(BLOCK):
        return None
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        raise DamagedBackup(
            f"after {last} there is no head of a file: the backup is cut off or changed"
        ) from None


def _extension(source: BinaryIO, head: tarfile.TarInfo, last: str) -> dict[str, str]:
    """Parse name and size in their long form."""
    if not 0 <= head.size <= MOST_EXTENSION:
        raise DamagedBackup(f"the name of the file after {last} is longer than any name")
    text = source.read(head.size + -head.size % BLOCK)[: head.size]
    found: dict[str, str] = {}
    while text:
        digits, space, _ = text.partition(b" ")
        length = int(digits) if digits.isdigit() and len(digits) < 6 else 0
        record, text = text[len(digits) + len(space) : length], text[max(length, 1) :]
        key, equals, value = record.decode("utf-8", "surrogateescape").partition("=")
        if not space or not equals or not value.endswith("\n") or key not in KNOWN:
            raise DamagedBackup(f"the head after {last} cannot be read")
        found[key] = value[:-1]
    return found


def _size(said: str | int, last: str) -> int:
    text = str(said)
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise DamagedBackup(f"the file after {last} has no size that a file can have")
    return int(text)
