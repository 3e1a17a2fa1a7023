"""The watch on a container from the host, without its engine: its lines, limits, end and signals."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from chains.engine.port import Cause, EngineError, Exit, Limits, Line, Mount
from chains.podman.cgroup import Cgroup, handles_term, has_begun
from chains.podman.log_tail import LimitedLog
from chains.podman.mount_folders import LimitCheck


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
        """Return the code, which is written some milliseconds after the end, or None if Podman removed it."""
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


TICK = 0.02
TERM_HEEDED_WITHIN = 0.2
START_WITHIN = 2.0


@dataclass(frozen=True, slots=True)
class Traces:
    """The process ids, files and control groups of a container on the host.

    `conmon`: the process id of its conmon, which writes the exit code to `exit_file`.
    """

    pid: int
    conmon: int
    log: Path
    exit_file: Path
    cgroup: Cgroup


class Watch:
    """A container from its initialisation to its end.

    All methods may be called from several threads; `wait` only once.
    """

    def __init__(self, traces: Traces, limits: Limits, output: Path, mounts: Sequence[Mount] = ()) -> None:
        self._traces = traces
        self._log_limit = limits.log
        self._limits = LimitCheck(limits, output, mounts)
        self._exceeded = ""
        self._lock = threading.Lock()
        self._process = Process(traces.pid)
        try:
            self._conmon = Process(traces.conmon)
        except OSError:
            self._process.close()
            raise
        self._code = ExitCode(traces.exit_file, self._process, self._conmon)
        self._keeper = threading.Thread(target=self._keep_code, name="code", daemon=True)
        self._users = 1
        self._started = 0.0
        self._kill_at: float | None = None
        self._cause: Cause | None = None

    @property
    def begun(self) -> bool:
        """Whether the step's command runs, or has ended."""
        return self._process.ended or has_begun(self._traces.pid)

    def start(self, begin: Callable[[], None]) -> None:
        """Call `begin`, which lets the step's command run, unless the step was stopped before."""
        with self._lock:
            self._keep_watch()
            if self._cause is None and not self._process.ended:
                try:
                    begin()
                except EngineError:
                    # The service may have died right after it carried out the request.
                    if not self.begun:
                        raise
                self._started = time.monotonic()

    def stop(self, grace: float) -> None:
        """Send SIGTERM now, and SIGKILL after `grace` seconds (by `wait`).

        Send SIGKILL at once if the command does not run yet, or if its start hangs.
        """
        if not self._lock.acquire(timeout=START_WITHIN):
            self._cause = self._cause or Cause.STOPPED
            self._process.send(signal.SIGKILL)
            return
        try:
            if self._users and not self._process.ended:
                self._stop(grace)
        finally:
            self._lock.release()

    def kill(self, cause: Cause = Cause.STOPPED) -> None:
        """Send SIGKILL now. `wait` returns the first cause that was given."""
        with self._lock:
            if self._users and not self._process.ended:
                self._cause = self._cause or cause
                self._process.send(signal.SIGKILL)

    def wait(self, tell: Callable[[Line], None], last_resort: Callable[[], int | None]) -> Exit:
        """Call `tell` for every line and return the exit. Call `last_resort` if conmon wrote no exit code."""
        with self._lock:
            self._users += 1
        log = LimitedLog(self._traces.log, self._log_limit, tell)
        try:
            lost = self._follow(log)
            kills = self._traces.cgroup.memory_kills()
            code = None if lost else self._code.read()
            if code is None and not lost:
                code = last_resort()
            if not log.finish():
                self._exceed_log()
            return explain_exit(code, self._cause, kills, log.executed, self._limits, self._exceeded)
        finally:
            log.close()
            self.close()

    def await_code(self) -> None:
        """Wait until the exit code is known: an earlier removal would lose it and leave conmon running."""
        with self._lock:
            if self._users:
                self._keep_watch()
        if self._keeper.is_alive():
            self._keeper.join(WITHIN)

    def dismiss(self) -> None:
        """End conmon at once, before it runs Podman's cleanup for a container that was removed."""
        with self._lock:
            if self._users:
                # A child process of conmon waits until the cleanup is due.
                self._conmon.kill_group()

    def close(self) -> None:
        """Release the processes, after `wait` if it runs."""
        with self._lock:
            if self._users == 0:
                return
            self._users -= 1
            if self._users == 0:
                self._process.close()
                self._conmon.close()

    def _follow(self, log: LimitedLog) -> bool:
        """Watch until the process is gone. Return whether its exit code is lost."""
        while not self._process.wait(TICK):
            if not log.read():
                self._exceed_log()
            if excess := self._limits.find_excess(self._started):
                self._exceeded = excess.place if self._cause is None else self._exceeded
                self.kill(excess.cause)
            if self._kill_at is not None and time.monotonic() >= self._kill_at:
                self.kill()
            if self._code.is_lost:
                self.kill(Cause.LOST)
                self._process.wait()
                return True
        return False

    def _exceed_log(self) -> None:
        self.kill(Cause.LOG)
        self._cause = self._cause or Cause.LOG

    def _stop(self, grace: float) -> None:
        self._cause = self._cause or Cause.STOPPED
        if self._started:
            self._await_handler()
            self._process.send(signal.SIGTERM)
            due = time.monotonic() + grace
            self._kill_at = min(due, self._kill_at or due)
        if not self._started or grace <= 0:
            self._process.send(signal.SIGKILL)

    def _await_handler(self) -> None:
        until = self._started + TERM_HEEDED_WITHIN
        while time.monotonic() < until and not handles_term(self._traces.pid):
            time.sleep(0.001)

    def _keep_watch(self) -> None:
        if self._keeper.ident is None:
            self._users += 1
            self._keeper.start()

    def _keep_code(self) -> None:
        self._code.keep()
        self.close()
