"""Uploads as multipart/form-data (RFC 7578), streamed to disk under safe names."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path as Folder

from chains.files.fsync import settle_all
from chains.files.names import refusal
from handlers.http.bodies.form_reader import FormReader, PartCallbacks
from handlers.http.bodies.part_headers import boundary_of, disposition_of, file_name_of
from vfs.errors import Invalid, TooLarge, storage_error

READ_AHEAD = 1024 * 1024


def store(pieces: Iterable[bytes], kind: str, folder: Folder, most: int, *, form: bool = False) -> list[str]:
    """Store the files of a body of Content-Type `kind` below the existing `folder`; return their paths.

    Fields of a page's `form` without a file are ignored. Files and folders are durable on return. Raises
    Invalid, TooLarge, NoSpace, and what `pieces` raises; then everything that was stored is removed.
    """
    upload = _Upload(folder, most, form=form)
    try:
        boundary = boundary_of(kind)
        reader, source = FormReader(boundary, upload.callbacks()), iter(pieces)
        begin = b"".join(_begin_of(source))
        if (b"\r\n" + begin).count(b"\r\n--%b\r\n" % boundary) > most:
            raise _too_many(most)
        for piece in itertools.chain((begin,), source):
            reader.feed(piece)
        reader.finish()
        upload.finish()
    except OSError as wrong:
        upload.undo()
        if isinstance(wrong, FileNotFoundError):  # the folder belongs to the caller
            raise
        raise storage_error(wrong, "these files") from wrong
    except BaseException:
        upload.undo()
        raise
    return upload.paths


def _begin_of(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the first pieces: many small files are counted in them before one is made."""
    size = 0
    while size < READ_AHEAD and (piece := next(pieces, b"")):
        size += len(piece)
        yield piece


def _too_many(most: int) -> TooLarge:
    return TooLarge(f"more than {most} files came at once: send fewer, or one archive", limit=most)


class _Upload:
    """Callbacks of the parser that store each part; undone as a whole."""

    def __init__(self, folder: Folder, most: int, *, form: bool) -> None:
        self.paths: list[str] = []
        self._folder = folder
        self._most = most
        self._form = form
        self._files: set[str] = set()
        self._folders: dict[str, None] = {}
        self._file: int | None = None
        self._parts = 0

    def callbacks(self) -> PartCallbacks:
        return PartCallbacks(self._begin, self._write, self._close)

    def finish(self) -> None:
        """Make everything durable together: files, and the folders that contain them."""
        settle_all(self._folder, (self._folder / path for path in (*self.paths, *self._folders, ".")))

    def undo(self) -> None:
        """Remove everything that was stored."""
        with contextlib.suppress(OSError):
            self._close()
        for path in self.paths:
            with contextlib.suppress(OSError):
                (self._folder / path).unlink()
        for path in reversed(self._folders):
            with contextlib.suppress(OSError):
                (self._folder / path).rmdir()

    def _begin(self, headers: Mapping[str, str]) -> None:
        self._parts += 1
        if self._parts > self._most:
            raise _too_many(self._most)
        encoding = headers.get("content-transfer-encoding", "binary").lower()
        if encoding not in ("binary", "8bit", "7bit"):
            raise Invalid(
                f"a part is encoded ({encoding[:40]}): send the files as they are, without a "
                "Content-Transfer-Encoding"
            )
        disposition = disposition_of(headers)
        name = file_name_of(disposition)
        if name or not self._form:
            self._open(_path(name, disposition.get("name", "")))

    def _open(self, path: str) -> None:
        self._reserve(path)
        target = self._folder / path
        self._file = os.open(
            target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644
        )
        self._files.add(path)
        self.paths.append(path)

    def _reserve(self, path: str) -> None:
        """Make the folders of a path. Raises Invalid if the path is repeated, or both a file and a folder."""
        if path in self._files:
            raise Invalid(f'two files are named "{path}": give each another name')
        if path in self._folders:
            raise Invalid(f'"{path}" is a file and a folder at once: rename one of them')
        parent = ""
        for segment in path.split("/")[:-1]:
            parent = f"{parent}/{segment}" if parent else segment
            if parent in self._files:
                raise Invalid(f'"{parent}" is a file and a folder at once: rename one of them')
            if parent not in self._folders:
                (self._folder / parent).mkdir()
                self._folders[parent] = None

    def _write(self, data: bytes) -> None:
        if self._file is not None:
            view = memoryview(data)
            while view:
                view = view[os.write(self._file, view) :]

    def _close(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            os.close(file)


def _path(name: bytes | None, field: str) -> str:
    """Return the relative path of a part's file. Raises Invalid when it is missing or unsafe."""
    if name is None:
        raise Invalid(
            f"the part \"{field[:80]}\" is a form field and no file: send files, with  -F 'file=@input.csv'"
        )
    return safe_path(name)


def safe_path(raw: bytes) -> str:
    """Decode the relative path of a file, with its folders. Raises Invalid if it is odd; repairs nothing."""
    try:
        path = raw.decode()
    except UnicodeDecodeError:
        raise Invalid("a file's name is not UTF-8") from None
    shown = path.encode("ascii", "backslashreplace").decode()[:120]
    if not path:
        raise Invalid("a file has no name: send each one with  -F 'file=@input.csv'")
    if path.startswith("/"):
        raise Invalid(f'the file name "{shown}" is absolute: names are relative to the input folder')
    if why := refusal(path):
        raise Invalid(f'the file name "{shown}" cannot be taken: {why}')
    return path
