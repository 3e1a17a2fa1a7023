"""A store of packages by digest, shared by all builds of a host."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Protocol

DIGEST = re.compile(r"[0-9a-f]{64}")


class PackageBytes(Protocol):
    """Bytes that are read once, and closed at the end of a `with`."""

    def read(self, size: int = -1, /) -> bytes:
        """Read at most `size` bytes, or all."""

    def __enter__(self) -> object: ...

    def __exit__(self, kind: Any, value: Any, trace: Any, /) -> Any: ...


class PackageStore:
    """Files by SHA-256 digest, at most `most` bytes in all. The least recently used are removed first.

    Only the runner writes to the store, and only bytes with the digest given by an operator's index. So a
    build cannot change a file, nor get one that its sources do not link to. Safe for several threads.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self._folder, self._most = folder, most
        self._lock = threading.Lock()

    def get(self, digest: str) -> IO[bytes] | None:
        """Return the file with a digest, open for reading, or None."""
        if not DIGEST.fullmatch(digest):
            return None
        path = self._folder / digest
        try:
            kept = path.open("rb")
        except OSError:
            return None
        with suppress(OSError):
            os.utime(path)
        return kept

    def keep(self, digest: str, answer: PackageBytes) -> PackageBytes:
        """Return a stream with the bytes of `answer`, which are stored once all of them were read.

        Without a digest, or if the disk refuses, nothing is stored and the stream is `answer` itself.
        """
        if not DIGEST.fullmatch(digest):
            return answer
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            part = tempfile.NamedTemporaryFile(dir=self._folder, prefix="part-")  # noqa: SIM115
        except OSError:
            return answer
        return _Copying(answer, part, digest, self)

    def admit(self, digest: str, part: Any) -> None:
        """Add a complete file, and remove old ones to make room."""
        with self._lock, suppress(OSError):
            os.link(part.name, self._folder / digest)
            self._make_room()

    def _make_room(self) -> None:
        files = [
            (found.stat(), found.path) for found in os.scandir(self._folder) if DIGEST.fullmatch(found.name)
        ]
        size = sum(said.st_size for said, _ in files)
        for said, path in sorted(files, key=lambda one: one[0].st_mtime_ns):
            if size <= self._most:
                return
            Path(path).unlink(missing_ok=True)
            size -= said.st_size


class _Copying:
    """A stream that also writes all bytes that are read from it to a file."""

    def __init__(self, answer: PackageBytes, part: Any, digest: str, store: PackageStore) -> None:
        self._answer, self._part, self._digest, self._store = answer, part, digest, store
        self._hash = hashlib.sha256()
        self._broken = False

    def read(self, size: int = -1, /) -> bytes:
        """Read from the answer, and write the bytes to the file."""
        data = self._answer.read(size)
        self._hash.update(data)
        if not self._broken:
            try:
                self._part.write(data)
            except OSError:
                self._broken = True
        return data

    def __enter__(self) -> _Copying:
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any, /) -> None:
        with self._answer, self._part, suppress(OSError):
            if not self._broken and kind is None and self._hash.hexdigest() == self._digest:
                self._part.flush()
                os.fsync(self._part.fileno())
                self._store.admit(self._digest, self._part)
