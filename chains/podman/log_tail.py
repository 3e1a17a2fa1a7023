"""The log file that conmon writes for a container,
read along while it grows (the k8s-file form of Kubernetes' CRI).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from chains.engine.port import Line
from vfs.ports.world import stamp

CHUNK = 1 << 18
LONGEST = 64 << 10
"""Bytes after which an endless line is told in pieces."""


class LogTail:
    """Reads `<time> <stream> <F|P> <text>` lines as they are appended; a text in several P(artial) records is
    put together again.

    `size` is what the texts told so far weigh, line ends included. Not for several threads.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self._rest = b""
        self._parts: dict[str, tuple[str, list[bytes]]] = {}
        self.size = 0

    def read(self) -> Iterator[Line]:
        """The lines that are complete since the last time."""
        if self._file < 0 and not self._open():
            return
        while data := os.read(self._file, CHUNK):
            *records, self._rest = (self._rest + data).split(b"\n")
            for record in records:
                yield from self._take(record)

    def finish(self) -> Iterator[Line]:
        """What is left when nothing will be appended any more, a last line without its end included."""
        yield from self.read()
        if self._rest:
            yield from self._take(self._rest)
        for stream in list(self._parts):
            yield self._line(stream)

    @property
    def replaced(self) -> bool:
        """Whether conmon began a new file, which it does when the old one has its greatest size."""
        try:
            return self._file >= 0 and os.stat(self._path).st_ino != os.fstat(self._file).st_ino
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _open(self) -> bool:
        try:
            self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return False
        return True

    def _take(self, record: bytes) -> Iterator[Line]:
        fields = record.split(b" ", 3)
        if len(fields) < 4:
            return
        time, stream = fields[0].decode(), fields[1].decode()
        _, texts = self._parts.setdefault(stream, (time, []))
        texts.append(fields[3])
        if fields[2] == b"F" or sum(map(len, texts)) >= LONGEST:
            yield self._line(stream)

    def _line(self, stream: str) -> Line:
        time, texts = self._parts.pop(stream)
        text = b"".join(texts)
        self.size += len(text) + 1
        return Line(
            stamp(datetime.fromisoformat(time)), stream, text.decode(errors="replace").replace("\0", "\ufffd")
        )
