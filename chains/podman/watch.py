"""One container watched from the host without asking its engine:
its end, its lines, its limits, and the signals sent to it.
"""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from chains.engine.port import Cause, EngineError, Exit, Limits, Line
from chains.podman.cgroup import Cgroup, has_begun, heeds_term
from chains.podman.log_tail import LogTail
from chains.podman.mount_folders import measure

TICK = 0.02
MEASURED_EVERY = 1.0
EXIT_FILE_WITHIN = 5.0
TERM_HEEDED_WITHIN = 0.2
START_WITHIN = 2.0
KILLED = 128 + signal.SIGKILL
TOO_BIG = 128 + signal.SIGXFSZ
NOT_EXECUTABLE = 127
NO_EXEC = "failed to exec pid1"
"""What catatonit, the init process of Podman's containers, says when the step's command cannot be executed.
"""


@dataclass(frozen=True, slots=True)
class Traces:
    """Where a running container shows itself on the host:
    two process ids, its log file, the file conmon leaves its exit code in.
    """

    pid: int
    conmon: int
    log: Path
    exit_file: Path
    cgroup: Cgroup


class Watch:
    """A container from its initialisation to its end.

    Holds process descriptors (pidfd_open(2)), so a signal never reaches a process that was given the same
    number later. All methods may be called from several threads; `wait` once.
    """

    def __init__(self, traces: Traces, limits: Limits, output: Path) -> None:
        self._traces = traces
        self._limits = limits
        self._output = output
        self._lock = threading.Lock()
        self._process = os.pidfd_open(traces.pid)
        try:
            self._conmon = os.pidfd_open(traces.conmon)
        except OSError:
            os.close(self._process)
            raise
        self._users = 1
        self._keeper = threading.Thread(target=self._keep_code, name="code", daemon=True)
        self._started = 0.0
        self._kill_at: float | None = None
        self._cause: Cause | None = None
        self._not_executed = False
        self._code: int | None = None

    @property
    def begun(self) -> bool:
        """Whether the step's command runs, or has ended."""
        return self._ended() or has_begun(self._traces.pid)

    def start(self, begin: Callable[[], None]) -> None:
        """Call `begin`, which lets the step's command run, unless the step was stopped before."""
        with self._lock:
            self._users += 1
            self._keeper.start()
            if self._cause is None and not self._ended():
                try:
                    begin()
                except EngineError:
                    # The service may have died right after it did what it was asked.
                    if not self.begun:
                        raise
                self._started = time.monotonic()

    def stop(self, grace: float) -> None:
        """SIGTERM now, SIGKILL in `grace` seconds (by `wait`);
        SIGKILL at once when the command does not run yet, or its start hangs.
        """
        if not self._lock.acquire(timeout=START_WITHIN):
            self._cause = self._cause or Cause.STOPPED
            self._send(signal.SIGKILL)
            return
        try:
            if self._users and not self._ended():
                self._stop(grace)
        finally:
            self._lock.release()

    def _stop(self, grace: float) -> None:
        self._cause = self._cause or Cause.STOPPED
        if self._started:
            self._await_heed()
            self._send(signal.SIGTERM)
            due = time.monotonic() + grace
            self._kill_at = min(due, self._kill_at or due)
        if not self._started or grace <= 0:
            self._send(signal.SIGKILL)

    def kill(self, cause: Cause = Cause.STOPPED) -> None:
        """SIGKILL now; the first cause given is the one that `wait` answers."""
        with self._lock:
            if self._users and not self._ended():
                self._cause = self._cause or cause
                self._send(signal.SIGKILL)

    def wait(self, tell: Callable[[Line], None], last_resort: Callable[[], int | None]) -> Exit:
        """Tell every line and answer the end; `last_resort` is asked when conmon left no exit code."""
        with self._lock:
            self._users += 1
        tail = LogTail(self._traces.log)
        try:
            lost = self._follow(tail, tell)
            kills = self._traces.cgroup.memory_kills()
            code = None if lost else self._exit_code()
            if code is None and not lost:
                code = last_resort()
            self._tell(tail, tell, last=True)
            return self._verdict(code, kills)
        finally:
            tail.close()
            self.close()

    def await_code(self) -> None:
        """Return when the exit code of a step that was started is known, which a removal would hide."""
        if self._keeper.is_alive():
            self._keeper.join(EXIT_FILE_WITHIN)

    def close(self) -> None:
        """Let go of the process descriptors once `wait`, if it runs, is through."""
        with self._lock:
            if self._users == 0:
                return
            self._users -= 1
            if self._users == 0:
                os.close(self._process)
                os.close(self._conmon)

    def _follow(self, tail: LogTail, tell: Callable[[Line], None]) -> bool:
        """Watch until the process is gone;
        True when conmon went first, so that nobody can know the exit code.
        """
        processes = select.poll()
        processes.register(self._process, select.POLLIN)
        measured = time.monotonic()
        while not processes.poll(TICK * 1000):
            self._tell(tail, tell)
            now = time.monotonic()
            if now - measured >= MEASURED_EVERY:
                self._measure()
                measured = time.monotonic()
            self._enforce(now)
            if _readable(self._conmon) and not self._traces.exit_file.exists() and not self._ended():
                self.kill(Cause.LOST)
                processes.poll()
                return True
        return False

    def _enforce(self, now: float) -> None:
        if self._kill_at is not None and now >= self._kill_at:
            self.kill()
        if self._started and now - self._started >= self._limits.seconds:
            self.kill(Cause.TIME)

    def _measure(self) -> None:
        if measure(self._output, self._limits.output) > self._limits.output:
            self.kill(Cause.OUTPUT)

    def _tell(self, tail: LogTail, tell: Callable[[Line], None], last: bool = False) -> None:
        for line in tail.finish() if last else tail.read():
            if tail.size > self._limits.log:
                break
            self._not_executed |= line.text.startswith("ERROR (catatonit") and NO_EXEC in line.text
            tell(line)
        if tail.size > self._limits.log or tail.replaced:
            self._over_log()

    def _over_log(self) -> None:
        self.kill(Cause.LOG)
        self._cause = self._cause or Cause.LOG

    def _exit_code(self) -> int | None:
        """The number conmon left:
        it is there some milliseconds after the process is gone, unless Podman tidied up already.
        """
        until = time.monotonic() + EXIT_FILE_WITHIN
        while self._code is None:
            alive = not _readable(self._conmon)
            with suppress(FileNotFoundError):
                if text := self._traces.exit_file.read_text():
                    return int(text)
            if not alive or time.monotonic() > until:
                break
            time.sleep(0.0005)
        return self._code

    def _keep_code(self) -> None:
        """Remember the code as soon as it is there. Some milliseconds later it is removed, and a Podman whose
        service died while it started the step has forgotten it by then.
        """
        process = select.poll()
        process.register(self._process, select.POLLIN)
        process.poll()
        self._code = self._exit_code()
        self.close()

    def _verdict(self, code: int | None, kills: int | None) -> Exit:
        if code is None:
            if self._cause in (None, Cause.LOST):
                return Exit(KILLED, Cause.LOST, "the process that keeps the container (conmon) was lost")
            return Exit(KILLED, self._cause)
        if self._cause is not None:
            return Exit(code, self._cause)
        if code != 0 and (kills or (code == KILLED and kills is None)):
            return Exit(code, Cause.MEMORY)
        if code != 0 and self._not_executed:
            return Exit(NOT_EXECUTABLE)
        written = measure(self._output, self._limits.output + (1 << 30))
        if written > self._limits.output or code == TOO_BIG or self._filled(code, written):
            return Exit(code, Cause.OUTPUT)
        return Exit(code)

    def _filled(self, code: int, written: int) -> bool:
        """A program that ignores SIGXFSZ ends in its own way after a file has reached the greatest size."""
        return code != 0 and written >= self._limits.output

    def _await_heed(self) -> None:
        until = self._started + TERM_HEEDED_WITHIN
        while time.monotonic() < until and not heeds_term(self._traces.pid):
            time.sleep(0.001)

    def _send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process, number)

    def _ended(self) -> bool:
        return _readable(self._process)


def _readable(descriptor: int) -> bool:
    """Whether the process behind a process descriptor has ended."""
    process = select.poll()
    process.register(descriptor, select.POLLIN)
    return bool(process.poll(0))
