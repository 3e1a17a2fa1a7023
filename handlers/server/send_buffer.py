"""SendBuffer: bytes for a connection, stored until its client receives them."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from handlers.server.limits import BufferBudget, ReaderWaits

_SPAN = 1 << 19
# The most pieces that one flush sends, because others wait for the loop meanwhile.
_PIECES = 4


@dataclass(slots=True)
class FileSpan:
    """Bytes of an open file that are still to be sent; the span owns the file."""

    file: int
    offset: int
    left: int


class SendBuffer:
    """Bytes and parts of files for one client; used by the loop and by one thread at a time.

    A thread waits once more than `most` bytes are stored. `wake` makes the loop flush when the client can
    receive more. Once the buffer is closed, all that is put is dropped.
    """

    def __init__(
        self,
        wire: socket.socket,
        budget: BufferBudget,
        waits: ReaderWaits,
        most: int,
        wake: Callable[[], object],
    ) -> None:
        self._wire, self._budget, self._waits = wire, budget, waits
        self._most, self._wake = most, wake
        self._queue: deque[memoryview | FileSpan] = deque()
        self._room = threading.Condition()
        self._bytes = 0
        self._open = True
        self.moved = 0.0
        """When the client last received something; monotonic."""

    @property
    def is_empty(self) -> bool:
        """Whether the buffer is empty."""
        return not self._queue

    @property
    def size(self) -> int:
        """The stored bytes, without those of files."""
        return self._bytes

    @property
    def is_open(self) -> bool:
        """Whether anything may still be sent."""
        return self._open

    def put(self, data: bytes) -> None:
        """Send what the client receives now, store the rest. Raises BrokenPipeError once closed."""
        with self._room:
            self._require_open()
            sent = 0 if self._queue else self._send(data)
            if sent == len(data):
                return
            self._add(memoryview(data)[sent:], len(data) - sent)

    def put_patiently(self, data: bytes, patience: float) -> None:
        """Send as `put` does, in a thread that waits while the buffer is full.

        Raises TimeoutError if the client receives nothing for too long, BrokenPipeError if the wait is
        cancelled.
        """
        if self._is_full():
            with self._waits.wait(self.close), self._room:
                while self._open and self._is_full():
                    taken = self.moved
                    if not self._room.wait(patience) and self.moved == taken:
                        raise TimeoutError("the client takes nothing")
        self.put(data)

    def put_file(self, file: int, offset: int, length: int) -> None:
        """Send bytes of a file from an offset on; the file is duplicated, so the caller may close it."""
        span = FileSpan(os.dup(file), offset, length)
        with self._room:
            if not self._open:
                os.close(span.file)
            self._require_open()
            self._add(span, 0)

    def flush(self) -> bool:
        """Send some of the buffer; return whether it is empty. Raises OSError when the client is gone."""
        with self._room:
            for _ in range(_PIECES):
                if not self._queue:
                    break
                first = self._queue[0]
                sent = self._send_span(first) if isinstance(first, FileSpan) else self._send_view(first)
                if not sent:
                    break
            if self._bytes < self._most // 2:
                self._room.notify_all()
            return not self._queue

    def close(self) -> None:
        """Drop what was not sent, and wake waiting threads."""
        with self._room:
            self._open = False
            for one in self._queue:
                if isinstance(one, FileSpan):
                    os.close(one.file)
            self._queue.clear()
            self._budget.give_back(self._bytes)
            self._bytes = 0
            self._room.notify_all()

    def _is_full(self) -> bool:
        return self._bytes >= self._most or (self._bytes > 0 and self._budget.is_spent)

    def _require_open(self) -> None:
        if not self._open:
            raise BrokenPipeError("the connection is closed")

    def _add(self, one: memoryview | FileSpan, size: int) -> None:
        if not self._queue:
            self.moved = time.monotonic()
            self._wake()
        self._queue.append(one)
        self._bytes += size
        self._budget.take(size)

    def _send(self, data: bytes | memoryview) -> int:
        try:
            return self._wire.send(data)
        except BlockingIOError:
            return 0

    def _send_view(self, view: memoryview) -> int:
        sent = self._send(view)
        if sent:
            self._note(sent)
            self._bytes -= sent
            self._budget.give_back(sent)
            if sent == len(view):
                self._queue.popleft()
            else:
                self._queue[0] = view[sent:]
        return sent

    def _send_span(self, span: FileSpan) -> int:
        try:
            sent = os.sendfile(self._wire.fileno(), span.file, span.offset, min(span.left, _SPAN))
        except BlockingIOError:
            return 0
        if not sent:
            raise BrokenPipeError("the file ends too soon")
        self._note(sent)
        span.offset += sent
        span.left -= sent
        if not span.left:
            os.close(span.file)
            self._queue.popleft()
        return sent

    def _note(self, sent: int) -> None:
        self.moved = time.monotonic()
