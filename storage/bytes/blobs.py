"""Bytes by digest, stored before the row that refers to them: on a disk, in S3, or at a PyFilesystem2 URL."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, BinaryIO

import fs
from fs.base import FS
from fs.errors import CreateFailed, FSError, InsufficientStorage, ResourceNotFound
from fs.opener.errors import OpenerError
from fs.opener.parse import parse_fs_url
from fs.path import dirname

from storage.bytes.disk import Disk
from vfs.errors import FULL, Invalid, NoSpace, NotFound, Unavailable
from vfs.ports.blobs import Ref
from vfs.ports.clock import Clock

if TYPE_CHECKING:
    from storage.bytes.object_store import ObjectStore

DRAFTS = "drafts"
S3 = "s3://"
CREDENTIALS = re.compile("://[^/@]*@")


class FileBlobs:
    """A store of bytes in files named by their SHA-256, `ab/cd/abcd…`, below a URL (vfs.ports.blobs.Blobs).

    A file is written as a draft and then renamed, so it is stored whole or not at all. On `osfs://` it is
    synced to the disk when `add` returns; the durability of other URLs (`s3://…`, storage.bytes.object_store)
    is that of their back end.
    """

    def __init__(self, url: str, clock: Clock) -> None:
        """Open the store at a URL. Raises Invalid when that fails."""
        self._clock = clock
        try:
            self._shelf = _shelf(url)
        except (CreateFailed, OpenerError, FSError, OSError, ValueError) as error:
            shown = CREDENTIALS.sub("://", url)
            raise Invalid(f"The file store {shown} cannot be opened: {error}. Correct its URL.") from error

    def add(self, chunks: Iterable[bytes], media: str, item: int | None = None) -> Ref:
        """Store the bytes. Raises as `chunks` does, having stored nothing; NoSpace on a full disk."""
        return self.add_all(((chunks, media),), item)[0]

    def add_all(
        self, contents: Iterable[tuple[Iterable[bytes], str]], item: int | None = None
    ) -> Sequence[Ref]:
        """Store the bytes of each content, all durable together. Raises as `add` does."""
        drafts: list[str] = []
        refs: list[Ref] = []
        try:
            for chunks, media in contents:
                drafts.append(f"{DRAFTS}/{secrets.token_hex(16)}")
                refs.append(Ref(*self._write(drafts[-1], chunks), media))
            places = {draft: _path(ref.digest) for draft, ref in zip(drafts, refs, strict=True)}
            with _translating():
                self._shelf.settle(drafts)
                self._shelf.place(places, self._clock.now())
        except BaseException:
            for draft in drafts:
                with contextlib.suppress(OSError, FSError):
                    self._shelf.discard(draft)
            raise
        return refs

    def open(self, ref: Ref) -> BinaryIO:
        with _translating():
            return self._shelf.read(_path(ref.digest))

    def digests(self, before: datetime) -> Iterator[str]:
        """Yield the digests of the bytes that were not added since `before`."""
        for path, moment in self._shelf.files():
            name = path.rpartition("/")[2]
            if moment < before and path == _path(name):
                yield name

    def remove(self, digest: str, before: datetime) -> bool:
        """Remove the bytes unless they were added since `before`; return whether they were removed."""
        with _translating():
            return self._shelf.drop(_path(digest), before)

    def tidy(self, before: datetime) -> int:
        """Remove the drafts older than `before`, whose writers died; return the number of files."""
        drafts = f"{DRAFTS}/"
        left = [path for path, moment in self._shelf.files() if path.startswith(drafts) and moment < before]
        for path in left:
            self._shelf.discard(path)
        return len(left)

    def read_note(self, name: str, longest: int) -> str | None:
        """Return the text of a file in the store's root; None when it is missing. Raises Unavailable."""
        try:
            with _translating(), self._shelf.read(name) as file:
                return file.read(longest).decode("ascii", "replace").strip()
        except NotFound:
            return None

    def write_note(self, name: str, text: str) -> None:
        """Write such a text. An existing one of the same length is kept. Raises NoSpace, Unavailable."""
        draft = f"{DRAFTS}/{secrets.token_hex(16)}"
        self._write(draft, [text.encode()])
        with _translating():
            self._shelf.settle([draft])
            self._shelf.place({draft: name}, self._clock.now())

    def forget_note(self, name: str) -> None:
        """Remove such a text if it exists. Raises Unavailable."""
        with _translating():
            self._shelf.discard(name)

    def _write(self, draft: str, chunks: Iterable[bytes]) -> tuple[str, int]:
        """Write a draft; return digest and size. Errors of `chunks` are passed on unchanged."""
        hashed, size = hashlib.sha256(), 0
        with _translating():
            file = self._shelf.create(draft)
        try:
            for chunk in chunks:
                hashed.update(chunk)
                size += len(chunk)
                with _translating():
                    file.write(chunk)
            with _translating():
                file.flush()
        finally:
            with contextlib.suppress(OSError):  # an error of the flush was raised above
                file.close()
        return hashed.hexdigest(), size


