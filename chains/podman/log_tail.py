"""Log files of conmon, read while they grow (the k8s-file format of Kubernetes' CRI)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from chains.engine.port import Line
from vfs.ports.clock import stamp

CHUNK = 1 << 18
LONGEST = 64 << 10
"""Bytes after which a line without an end is split."""

NO_EXEC = "failed to exec pid1"
"""The message of catatonit, the init process of Podman's containers, when a command cannot be executed."""


class LogTail:
    """A reader of `<time> <stream> <F|P> <text>` records as they are appended; joins P(artial) ones to lines.

    `size` counts the bytes of the texts returned so far, line ends included. Not thread-safe.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self._rest = b""
        self._parts: dict[str, tuple[str, list[bytes]]] = {}
        self.size = 0

    def read(self) -> Iterator[Line]:
        """Yield the lines completed since the last call."""
        if self._file < 0 and not self._open():
            return
        while data := os.read(self._file, CHUNK):
            *records, self._rest = (self._rest + data).split(b"\n")
            for record in records:
                yield from self._take(record)

    def finish(self) -> Iterator[Line]:
        """Yield the rest once nothing more is appended, including a last line without an end."""
        yield from self.read()
        if self._rest:
            yield from self._take(self._rest)
        for stream in list(self._parts):
            yield self._line(stream)

    @property
    def replaced(self) -> bool:
        """Whether conmon began a new file because the old one has reached its maximum size."""
        try:
            return self._file >= 0 and os.stat(self._path).st_ino != os.fstat(self._file).st_ino
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """Close the file."""
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
        if b"\r" in fields[3]:
            texts[:] = [last_state(b"".join(texts))]
        if fields[2] == b"F" or sum(map(len, texts)) >= LONGEST:
            yield self._line(stream)

    def _line(self, stream: str) -> Line:
        time, texts = self._parts.pop(stream)
        text = last_state(b"".join(texts)).removesuffix(b"\r")
        self.size += len(text) + 1
        return Line(
            stamp(datetime.fromisoformat(time)), stream, text.decode(errors="replace").replace("\0", "\ufffd")
        )


def last_state(text: bytes) -> bytes:
    """Return the last of the texts that carriage returns overwrite in a line, as progress bars do.

    A carriage return at the end is kept, since more text may follow.
    """
    states = [state for state in text.split(b"\r") if state]
    end = b"\r" if text.endswith(b"\r") else b""
    return states[-1] + end if states else end


class LimitedLog:
    """A log whose lines are passed to `tell` until their texts exceed `limit` bytes.

    `executed` becomes false when the container's init reports that it cannot execute the command.
    """

    def __init__(self, path: Path, limit: int, tell: Callable[[Line], None]) -> None:
        self._tail = LogTail(path)
        self._limit = limit
        self._tell = tell
        self.executed = True

    def read(self) -> bool:
        """Pass on the lines since the last call. Return False if they exceed the limit."""
        return self._pass_on(self._tail.read())

    def finish(self) -> bool:
        """Pass on the rest once nothing more is appended. Return False if it exceeds the limit."""
        return self._pass_on(self._tail.finish())

    def close(self) -> None:
        """Close the file."""
        self._tail.close()

    def _pass_on(self, lines: Iterator[Line]) -> bool:
        for line in lines:
            if self._tail.size > self._limit:
                break
            self.executed &= not (line.text.startswith("ERROR (catatonit") and NO_EXEC in line.text)
            self._tell(line)
        return self._tail.size <= self._limit and not self._tail.replaced
