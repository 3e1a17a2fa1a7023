"""Exit codes of containers, as written by conmon, and the causes derived from them."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from pathlib import Path

from chains.engine.port import Cause, Exit
from chains.podman.limit_check import LimitCheck
from chains.podman.process import Process

WITHIN = 5.0
KILLED = 128 + signal.SIGKILL
TOO_BIG = 128 + signal.SIGXFSZ
NOT_EXECUTABLE = 127


class ExitCode:
    """The exit code of the container's process, from the file that its `conmon` writes."""

    def __init__(self, file: Path, process: Process, conmon: Process) -> None:
        self._file = file
        self._process = process
        self._conmon = conmon
        self._kept: int | None = None

    @property
    def is_lost(self) -> bool:
        """Whether conmon ended before the process, so that the code cannot be known."""
        return self._conmon.ended and not self._file.exists() and not self._process.ended

    def read(self) -> int | None:
        """Return the code, written some milliseconds after the end. None if Podman has removed it unread."""
        until = time.monotonic() + WITHIN
        while self._kept is None:
            alive = not self._conmon.ended
            with suppress(FileNotFoundError):
                if text := self._file.read_text():
                    return int(text)
            if not alive or time.monotonic() > until:
                break
            time.sleep(0.0005)
        return self._kept

    def keep(self) -> None:
        """Wait for the code and remember it.

        The file is removed with the container or by Podman's own cleanup. A Podman whose service died while
        it started the step does not know the code.
        """
        self._process.wait()
        self._kept = self.read()


def explain_exit(
    code: int | None, cause: Cause | None, kills: int | None, executed: bool, limits: LimitCheck,
    place: str = "",
) -> Exit:  # fmt: skip
    """Return the exit of a container from its code, the cause of our signals, and out-of-memory kills.

    `place` is the folder that caused it, if any.
    """
    if code is None:
        if cause in (None, Cause.LOST):
            return Exit(KILLED, Cause.LOST, "the process that keeps the container (conmon) was lost")
        return Exit(KILLED, cause, place)
    if cause is not None:
        return Exit(code, cause, place)
    if code != 0 and (kills or (code == KILLED and kills is None)):
        return Exit(code, Cause.MEMORY)
    if code != 0 and not executed:
        return Exit(NOT_EXECUTABLE)
    if (spent := limits.find_spent(failed=code != 0)) is not None:
        return Exit(code, spent.cause, spent.place)
    return Exit(code, Cause.OUTPUT) if code == TOO_BIG else Exit(code)
