"""Thread pool of a web worker in the leader/followers pattern: one thread serves, another takes over."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from gunicorn.workers.gthread import PollableMethodQueue

# For how long the leader may be at one job before another thread leads.
LEAD_SECONDS = 0.002
# After how many jobs the end of the first is reported at the latest.
MOST_UNREPORTED = 16


class Job:
    """A call with its callback `done`; then its outcome, with the methods that gunicorn asks of a future.

    `done` returns whether the report of this job may wait for that of another.
    """

    __slots__ = ("_args", "_call", "_done", "_error", "_value")

    def __init__(
        self, call: Callable[..., object], done: Callable[[Job], object], args: tuple[object, ...]
    ) -> None:
        self._call, self._done, self._args = call, done, args
        self._value: object = None
        self._error: BaseException | None = None

    def run(self) -> bool:
        """Make the call, then the callback; what the callback returned."""
        try:
            self._value = self._call(*self._args)
        except BaseException as error:  # raised again where the result is asked for
            self._error = error
        return bool(self._done(self))

    def is_cancelled(self) -> bool:
        """Never: each job that was submitted is run."""
        return False

    cancelled = is_cancelled  # the name that gunicorn asks a future by

    def result(self) -> object:
        """The value that the call returned. Raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._value


class _PoolThread:
    """A thread of the pool: `began` its last job at, rests at its `gate`, has its `number` once it runs."""

    __slots__ = ("began", "gate", "number")

    def __init__(self) -> None:
        self.gate = threading.Lock()
        self.gate.acquire()
        self.began = 0.0
        self.number = 0


class LeaderFollowers:
    """A pool of at most `most` threads, of which one at a time, the leader, takes jobs.

    Threads that run at once take the interpreter from each other at each system call, which costs more than a
    short request. So the leader does job after job and wakes nobody in between; only when it is at one for
    longer than LEAD_SECONDS the watcher lets another lead, so that no job waits behind one that waits.

                 promoted, as jobs wait                too long at a job, or `step_aside`
        resting ------------------------> leading ---------------------------------------> deposed
           ^                               |   ^                                              |
           |        no job waits           |   |      done, a job waits and nobody leads      |
           +-------------------------------+   +----------------------------------------------+
           +----------------------------------------------------------------------------------+
                                           done, otherwise

    `report` is called when jobs are done: at once when no other job waits, else a few jobs later.
    """

    def __init__(self, most: int, report: Callable[[], object]) -> None:
        self._most = most
        self._report = report
        self._unreported = 0
        self._lock = threading.Lock()
        self._jobs: deque[Job] = deque()
        self._resting: list[_PoolThread] = []
        self._leader: _PoolThread | None = None
        self._threads = 0
        self._waiting = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="watcher", daemon=True)
        self._open = True

    def submit(self, call: Callable[..., object], done: Callable[[Job], object], *args: object) -> None:
        """Have `call` called with `args` in some thread, and then `done` with the job; soon after `start`."""
        with self._lock:
            self._jobs.append(Job(call, done, args))
            if self._leader is not None:
                self._keep_watch()

    def start(self) -> None:
        """Promote a leader for the jobs that wait, when there is none.

        Best called by the submitter just before it waits itself, as it would only contend with that thread.
        """
        with self._lock:
            if self._jobs and self._leader is None:
                self._promote()

    @contextmanager
    def step_aside(self) -> Iterator[None]:
        """In a job: wait for something while another thread may lead; lead again if none did."""
        with self._lock:
            me = self._leader
            if me is not None and me.number == threading.get_ident():
                self._leader = None
                if self._jobs:
                    self._promote()
            else:
                me = None
        yield
        with self._lock:
            if me is not None and self._leader is None:
                self._leader = me
                me.began = time.monotonic()

    def shutdown(self, wait: bool = False) -> None:
        """Let each thread end once it has nothing to do. Nobody is waited for: gunicorn has done so."""
        with self._lock:
            self._open = False
            while self._resting:
                self._resting.pop().gate.release()
        self._waiting.set()

    def _promote(self) -> None:
        """Let a thread lead that rests, the last first, or a new one; none when all are at a job."""
        if self._resting:
            thread = self._resting.pop()
        elif self._threads < self._most:
            self._threads += 1
            thread = _PoolThread()
            threading.Thread(target=self._serve, args=(thread,), name="request", daemon=True).start()
        else:
            return
        self._leader = thread
        thread.began = time.monotonic()
        thread.gate.release()

    def _serve(self, me: _PoolThread) -> None:
        me.number = threading.get_ident()
        while True:
            me.gate.acquire()
            job = self._next(me, unreported=0)
            while job is not None:
                quiet = job.run()
                job = self._next(me, unreported=0 if quiet else 1)
            if not self._open:
                return

    def _next(self, me: _PoolThread, unreported: int) -> Job | None:
        """The next job for a thread that did so many to be reported; None when it is to rest."""
        with self._lock:
            job = self._take(me)
            self._unreported += unreported
            report = self._unreported > 0 and (job is None or self._unreported >= MOST_UNREPORTED)
            if report:
                self._unreported = 0
            elif self._unreported:
                self._keep_watch()
        if report:
            self._report()
        return job

    def _take(self, me: _PoolThread) -> Job | None:
        """A job, when the thread leads or nobody does; else it rests."""
        mine = self._leader is me or self._leader is None
        if mine and self._jobs:
            self._leader = me
            me.began = time.monotonic()
            return self._jobs.popleft()
        if mine:
            self._leader = None
        self._resting.append(me)
        return None

    def _keep_watch(self) -> None:
        """Have the watcher look after what waits behind a job."""
        if not self._waiting.is_set():
            self._waiting.set()
            if self._watcher.ident is None:
                self._watcher.start()

    def _watch(self) -> None:
        """While something waits, depose a leader that is at one job for too long."""
        while self._open:
            self._waiting.wait()
            time.sleep(LEAD_SECONDS)
            with self._lock:
                if not self._jobs and not self._unreported:
                    self._waiting.clear()
                elif self._leader is None or self._leader.began < time.monotonic() - LEAD_SECONDS:
                    self._depose()

    def _depose(self) -> None:
        self._leader = None
        if self._jobs:
            self._promote()
        if self._unreported:
            self._unreported = 0
            self._report()


class LoopCalls(PollableMethodQueue):  # type: ignore[misc]
    """Queue of calls from the threads to the worker's loop, which is woken for several at once."""

    def later(self, call: Callable[..., object], *args: Any) -> None:
        """Have the loop call this when it is woken."""
        self._queue.put(partial(call, *args))

    def wake(self) -> None:
        """Wake the loop."""
        # A pipe that is full wakes it just as well.
        with suppress(OSError):
            os.write(self._write_fd, b"\0")

    def run_callbacks(self, _fileobj: Any, max_callbacks: int = 50) -> None:
        """Make the calls that the loop was woken for, and all others."""
        with suppress(OSError):
            os.read(self._read_fd, max_callbacks)
        self.drain()

    def drain(self) -> None:
        """Make all calls that wait, whether or not the loop was woken for them."""
        with suppress(queue.Empty):
            while True:
                self._queue.get_nowait()()
