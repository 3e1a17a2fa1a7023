"""Watch a container from the host, without its engine: its lines, limits, end and signals."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chains.engine.port import Cause, EngineError, Exit, Limits, Line, Mount
from chains.podman.cgroup import Cgroup, has_begun, heeds_term
from chains.podman.exit_code import WITHIN, ExitCode, explain_exit
from chains.podman.limit_check import LimitCheck
from chains.podman.log_tail import LimitedLog
from chains.podman.process import Process

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
            self._await_heed()
            self._process.send(signal.SIGTERM)
            due = time.monotonic() + grace
            self._kill_at = min(due, self._kill_at or due)
        if not self._started or grace <= 0:
            self._process.send(signal.SIGKILL)

    def _await_heed(self) -> None:
        until = self._started + TERM_HEEDED_WITHIN
        while time.monotonic() < until and not heeds_term(self._traces.pid):
            time.sleep(0.001)

    def _keep_watch(self) -> None:
        if self._keeper.ident is None:
            self._users += 1
            self._keeper.start()

    def _keep_code(self) -> None:
        self._code.keep()
        self.close()
