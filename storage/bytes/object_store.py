"""ObjectStore: bytes in a bucket that speaks S3, by obstore; what is written is there whole or not at all."""

from __future__ import annotations

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
"""Bytes of a draft that are in memory; more of it lie in a file of this host's temporary folder."""

PIECE = 1 << 20
"""Bytes that a reader has at a time."""

PATIENCE = timedelta(seconds=6)
PAUSE_SECONDS = 0.05
AT_ONCE = 8
SIGN_HOLDS = timedelta(minutes=5)
"""After so long a process that was about to remove an object is gone: no request takes a minute."""
OPTIONS = ("endpoint", "region", "virtual_hosted_style_request")


class ObjectStore:
    """The same as storage.bytes.disk.Disk over a bucket. Raises OSError.

    A draft is kept on this host until it gets its name, so the store never has half of anything.
    """

    def __init__(self, url: str) -> None:
        """`s3://[KEY:SECRET@]BUCKET[/PREFIX][?endpoint=URL&region=NAME]`.

        What it does not say comes of `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION` and so on, as
        every client of S3 reads them. Raises ValueError, OSError.
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
        """A new draft, open for writing; its bytes stay after it is closed."""
        file = self._drafts[path] = SpooledTemporaryFile(MEMORY)  # noqa: SIM115
        return cast("BinaryIO", _Draft(file))

    def settle(self, paths: Iterable[str]) -> None:
        """Do nothing: a draft is as durable as it has to be when it gets its name."""

    def place(self, drafts: Mapping[str, str], moment: datetime) -> None:
        """Store drafts under their names; durable on return, and as new as the store's clock says."""
        with ThreadPoolExecutor(min(len(drafts), AT_ONCE) or 1, "objects") as pool:
            list(pool.map(self._place, drafts, drafts.values()))
        for draft in drafts:
            self.discard(draft)

    def _place(self, draft: str, path: str) -> None:
        """Store a draft, again while somebody removes an object of that name: a bucket has no lock.

        Who removes leaves a sign first, looks at the age, removes, and takes the sign away. So when there is
        no sign after the object was stored, and the object is there, a process that comes to remove it finds
        it new.
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
        """The time at which an object was stored; None when there is none."""
        try:
            with _translate():
                return obstore.head(self._store, path)["last_modified"]
        except FileNotFoundError:
            return None

    def discard(self, path: str) -> None:
        """Forget a draft, or remove an object if it is there."""
        if (file := self._drafts.pop(path, None)) is not None:
            file.close()
            return
        with suppress(FileNotFoundError), _translate():
            obstore.delete(self._store, path)

    def read(self, path: str) -> BinaryIO:
        """The object, seekable; a small one is read at once."""
        with _translate():
            found = obstore.get(self._store, path)
            size = int(found.meta["size"])
            if size <= PIECE:
                return io.BytesIO(bytes(found.bytes()))
        return cast("BinaryIO", io.BufferedReader(_Object(self._store, path, size), PIECE))

    def files(self) -> Iterator[tuple[str, datetime]]:
        """Path and modification of every object."""
        with _translate():
            for some in obstore.list(self._store):
                for one in some:
                    yield str(one["path"]), one["last_modified"]

    def drop(self, path: str, before: datetime) -> bool:
        """Remove an object unless it was placed since a moment."""
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
    """A draft that is written; what closes it here does not forget it."""

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
"""The process that used the library, whose threads no fork takes along: a child of it would wait for ever."""


@contextmanager
def _translate() -> Iterator[None]:
    """Errors of the library as those of files; who was forked after its use is refused."""
    _used_by.add(os.getpid())
    if len(_used_by) > 1:
        raise OSError("the client of the store was used before this process was forked")
    try:
        yield
    except (NotFoundError, FileNotFoundError) as error:
        raise FileNotFoundError(str(error)) from error
    except BaseError as error:
        raise OSError(str(error).partition("\n")[0][:300]) from error
