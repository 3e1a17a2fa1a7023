"""ObjectStore: bytes in an S3 bucket, through obstore; objects are written whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from tempfile import SpooledTemporaryFile
from typing import IO, Any, BinaryIO, cast
from urllib.parse import parse_qs, unquote, urlsplit

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import S3Store

MEMORY = 1 << 20
"""Bytes of a draft that are kept in memory; a larger draft is in a temporary file of this host."""

PIECE = 1 << 20
"""Bytes that a reader fetches at a time."""

PATIENCE = timedelta(seconds=6)
PAUSE_SECONDS = 0.05
AT_ONCE = 8
SIGN_HOLDS = timedelta(minutes=5)
"""Time after which the mark of a process that removes an object is stale: no request takes a minute."""
FULL = ("status code: 507", "QuotaExceeded<", "StorageFull<")
"""Parts of the library's messages about a full store: HTTP's status, codes of Ceph and MinIO."""
OPTIONS = ("endpoint", "region", "virtual_hosted_style_request")


class ObjectStore:
    """The interface of storage.bytes.disk.Disk over a bucket. Raises OSError.

    A draft is kept on this host until it gets its name, so the store never has partial objects.
    """

    def __init__(self, url: str) -> None:
        """Open `s3://[KEY:SECRET@]BUCKET[/PREFIX][?endpoint=URL&region=NAME]`.

        Missing parts are read from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION` and so on, as
        in other S3 clients. Raises ValueError, OSError.
        """
        parts = urlsplit(url)
        said = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if not parts.hostname or said.keys() - set(OPTIONS):
            raise ValueError(
                "an address is s3://BUCKET/PREFIX?endpoint=URL&region=NAME, and has no other words"
            )
        if parts.username and parts.password:
            said["access_key_id"], said["secret_access_key"] = (
                unquote(parts.username),
                unquote(parts.password),
            )
        try:
            self._store: Any = S3Store(
                parts.netloc.rpartition("@")[2],
                prefix=unquote(parts.path).strip("/") or None,
                config=cast("Any", said),
                client_options={"allow_http": True, "timeout": "30s", "connect_timeout": "3s"},
                retry_config={"max_retries": 2, "retry_timeout": PATIENCE},
            )
        except BaseError as error:
            raise ValueError(str(error).partition("\n")[0]) from error
        self._drafts: dict[str, IO[bytes]] = {}

    def create(self, path: str) -> BinaryIO:
        """Return a new draft, open for writing; its bytes are kept after it is closed."""
        file = self._drafts[path] = SpooledTemporaryFile(MEMORY)  # noqa: SIM115
        return cast("BinaryIO", _Draft(file))

    def settle(self, paths: Iterable[str]) -> None:
        """Do nothing: a draft becomes durable when it is placed."""

    def place(self, drafts: Mapping[str, str], moment: datetime) -> None:
        """Store drafts under their names; durable on return, with times of the store's clock."""
        with ThreadPoolExecutor(min(len(drafts), AT_ONCE) or 1, "objects") as pool:
            list(pool.map(self._place, drafts, drafts.values()))
        for draft in drafts:
            self.discard(draft)

    def _place(self, draft: str, path: str) -> None:
        """Store a draft; repeat while another process removes that object, as a bucket has no lock.

        A remover writes a mark, checks the object's age, removes the object, then removes the mark. So if
        there is no mark after the object was stored, and the object exists, a later remover finds it too new
        to remove.
        """
        file, until = self._drafts[draft], time.monotonic() + PATIENCE.total_seconds()
        while True:
            file.seek(0)
            with _translate():
                obstore.put(self._store, path, file)
            if not self._is_being_dropped(path) and self._time_of(path) is not None:
                return
            if time.monotonic() > until:
                raise OSError("a sweep is removing the same bytes; they were not stored")
            time.sleep(PAUSE_SECONDS)

    def _is_being_dropped(self, path: str) -> bool:
        since = self._time_of(_sign_of(path))
        return since is not None and datetime.now(UTC) - since < SIGN_HOLDS

    def _time_of(self, path: str) -> datetime | None:
        """Return the time at which an object was stored; None when there is none."""
        try:
            with _translate():
                return obstore.head(self._store, path)["last_modified"]
        except FileNotFoundError:
            return None

    def discard(self, path: str) -> None:
        """Discard a draft, or remove an object if it exists."""
        if (file := self._drafts.pop(path, None)) is not None:
            file.close()
            return
        with suppress(FileNotFoundError), _translate():
            obstore.delete(self._store, path)

    def read(self, path: str) -> BinaryIO:
        """Return the object as a seekable file. A small one is read at once."""
        with _translate():
            found = obstore.get(self._store, path)
            size = int(found.meta["size"])
            if size <= PIECE:
                return io.BytesIO(bytes(found.bytes()))
        return cast("BinaryIO", io.BufferedReader(_Object(self._store, path, size), PIECE))

    def files(self) -> Iterator[tuple[str, datetime]]:
        """Yield the path and modification time of every object."""
        with _translate():
            for some in obstore.list(self._store):
                for one in some:
                    yield str(one["path"]), one["last_modified"]

    def drop(self, path: str, before: datetime) -> bool:
        """Remove an object unless it was placed since `before`; return whether it was removed."""
        if (modified := self._time_of(path)) is None or modified >= before:
            return False
        with _translate():
            obstore.put(self._store, _sign_of(path), b"")
        try:
            if (modified := self._time_of(path)) is None or modified >= before:
                return False
            with _translate():
                obstore.delete(self._store, path)
            return True
        finally:
            with _translate():
                obstore.delete(self._store, _sign_of(path))


def _sign_of(path: str) -> str:
    return f"dropping/{path.rpartition('/')[2]}"


class _Draft:
    """A draft that is written; closing it does not discard its bytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, content: bytes) -> int:
        return self._file.write(content)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.flush()


class _Object(io.RawIOBase):
    """A large object, read piece by piece."""

    def __init__(self, store: Any, path: str, size: int) -> None:
        self._store = store
        self._path = path
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(start + offset, 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        length = min(len(buffer), self._size - self._at)
        if length <= 0:
            return 0
        with _translate():
            piece = bytes(obstore.get_range(self._store, self._path, start=self._at, length=length))
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


_used_by = set[int]()
"""The process that used the library. Its threads do not survive a fork, so a child would wait forever."""


@contextmanager
def _translate() -> Iterator[None]:
    """Convert errors of the library to OSError; raise OSError in a process that was forked after its use."""
    _used_by.add(os.getpid())
    if len(_used_by) > 1:
        raise OSError("the client of the store was used before this process was forked")
    try:
        yield
    except (NotFoundError, FileNotFoundError) as error:
        raise FileNotFoundError(str(error)) from error
    except BaseError as error:
        message = str(error).partition("\n")[0]
        if any(sign in message for sign in FULL):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        raise OSError(message[:300]) from error
