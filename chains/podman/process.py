"""Processes held by descriptor (pidfd_open(2)), so that no signal reaches a later one of the same number."""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress


class Process:
    """A process of the host. Raises OSError if it is already gone."""

    def __init__(self, pid: int) -> None:
        self._descriptor = os.pidfd_open(pid)
        self._pid = pid

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self.wait(0)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended, at most `seconds`. Return whether it has."""
        end = select.poll()
        end.register(self._descriptor, select.POLLIN)
        return bool(end.poll(None if seconds is None else seconds * 1000))

    def send(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._descriptor, number)

    def kill_group(self) -> None:
        """Kill it and its process group, unless it has ended or leads no process group."""
        with suppress(ProcessLookupError):
            if not self.ended and os.getpgid(self._pid) == self._pid:
                os.killpg(self._pid, signal.SIGKILL)

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)
