"""LineBatches: lines of steps, gathered for a moment so that a talkative step sends few letters."""

from __future__ import annotations

import threading
from collections.abc import Callable

from chains.engine.port import Line

MOST_BYTES = 64 << 10
PAUSE = 0.05

Send = Callable[[tuple[Line, ...]], object]


class StepLineBatch:
    """Lines of one step on their way. `add` and `flush` keep their order, from whichever thread."""

    def __init__(self, send: Send, dirty: Callable[[StepLineBatch], object]) -> None:
        self._send = send
        self._dirty = dirty
        self._lock = threading.Lock()
        self._lines: list[Line] = []
        self._size = 0

    def add(self, line: Line) -> None:
        """Have a line sent soon: at once when much has gathered."""
        with self._lock:
            self._lines.append(line)
            self._size += len(line.text)
            is_first, is_full = len(self._lines) == 1, self._size >= MOST_BYTES
            if is_full:
                self._send_all()
        if is_first and not is_full:
            self._dirty(self)

    def flush(self) -> None:
        """Send what has gathered."""
        with self._lock:
            self._send_all()

    def _send_all(self) -> None:
        if self._lines:
            lines, self._lines, self._size = tuple(self._lines), [], 0
            self._send(lines)


class LineFlusher:
    """A thread that flushes batches a moment after their first line."""

    def __init__(self, pause: float = PAUSE) -> None:
        self._pause = pause
        self._lock = threading.Lock()
        self._waiting: set[StepLineBatch] = set()
        self._some = threading.Event()
        self._over = threading.Event()
        threading.Thread(target=self._run, name="line flusher", daemon=True).start()

    def batch(self, send: Send) -> StepLineBatch:
        """A batch for the lines of one step, which `send` takes."""
        return StepLineBatch(send, self._note)

    def close(self) -> None:
        """End the thread."""
        self._over.set()
        self._some.set()

    def _note(self, batch: StepLineBatch) -> None:
        with self._lock:
            self._waiting.add(batch)
        self._some.set()

    def _run(self) -> None:
        while not self._over.is_set():
            self._some.wait()
            self._over.wait(self._pause)
            self._some.clear()
            with self._lock:
                batches, self._waiting = self._waiting, set()
            for batch in batches:
                batch.flush()
