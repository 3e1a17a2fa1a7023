"""A local folder whose files appear complete and survive a power cut."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import BinaryIO

from chains.files.folder_lock import make_folder
from chains.files.fsync import settle_all
from chains.files.keeper import keeper_of


class Disk:
    """Files below a folder, by relative path, accessed as the account that owns the folder.

    Raises OSError. Links are never followed to a file.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._keeper = keeper_of(root)
        with self._keeper.acting():
            make_folder(root)

    def create(self, path: str) -> BinaryIO:
        """Create a file and return it, open for writing."""
        how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with self._keeper.acting():
            self._make_folders(path)
            return os.fdopen(os.open(self._at(path), how, 0o600), "wb")

    def settle(self, paths: Iterable[str]) -> None:
        """Sync the content of closed files to the disk, many at once."""
        with self._keeper.acting():
            settle_all(self._root, map(self._at, paths))

    def place(self, drafts: Mapping[str, str], moment: datetime) -> None:
        """Rename settled drafts. An existing file only gets a new time. Durable on return."""
        seconds = moment.timestamp()
        with self._keeper.acting():
            with self._lock(fcntl.LOCK_SH):
                for draft, path in drafts.items():
                    self._place(draft, path, seconds)
            # All parents: another writer may have just made a folder without syncing it yet.
            folders = dict.fromkeys(
                folder for path in drafts.values() for folder in PurePosixPath(path).parents
            )
            settle_all(self._root, (self._at(str(folder)) for folder in folders))

    def _place(self, draft: str, path: str, seconds: float) -> None:
        with contextlib.suppress(FileNotFoundError):  # another process may remove the file meanwhile
            if os.lstat(self._at(path)).st_size == os.lstat(self._at(draft)).st_size:
                os.utime(self._at(path), (seconds, seconds))
                os.unlink(self._at(draft))
                return
        self._make_folders(path)
        os.utime(self._at(draft), (seconds, seconds))
        os.rename(self._at(draft), self._at(path))

    def discard(self, path: str) -> None:
        """Remove a file if it is there."""
        with self._keeper.acting(), contextlib.suppress(FileNotFoundError):
            os.unlink(self._at(path))

    def read(self, path: str) -> BinaryIO:
        """Return the file, open for reading."""
        with self._keeper.acting():
            return os.fdopen(os.open(self._at(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb")

    def files(self) -> Iterator[tuple[str, datetime]]:
        """Yield the path and modification time of every file."""
        for folder, _, names in os.walk(self._root):
            for name in names:
                path = os.path.join(folder, name)
                with contextlib.suppress(FileNotFoundError):
                    moment = datetime.fromtimestamp(os.lstat(path).st_mtime, UTC)
                    yield os.path.relpath(path, self._root), moment

    def drop(self, path: str, before: datetime) -> bool:
        """Remove a file unless it got its time since `before`; return whether it was removed."""
        with self._keeper.acting(), self._lock(fcntl.LOCK_EX), contextlib.suppress(FileNotFoundError):
            if os.lstat(self._at(path)).st_mtime < before.timestamp():
                os.unlink(self._at(path))
                return True
        return False

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _make_folders(self, path: str) -> None:
        make_folder(os.path.dirname(self._at(path)))

    @contextlib.contextmanager
    def _lock(self, how: int) -> Iterator[None]:
        """Lock the folder: placing (shared) and dropping (exclusive) exclude each other on this machine."""
        handle = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, how)
            yield
        finally:
            os.close(handle)
