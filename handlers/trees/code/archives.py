"""Files inside stored zips from untrusted sources: listed by a bounded index, unpacked while being sent."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

from vfs.errors import Conflict
from vfs.ports.blobs import Blobs, Ref

ZIP = "application/zip"
PIECE = 1 << 16
MOST_FILES = 20_000
LARGEST_INDEX = 4 << 20
# Signature and size of the record at the end of an archive, and the longest comment after it.
END, END_SIZE, COMMENT = b"PK\x05\x06", 22, 0xFFFF
# The ZIP64 locator before that record: where it is present, larger numbers elsewhere apply.
LOCATOR, LOCATOR_SIZE = b"PK\x06\x07", 20
BROKEN = (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError, zlib.error, OSError)


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """A file inside a stored zip: its path there and its unpacked size in bytes."""

    blob: Ref
    path: str
    size: int


def files_in(blobs: Blobs, blob: Ref) -> list[ArchiveFile] | None:
    """Return the files in a stored zip, in its order; None if it is no zip or has too many files."""
    with blobs.open(blob) as stream:
        if not _is_short(stream, blob.size):
            return None
        try:
            with zipfile.ZipFile(stream) as archive:
                # A file without a name cannot be requested.
                found = [one for one in archive.infolist() if one.filename and not one.is_dir()]
        except BROKEN:
            return None
    return (
        [ArchiveFile(blob, one.filename, one.file_size) for one in found]
        if len(found) <= MOST_FILES
        else None
    )


def unpack_file(blobs: Blobs, file: ArchiveFile, largest: int) -> Iterator[bytes]:
    """Return an iterator over the pieces of a file in a zip; the first is read at once, to detect errors.

    Raises Conflict where it cannot be unpacked, or would be larger than `largest`.
    """
    if file.size > largest:
        raise Conflict(f"the file unpacks to {file.size} bytes, which is too many: download the whole output")
    pieces = _pieces(blobs, file)
    try:
        first = next(pieces, b"")
    except BROKEN:
        raise Conflict("the file cannot be unpacked: download the whole output") from None
    return chain((first,), pieces)


def _pieces(blobs: Blobs, file: ArchiveFile) -> Iterator[bytes]:
    with (
        blobs.open(file.blob) as stream,
        zipfile.ZipFile(stream) as archive,
        archive.open(file.path) as member,
    ):
        while piece := member.read(PIECE):
            yield piece


def _is_short(stream: BinaryIO, size: int) -> bool:
    """Return whether a zip's index is short enough to read, according to the record at its end."""
    stream.seek(max(size - LOCATOR_SIZE - END_SIZE - COMMENT, 0))
    tail = stream.read()
    at = tail.rfind(END)
    if at < 0 or len(tail) - at < END_SIZE or tail[:at][-LOCATOR_SIZE:].startswith(LOCATOR):
        return False
    count, index = struct.unpack_from("<HL", tail, at + 10)
    return bool(count <= MOST_FILES and index <= LARGEST_INDEX)
