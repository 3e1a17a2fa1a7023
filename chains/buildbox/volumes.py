"""The disks of repos: a repo's own store, layer cache and working space of builds."""

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

FULL = 0.25
"""The share of a disk in use beyond which a build begins with an empty one."""

OPEN = "open"
"""What a disk in use has in its name: one that is found by it at the start was not left in order."""


class Volumes:
    """Disks in `folder`, mounted below `places` while a build has them.

    `size` is that of each, `total` what all of them may take of the host's. `owner` is the host's id of root
    in a box.
    """

    def __init__(self, folder: Path, places: Path, size: int, total: int, owner: int) -> None:
        self._folder = folder
        self._places = places
        self._size = size
        self._total = total
        self._owner = owner
        self._locks: defaultdict[int, threading.Lock] = defaultdict(threading.Lock)

    def clear(self) -> None:
        """Throw away what a runner that was killed had in use."""
        for file in self._folder.glob(f"*.{OPEN}"):
            disk.unmount(file, self._places / file.stem)
            file.unlink()

    @contextmanager
    def lend(self, repo: int, contents: Collection[str]) -> Iterator[Volume]:
        """The disk of a repo for one build at a time; Volume.spoil makes the next build begin anew.

        `contents` are the ids of the images that the build may see. What an earlier one was shown besides is
        gone: the disk is made anew. Raises EngineError when the host cannot.
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
        """Remove the disks of the repos that `keep` refuses; their numbers."""
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
        # What is removed first need not be written to the disk any more.
        if volume.spoilt or not volume.clear_but_store() or not disk.unmount(volume.file, volume.place):
            self._discard(volume)
            return
        self._record(repo).write_text(json.dumps(sorted(contents)))
        volume.file.rename(self._file(repo))
        self._file(repo).touch()

    def _discard(self, volume: Volume) -> None:
        disk.unmount(volume.file, volume.place)
        volume.file.unlink(missing_ok=True)

    def _fits(self, repo: int, contents: Collection[str]) -> bool:
        """Whether the disk is of the wanted size, and was shown nothing that this build may not see."""
        with suppress(OSError, ValueError):
            shown = set(json.loads(self._record(repo).read_text()))
            return shown <= set(contents) and self._file(repo).stat().st_size == self._size
        return False

    def _trim(self) -> None:
        """Remove the disks that were not used for longest until the rest is no more than the total."""
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
        """The file that names the images which builds on the disk were shown."""
        return self._folder / f"{repo}.json"


class Volume:
    """A disk in use: its file, and the place where it is mounted."""

    def __init__(self, file: Path, place: Path) -> None:
        self.file = file
        self.place = place
        self.spoilt = False

    def clear_but_store(self) -> bool:
        """Remove everything but the store; whether that could be done.

        What a build wrote is an attacker's: a store that is a link is no store.
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
        """Have the disk thrown away after this build, whose end may have left it in disorder."""
        self.spoilt = True
