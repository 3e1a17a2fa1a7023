"""A cache of renders on disk by digest, with a size limit that owners share evenly."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from chains.files.folder_lock import make_folder
from chains.files.fsync import place_file
from chains.files.keeper import OURSELVES, Keeper, keeper_of
from vfs.errors import Unavailable
from vfs.ports.disk import DiskSpace, UnlimitedDisk

AMPLE = UnlimitedDisk()
USED_AGAIN_AFTER = 600.0
"""Seconds after a recorded use of a render during which further uses are not recorded."""
SWEEP_SHARE = 16
KEPT_SHARE = 0.9
HEAD_SIZE = 100
"""Approximate bytes of the media type and the notes that are stored with each render."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeptRender:
    """A kept render: its file (or its bytes, if it could not be kept), size, media type and notes.

    A `passing` one is temporary: it has an expiry time.
    """

    path: Path | None
    size: int
    media: str
    notes: tuple[str, ...]
    keeper: Keeper = OURSELVES
    body: bytes | None = None
    passing: bool = False

    def open(self) -> BinaryIO:
        """Open the bytes as a seekable file. Raises Unavailable when they were swept or replaced."""
        if self.body is not None or self.path is None:
            return io.BytesIO(self.body or b"")
        with contextlib.suppress(FileNotFoundError):
            with self.keeper.acting():
                file = self.path.open("rb")
            if os.fstat(file.fileno()).st_size == self.size:
                return file
            file.close()
        raise Unavailable("the render was removed a moment ago; try again", retry_after=1)


class RenderStore:
    """A cache of renders in a folder of at most `most` bytes, for any number of threads and processes."""

    def __init__(self, folder: Path, most: int, disk: DiskSpace = AMPLE) -> None:
        """Open a cache. Nothing is stored while `disk` is full."""
        self._folder = folder
        self._most = most
        self._added = most
        self._lock = threading.Lock()
        self._keeper = keeper_of(folder)
        self._disk = disk

    def get(self, digest: str) -> KeptRender | None:
        """Return the render of a digest; None if it is not stored or has expired."""
        path = self._place(digest)
        with self._keeper.acting():
            try:
                head = json.loads(path.with_suffix(".json").read_bytes())
                status = path.stat()
            except (FileNotFoundError, ValueError):
                return None
            now, until = time.time(), head["until"]
            if until is not None and not now < until:
                return None
            if now - status.st_mtime > USED_AGAIN_AFTER:
                with contextlib.suppress(OSError):
                    os.utime(path)
        notes = tuple(head["notes"])
        return KeptRender(path, status.st_size, head["media"], notes, self._keeper, passing=until is not None)

    def put(
        self,
        digest: str,
        body: bytes,
        media: str,
        notes: tuple[str, ...],
        seconds: float | None = None,
        owner: str = "",
    ) -> KeptRender:
        """Store a render for an owner, for at most `seconds`.

        Equal digests mean equal renders. A render that cannot be stored is returned nevertheless.
        """
        until = time.time() + seconds if seconds is not None else None
        head = {"media": media, "notes": notes, "until": until, "owner": owner}
        path = self._place(digest)
        if not self._write(path, body, json.dumps(head).encode()):
            return KeptRender(None, len(body), media, notes, body=body, passing=until is not None)
        return KeptRender(path, len(body), media, notes, self._keeper, passing=until is not None)

    def _write(self, path: Path, body: bytes, head: bytes) -> bool:
        """Write a render and its head; return False when the disk is full or fails."""
        if self._disk.room().is_full:
            return False
        self._make_room(len(body))
        try:
            with self._keeper.acting():
                make_folder(path.parent)
                place_file(path, body)
                place_file(path.with_suffix(".json"), head)
        except OSError as error:
            log.warning("a render could not be kept: %s", error)
            return False
        return True

    def _make_room(self, size: int) -> None:
        """Sweep before a new render is written, once per 1/SWEEP_SHARE of the size."""
        with self._lock:
            self._added += size
            due = self._added > self._most // SWEEP_SHARE
            if due:
                self._added = 0
        if due:
            self.sweep()

    def sweep(self) -> int:
        """Remove renders until the rest takes nine tenths of the size. Return the number of removed ones.

        An account within an even share loses none. The others lose their least recently used ones.
        """
        with self._keeper.acting():
            files = self._files()
            if sum(size for _, size, _ in files) <= self._most:
                return 0
            owned = dict[str, list[tuple[float, int, Path]]]()
            for file in sorted(files, reverse=True):
                owned.setdefault(_owner(file[2]), []).append(file)
            sizes = [sum(size for _, size, _ in some) for some in owned.values()]
            share = even_share(sizes, int(self._most * KEPT_SHARE))
            return sum(_keep(some, share) for some in owned.values())

    def usage(self) -> tuple[int, int]:
        """Return the number of stored renders, and their bytes."""
        with self._keeper.acting():
            files = self._files()
        return len(files), sum(size for _, size, _ in files)

    def _files(self) -> list[tuple[float, int, Path]]:
        """Return last use, size and path of every render, including those whose writer was killed."""
        files = []
        for path in self._folder.glob("??/*"):
            if path.suffix != ".json":
                with contextlib.suppress(FileNotFoundError):
                    status = path.stat()
                    files.append((status.st_mtime, status.st_size + HEAD_SIZE, path))
        return files

    def _place(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest


def even_share(sizes: Iterable[int], whole: int) -> int:
    """Return a limit for each size so that their sum is at most `whole`. Small ones leave room for others."""
    left, largest = sorted(sizes), 0
    while left and left[0] * len(left) <= whole:
        largest = left.pop(0)
        whole -= largest
    return whole // len(left) if left else largest


def _keep(files: Iterable[tuple[float, int, Path]], share: int) -> int:
    """Remove the files beyond the first ones that fit into a share; return the number of removed ones."""
    held = gone = 0
    for _, size, path in files:
        held += size
        if held > share:
            path.with_suffix(".json").unlink(missing_ok=True)
            path.unlink(missing_ok=True)
            gone += 1
    return gone


def _owner(path: Path) -> str:
    """Return the owner in the head of a render; "" when the head is missing or invalid."""
    try:
        return str(json.loads(path.with_suffix(".json").read_bytes()).get("owner", ""))
    except (FileNotFoundError, ValueError, AttributeError):
        return ""
