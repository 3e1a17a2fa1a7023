"""A confined process that renders one order after the other, until a limit is reached."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handlers.rendering.confinement import SHORTEST_DATA
from handlers.rendering.connection import BrokenMessage, read_message, write_parts
from handlers.rendering.port import (
    RendererBusy,
    RenderFailed,
    Rendering,
    RenderLate,
    RenderOrder,
    rendering_of,
)

STARTS_WITHIN = 60.0
PATIENCE = 30.0
ORDERS_EACH = 2000
"""A process is replaced after this number of orders, even if its memory use is low."""
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Number of processes, of waiting orders, seconds and bytes of memory for each render.

    An order waits at most `patience` seconds.
    """

    processes: int = 2
    waiting: int = 64
    seconds: float = 30.0
    memory: int = 1 << 30
    patience: float = PATIENCE


class RenderProcess:
    """One confined process; it also ends when this process ends, because its pipe is closed then."""

    def __init__(self, limits: PoolLimits) -> None:
        self._limits = limits
        watched, self._lifeline = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "handlers.rendering.worker", str(limits.memory), str(watched)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
                pass_fds=(watched,),
                start_new_session=True,
            )
        except OSError:
            os.close(self._lifeline)
            raise
        finally:
            os.close(watched)
        self._left = ORDERS_EACH
        self._most = max(SHORTEST_DATA, limits.memory) // 2
        self._used = time.monotonic()
        self._receive(STARTS_WITHIN)

    @property
    def spent(self) -> bool:
        """Whether the process has ended, or has reached its limit of orders or memory."""
        return self._left <= 0 or self._process.poll() is not None or self.resident > self._most

    @property
    def resident(self) -> int:
        """Bytes of memory that the process uses."""
        try:
            return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * PAGE
        except (OSError, IndexError):
            return 0

    @property
    def idle_seconds(self) -> float:
        """Seconds since the last order."""
        return time.monotonic() - self._used

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def render(self, order: RenderOrder) -> Rendering:
        """Render an order. Raises RenderFailed if the process broke, and RenderLate; it is spent then.

        Raises RendererBusy if the process had ended before.
        """
        self._left -= 1
        most = self._limits.seconds
        head, body = self._receive(most if order.seconds is None else min(most, order.seconds), order)
        self._used = time.monotonic()
        return rendering_of(head, body)

    def kill(self) -> None:
        """Kill the process; a thread that waits for its response gets an error."""
        self._process.kill()

    def end(self) -> None:
        """End the process now, and close its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        if self._lifeline >= 0:
            os.close(self._lifeline)
        self._lifeline, self._left = -1, 0

    def _receive(self, seconds: float, order: RenderOrder | None = None) -> tuple[dict[str, Any], bytes]:
        """Return the next message after `order` was sent. Raises RenderFailed, RendererBusy."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with self._deadline(seconds) as timer:
            try:
                if order is not None:
                    write_parts(stdin, order.message.encode())
            except OSError:
                self.end()
                raise RendererBusy("the renderer had ended: another one is started") from None
            try:
                return read_message(stdout)
            except BrokenMessage:
                late = not timer.is_alive()
                code = self._process.wait()
                self.end()
                if late:
                    raise RenderLate(f"it took longer than {self._limits.seconds:g} seconds") from None
                raise RenderFailed(_why(code)) from None

    @contextmanager
    def _deadline(self, seconds: float) -> Iterator[threading.Timer]:
        timer = threading.Timer(seconds, self.kill)
        timer.daemon = True
        timer.start()
        try:
            yield timer
        finally:
            timer.cancel()


def _why(code: int) -> str:
    return (
        f"the renderer was ended by signal {-code}: it needed too much memory, or broke"
        if code < 0
        else f"the renderer ended ({code})"
    )
