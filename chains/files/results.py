"""The result of a run: a single file, or several as a zip."""

from __future__ import annotations

import mimetypes
import os
import stat
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from chains.files.names import printable
from chains.files.run_folders import Checked
from chains.runs.records import Result
from vfs.errors import TooLarge
from vfs.ports.blobs import Blobs, chunks

WHOLE = 1 << 62
UNKNOWN = "application/octet-stream"
PACKED = {"gzip": "application/gzip", "bzip2": "application/x-bzip2", "xz": "application/x-xz"}


def collect(
    outputs: Mapping[str, Checked], name: str, blobs: Blobs, job: int | None = None, room: int = WHOLE
) -> Result | None:
    """Store the result of a run of a job: nothing, a single file as it is, or several as the zip `name`.

    `outputs` are those of the last steps by label; if there are several, the zip has a folder for each
    (decisions 19, 23). Raises TooLarge if it is larger than `room`; then nothing is stored.
    """
    files = list(named_files(outputs))
    if not files:
        return None
    if len(files) == 1:
        path = files[0][1]
        with open_regular(path) as stream:
            return Result(blobs.add(_up_to(chunks(stream), room), media_type(path.name), job), path.name)
    return Result(blobs.add(_up_to(zip_files(files), room), "application/zip", job), name)


def named_files(outputs: Mapping[str, Checked]) -> Iterator[tuple[str, Path]]:
    """Yield the files of the last steps with their names in the result."""
    several = len(outputs) > 1
    for step, checked in outputs.items():
        for file in checked.files:
            yield (f"{step}/{file.rel}" if several else file.rel), file.path


def _up_to(pieces: Iterable[bytes], room: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > room:
            raise TooLarge("the account of the job's owner cannot store more: its storage quota is full.")
        yield piece


def zip_files(files: Iterable[tuple[str, Path]], method: int = zipfile.ZIP_DEFLATED) -> Iterator[bytes]:
    """Yield a zip of (name inside, file) pairs in pieces."""
    pieces = _Pieces()
    with zipfile.ZipFile(pieces, "w", method, compresslevel=1) as archive:
        for name, path in files:
            with open_regular(path) as source:
                facts = os.fstat(source.fileno())
                entry = zipfile.ZipInfo(name, _date(facts.st_mtime))
                entry.compress_type = method
                entry.external_attr = (stat.S_IFREG | 0o644) << 16
                with archive.open(entry, "w", force_zip64=facts.st_size > zipfile.ZIP64_LIMIT // 2) as target:
                    for piece in chunks(source):
                        target.write(piece)
                        yield from pieces.take()
    yield from pieces.take()


def media_type(name: str) -> str:
    """Return the media type for the name's suffix, the same on every host."""
    media, packed = mimetypes.MimeTypes().guess_type(name)
    if packed is not None:
        return PACKED.get(packed, UNKNOWN)
    return media or UNKNOWN


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file; refuse anything else, even if it was replaced meanwhile."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{printable(str(path))} is not a regular file")
    return os.fdopen(handle, "rb")


class _Pieces:
    """A stream for zipfile to write to, without seeking."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: nothing is buffered."""

    def close(self) -> None:
        """Do nothing: the pieces are still read."""

    def take(self) -> list[bytes]:
        pieces, self._pieces = self._pieces, []
        return pieces


def _date(moment: float) -> tuple[int, int, int, int, int, int]:
    """Return a time in zip's format."""
    date = time.gmtime(min(max(moment, 315_532_800), 4_354_819_198))
    return date[0], date[1], date[2], date[3], date[4], date[5]
