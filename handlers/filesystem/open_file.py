"""An open file of the tree: the bytes that were read, and the body that is written."""

from __future__ import annotations

import io
import mimetypes
import tempfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from handlers.http.bodies.body import parse_fields
from handlers.http.listings import as_json
from handlers.http.shown_texts import shown_pieces, text_bytes
from vfs.body import NoBody
from vfs.call import Data, KeptBytes, Reply, Stream
from vfs.errors import Invalid, TooLarge
from vfs.ports.blobs import Blobs, Ref, chunks

IN_MEMORY = 1 << 20


class OpenFile(io.RawIOBase):
    """The bytes of an open file; on close `save` gets them, or None if the file was only read."""

    def __init__(
        self,
        file: BinaryIO,
        mode: str,
        *,
        reading: bool = True,
        appending: bool = False,
        save: Callable[[BinaryIO], None] | None = None,
    ) -> None:
        super().__init__()
        self._file = file
        self.mode = mode
        self._reading = reading
        self._appending = appending
        self._save = save

    def readable(self) -> bool:
        return self._reading

    def writable(self) -> bool:
        return self._save is not None

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._reading:
            raise io.UnsupportedOperation("the file is not open for reading")
        piece = self._file.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def readline(self, size: int | None = -1) -> bytes:
        if not self._reading:
            raise io.UnsupportedOperation("the file is not open for reading")
        return self._file.readline(-1 if size is None else size)

    def write(self, data: Any) -> int:
        self._must_be_writable()
        if self._appending:
            self._file.seek(0, io.SEEK_END)
        return self._file.write(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._file.seek(offset, int(whence))
        return self._file.tell()

    def tell(self) -> int:
        return self._file.tell()

    def truncate(self, size: int | None = None) -> int:
        self._must_be_writable()
        at = self._file.tell()
        size = at if size is None else size
        grown = size - self._file.seek(0, io.SEEK_END)
        if grown > 0:
            self._file.write(bytes(grown))
        self._file.truncate(size)
        self._file.seek(at)
        return size

    def close(self) -> None:
        """Save the written bytes. Raises as `save` does; the file is closed in any case."""
        if self.closed:
            return
        try:
            if self._save is not None:
                self._save(self._file)
        finally:
            self._file.close()
            super().close()

    def _must_be_writable(self) -> None:
        if self._save is None:
            raise io.UnsupportedOperation("the file is not open for writing")


class FileBody(NoBody):
    """The bytes of a file as the body of a call; its name determines the media type."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self.size = file.seek(0, io.SEEK_END)
        self.media = mimetypes.guess_type(name)[0] or "application/octet-stream"

    def empty(self) -> bool:
        return self.size == 0

    def chunks(self, largest: int) -> Iterator[bytes]:
        if self.size > largest:
            raise TooLarge(f"the file has {self.size} bytes and {largest} fit here", limit=largest)
        self._file.seek(0)
        return chunks(self._file)

    def text(self, largest: int) -> str:
        try:
            return b"".join(self.chunks(largest)).decode()
        except UnicodeDecodeError as wrong:
            raise Invalid(f"the text is not UTF-8 (byte {wrong.start}): convert it to UTF-8 first") from None

    def data(self, largest: int) -> Any:
        return parse_fields(self.document(largest))

    def document(self, largest: int) -> bytes:
        return b"".join(self.chunks(largest))


def scratch() -> BinaryIO:
    """Return an empty temporary file that stays in memory while it is small."""
    file: Any = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # the caller closes it
    return file  # type: ignore[no-any-return]


def content(reply: Reply, blobs: Blobs) -> BinaryIO:
    """Return the bytes of a reply, in its plain form if it has one."""
    value = reply.value
    if isinstance(value, Ref):
        return blobs.open(value)
    if isinstance(value, KeptBytes):
        return value.open()
    if isinstance(value, Stream):
        file = scratch()
        file.writelines(shown_pieces(reply, value))
        file.seek(0)
        return file
    if isinstance(value, Data):
        if value.text is None:
            return io.BytesIO(as_json(value.value))
        return io.BytesIO(text_bytes(value.text(value.value), reply.signs))
    return io.BytesIO(text_bytes(value or "", reply.signs, reply.media))
