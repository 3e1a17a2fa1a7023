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
        """Read so many bytes, or all."""
        ...

    def __enter__(self) -> object: ...

    def __exit__(self, kind: Any, value: Any, trace: Any, /) -> Any: ...


class PackageStore:
    """Keeps files under their SHA-256 digest, of at most so many bytes; the least recently used go first.

    Only the runner writes into it, and only bytes that have the digest an operator's index named: a build can
    neither change a file nor ask for one that its sources do not link to. May be used from several threads.
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
        """Return a stream with the bytes of `answer`, which are kept once all were read.

        Without a digest, or where the disk refuses, nothing is kept and the stream is `answer` itself.
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
        """Take a complete file in, and make room for it."""
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
    """A stream that writes what is read from it into a file."""

    def __init__(self, answer: PackageBytes, part: Any, digest: str, store: PackageStore) -> None:
        self._answer, self._part, self._digest, self._store = answer, part, digest, store
        self._hash = hashlib.sha256()
        self._broken = False

    def read(self, size: int = -1, /) -> bytes:
        """Read from the answer, and write what was read."""
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
                self._store.admit(self._digest, self._part)