class _Remote:
    """The interface of storage.bytes.disk.Disk over a PyFilesystem2 file system, with its durability."""

    def __init__(self, files: FS) -> None:
        self._fs = files

    def create(self, path: str) -> BinaryIO:
        self._fs.makedirs(dirname(path), recreate=True)
        return self._fs.openbin(path, "w")

    def settle(self, paths: Iterable[str]) -> None:
        """Do nothing: only the back end decides when a closed file is durable."""

    def place(self, drafts: Mapping[str, str], moment: datetime) -> None:
        for draft, path in drafts.items():
            self._fs.makedirs(dirname(path), recreate=True)
            self._fs.setinfo(draft, {"details": {"modified": moment.timestamp()}})
            self._fs.move(draft, path, overwrite=True)

    def discard(self, path: str) -> None:
        with contextlib.suppress(ResourceNotFound):
            self._fs.remove(path)

    def read(self, path: str) -> BinaryIO:
        return self._fs.openbin(path, "r")

    def files(self) -> Iterator[tuple[str, datetime]]:
        for path, info in self._fs.walk.info(namespaces=["details"]):
            if info.is_file and info.modified is not None:
                yield path.lstrip("/"), info.modified

    def drop(self, path: str, before: datetime) -> bool:
        with contextlib.suppress(ResourceNotFound):
            modified = self._fs.getinfo(path, namespaces=["details"]).modified
            if modified is not None and modified < before:
                self._fs.remove(path)
                return True
        return False


def _shelf(url: str) -> Disk | ObjectStore | _Remote:
    """Return the store of a URL; variables in the path of `osfs://` are not expanded."""
    if "://" not in url:
        return Disk(os.path.abspath(url))
    if url.startswith(S3):
        # Import the client only where it is used, because it needs much memory.
        from storage.bytes.object_store import ObjectStore

        return ObjectStore(url)
    parsed = parse_fs_url(url)
    if parsed.protocol == "osfs":
        return Disk(os.path.abspath(os.path.expanduser(parsed.resource)))
    return _Remote(fs.open_fs(url, create=True))


def _path(digest: str) -> str:
    return f"{digest[:2]}/{digest[2:4]}/{digest}"


@contextlib.contextmanager
def _translating() -> Iterator[None]:
    """Translate errors of the store to those of vfs.errors."""
    try:
        yield
    except (ResourceNotFound, FileNotFoundError):
        raise NotFound("The content of this file is gone from the server's file store.") from None
    except (OSError, FSError) as error:
        if isinstance(error, InsufficientStorage) or getattr(error, "errno", None) in FULL:
            raise NoSpace("The server's disk is full, so nothing was stored; free some space.") from error
        raise Unavailable(f"The server's file store does not answer: {error}.", retry_after=2) from error
