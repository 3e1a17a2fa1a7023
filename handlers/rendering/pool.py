"""Pool of confined processes that render; one that reaches a limit is ended and replaced."""

from __future__ import annotations

import logging
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from handlers.rendering.frames import BrokenMessage, read_message, write_message
from handlers.rendering.port import RendererBusy, RenderFailed, Rendering, RenderOrder

STARTS_WITHIN = 60.0
ORDERS_EACH = 500
"""A process is replaced after so many, whatever its libraries have kept by then."""

log = logging.getLogger("curlew")


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Number of processes, orders that may wait for one, seconds and bytes of memory for each render."""

    processes: int = 2
    waiting: int = 64
    seconds: float = 30.0
    memory: int = 1 << 30


class RenderProcess:
    """One confined process."""

    def __init__(self, limits: PoolLimits) -> None:
        self._limits = limits
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "handlers.rendering.worker", str(limits.memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
            start_new_session=True,
        )
        self._left = ORDERS_EACH
        self._await(STARTS_WITHIN)

    @property
    def spent(self) -> bool:
        """True when the process has ended or has rendered as much as one may."""
        return self._left <= 0 or self._process.poll() is not None

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def render(self, order: RenderOrder) -> Rendering:
        """Make what is ordered. Raises RenderFailed; the process is spent when it broke or took too long."""
        self._left -= 1
        stdin = self._process.stdin
        assert stdin is not None
        try:
            write_message(stdin, order.fields)
        except OSError:
            self.end()
            raise RenderFailed("the renderer had ended") from None
        head, body = self._await(self._limits.seconds)
        if "failed" in head:
            raise RenderFailed(str(head["failed"]))
        return Rendering(body, str(head["media"]), tuple(str(note) for note in head["notes"]))

    def end(self) -> None:
        """End the process now."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._left = 0

    def _await(self, seconds: float) -> tuple[dict[str, Any], bytes]:
        """The next message. Raises RenderFailed when it does not come in time, or the process breaks."""
        timer = threading.Timer(seconds, self._process.kill)
        timer.daemon = True
        timer.start()
        stdout = self._process.stdout
        assert stdout is not None
        try:
            return read_message(stdout)
        except BrokenMessage:
            late = not timer.is_alive()
            code = self._process.wait()
            self.end()
            why = f"it took longer than {seconds:g} seconds" if late else _why(code)
            raise RenderFailed(why) from None
        finally:
            timer.cancel()


def _why(code: int) -> str:
    return (
        f"the renderer was ended by signal {-code}: it needed too much memory, or broke"
        if code < 0
        else f"the renderer ended ({code})"
    )


@dataclass
class RenderPool:
    """Processes that are started when they are first needed and kept; orders beyond `waiting` are refused."""

    limits: PoolLimits = field(default_factory=PoolLimits)
    _free: queue.LifoQueue[RenderProcess | None] = field(init=False)
    _seats: threading.BoundedSemaphore = field(init=False)

    def __post_init__(self) -> None:
        self._free = queue.LifoQueue()
        for _ in range(self.limits.processes):
            self._free.put(None)
        self._seats = threading.BoundedSemaphore(self.limits.processes + self.limits.waiting)

    def render(self, order: RenderOrder) -> Rendering:
        """Make what is ordered by the next free process. Raises RenderFailed, RendererBusy."""
        if not self._seats.acquire(blocking=False):
            raise RendererBusy("as many renders wait as may wait")
        try:
            with self._process() as process:
                return process.render(order)
        finally:
            self._seats.release()

    @contextmanager
    def _process(self) -> Iterator[RenderProcess]:
        """A process for one order; one that is spent is ended, and another started with the next order."""
        process = self._free.get()
        try:
            if process is not None and process.spent:
                process.end()
                process = None
            process = process or RenderProcess(self.limits)
            yield process
        finally:
            if process is not None and process.spent:
                process.end()
                process = None
            self._free.put(process)

    def start(self) -> None:
        """Start every process, so that no order waits for one."""
        for process in [self._free.get() for _ in range(self.limits.processes)]:
            self._free.put(process or RenderProcess(self.limits))

    def close(self) -> None:
        """End all processes."""
        for _ in range(self.limits.processes):
            process = self._free.get()
            if process is not None:
                process.end()
