"""The disks of repos: each has a repo's image store, its layer cache, and space for builds."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from chains.buildbox import disk
from chains.files.fsync import settle

FULL = 0.25
"""The used fraction of a disk above which the next build begins with an empty one."""

OPEN = "open"
"""Part of the file name of a disk in use. A disk with it at the start was not closed cleanly."""


class Volumes:
    """Disks in `folder`, mounted below `places` while a build uses them.

    `size` is the size of each, `total` the maximum that all of them use on the host. `owner` is the host's id
    of root in a box.
    """

    def __init__(self, folder: Path, places: Path, size: int, total: int, owner: int) -> None:
        self._folder = folder
        self._places = places
        self._size = size
        self._total = total
        self._owner = owner
        self._locks: defaultdict[int, threading.Lock] = defaultdict(threading.Lock)

    def clear(self) -> None:
        """Remove the disks that a killed runner had in use."""
        for file in self._folder.glob(f"*.{OPEN}"):
            disk.unmount(file, self._places / file.stem)
            file.unlink()

    @contextmanager
    def lend(self, repo: int, contents: Collection[str]) -> Iterator[Volume]:
        """Lend the disk of a repo to one build at a time. After Volume.spoil, the next build gets a new one.

        `contents` are the ids of the images that the build may see. If an earlier build on the disk saw any
        other image, the disk is made again. Raises EngineError if the host cannot make it.
        """
        with self._locks[repo]:
            volume = Volume(self._folder / f"{repo}.{OPEN}", self._places / str(repo))
            self._open(repo, volume, contents)
            try:
                yield volume
            finally:
                self._close(repo, volume, contents)
        self._trim()

    def sweep(self, keep: Callable[[int], bool]) -> list[int]:
        """Remove the disks of the repos that `keep` refuses. Return the repos' numbers."""
        gone = sorted(number for number in self._numbers() if not keep(number))
        for repo in gone:
            with self._locks[repo]:
                self._forget(repo)
        return gone

    def _open(self, repo: int, volume: Volume, contents: Collection[str]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        kept = self._file(repo)
        if not self._fits(repo, contents):
            self._forget(repo)
        with suppress(FileNotFoundError):
            kept.rename(volume.file)
        try:
            if volume.file.exists():
                disk.mount(volume.file, volume.place, writable=True)
                if disk.usage(volume.place) <= FULL:
                    return
                self._discard(volume)
            disk.make(volume.file, self._size, self._owner)
            disk.mount(volume.file, volume.place, writable=True)
        except BaseException:
            self._discard(volume)
            raise

    def _close(self, repo: int, volume: Volume, contents: Collection[str]) -> None:
        # Files removed before the unmount need not be written to the disk.
        if volume.spoilt or not volume.clear_but_store() or not disk.unmount(volume.file, volume.place):
            self._discard(volume)
            return
        self._record(repo).write_text(json.dumps(sorted(contents)))
        settle(volume.file)
        volume.file.rename(self._file(repo))
        self._file(repo).touch()

    def _discard(self, volume: Volume) -> None:
        disk.unmount(volume.file, volume.place)
        volume.file.unlink(missing_ok=True)

    def _fits(self, repo: int, contents: Collection[str]) -> bool:
        """Return whether the disk has the right size and only saw images that this build may see."""
        with suppress(OSError, ValueError):
            shown = set(json.loads(self._record(repo).read_text()))
            return shown <= set(contents) and self._file(repo).stat().st_size == self._size
        return False

    def _trim(self) -> None:
        """Remove the least recently used disks until the rest fits into the total."""
        files = [self._file(number) for number in self._numbers()]
        taken = sum(map(disk.allocated_bytes, files))
        with suppress(FileNotFoundError):
            for file in sorted(files, key=lambda file: file.stat().st_mtime):
                if taken <= self._total:
                    return
                taken -= disk.allocated_bytes(file)
                self._forget(int(file.stem))

    def _forget(self, repo: int) -> None:
        self._file(repo).unlink(missing_ok=True)
        self._record(repo).unlink(missing_ok=True)

    def _numbers(self) -> list[int]:
        return [int(file.stem) for file in self._folder.glob("*.img") if file.stem.isdigit()]

    def _file(self, repo: int) -> Path:
        return self._folder / f"{repo}.img"

    def _record(self, repo: int) -> Path:
        """Return the path of the file that lists the images seen by builds on the disk."""
        return self._folder / f"{repo}.json"


class Volume:
    """A disk in use: its file, and the folder where it is mounted."""

    def __init__(self, file: Path, place: Path) -> None:
        self.file = file
        self.place = place
        self.spoilt = False

    def clear_but_store(self) -> bool:
        """Remove everything but the store. Return whether that worked.

        The content is untrusted: a store that is a link is removed, too.
        """
        try:
            for entry in os.scandir(self.place):
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry)
                elif entry.name != "store":
                    shutil.rmtree(entry)
        except (OSError, RecursionError):
            return False
        return True

    def spoil(self) -> None:
        """Mark the disk for removal after this build, which may have left it in a bad state."""
        self.spoilt = True
