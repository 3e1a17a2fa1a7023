"""The threads of a web worker: one serves while it gets on, another takes over when it has to wait."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# For how long a thread may be at one job before another one takes the next.
PATIENCE_SECONDS = 0.002
# After how many jobs the end of the first is told at the latest.
MOST_UNTOLD = 16


class Job:
    """Something to do and whom to tell of it; then what came of it, as gunicorn asks a future for it.

    `done` answers whether this may wait until there is something else to tell of.
    """

    __slots__ = ("_args", "_call", "_done", "_error", "_value")

    def __init__(self, call: Callable[..., object], done: Callable[[Job], object], args: Any) -> None:
        self._call, self._done, self._args = call, done, args
        self._value: object = None
        self._error: BaseException | None = None

    def run(self) -> bool:
        """Do it, and tell whoever asked for it; whether that one need not look at it soon."""
        try:
            self._value = self._call(*self._args)
        except BaseException as error:  # raised again where the result is asked for
            self._error = error
        return bool(self._done(self))

    def cancelled(self) -> bool:
        """Nothing that was taken is dropped."""
        return False

    def result(self) -> object:
        """What came of it. Raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._value


class _Thread:
    """A thread: `began` when it took its last job, `gate` where it rests, its `number` once it runs."""

    __slots__ = ("began", "gate", "number")

    def __init__(self) -> None:
        self.gate = threading.Lock()
        self.gate.acquire()
        self.began = 0.0
        self.number = 0


class Threads:
    """A pool of at most `most` threads, of which one has the turn to take jobs. `tell` is called when some
    are done: at once when no other job waits, else a few jobs later.

    Threads that run at once take the interpreter from each other at each system call, which costs more than
    a short request. So the one that has the turn does job after job, and wakes nobody in between; when it is
    at one for longer than PATIENCE_SECONDS the turn goes to another, and nobody waits behind a request that
    waits.
    """

    def __init__(self, most: int, tell: Callable[[], object]) -> None:
        self._most = most
        self._tell = tell
        self._untold = 0
        self._lock = threading.Lock()
        self._jobs: deque[Job] = deque()
        self._resting: list[_Thread] = []
        self._turn: _Thread | None = None
        self._threads = 0
        self._waiting = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="turns", daemon=True)
        self._open = True

    def submit(self, call: Callable[..., object], done: Callable[[Job], object], *args: Any) -> None:
        """Have `call` called with `args` in some thread, and then `done` with the job; soon after `start`."""
        with self._lock:
            self._jobs.append(Job(call, done, args))
            if self._turn is not None:
                self._look_after()

    def start(self) -> None:
        """Wake a thread for the jobs that wait, when none is at them: best called by whoever submitted them
        just before it waits itself, as it would only contend with that thread.
        """
        with self._lock:
            if self._jobs and self._turn is None:
                self._give_turn()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """In a job: wait for something while the turn is another's to take; it comes back if nobody did."""
        with self._lock:
            me = self._turn
            if me is not None and me.number == threading.get_ident():
                self._turn = None
                if self._jobs:
                    self._give_turn()
            else:
                me = None
        yield
        with self._lock:
            if me is not None and self._turn is None:
                self._turn = me
                me.began = time.monotonic()

    def shutdown(self, wait: bool = False) -> None:
        """Let each thread end once it has nothing to do. Nobody is waited for: gunicorn has done so."""
        with self._lock:
            self._open = False
            while self._resting:
                self._resting.pop().gate.release()
        self._waiting.set()

    def _give_turn(self) -> None:
        """Give the turn to a thread that rests, the last first, or to a new one; all may be at something."""
        if self._resting:
            thread = self._resting.pop()
        elif self._threads < self._most:
            self._threads += 1
            thread = _Thread()
            threading.Thread(target=self._serve, args=(thread,), name="request", daemon=True).start()
        else:
            return
        self._turn = thread
        thread.began = time.monotonic()
        thread.gate.release()

    def _serve(self, me: _Thread) -> None:
        me.number = threading.get_ident()
        while True:
            me.gate.acquire()
            job = self._next(me, untold=0)
            while job is not None:
                quiet = job.run()
                job = self._next(me, untold=0 if quiet else 1)
            if not self._open:
                return

    def _next(self, me: _Thread, untold: int) -> Job | None:
        """The next job for a thread that did so many to be told of; None when it is to rest."""
        with self._lock:
            job = self._take(me)
            self._untold += untold
            tell = self._untold > 0 and (job is None or self._untold >= MOST_UNTOLD)
            if tell:
                self._untold = 0
            elif self._untold:
                self._look_after()
        if tell:
            self._tell()
        return job

    def _take(self, me: _Thread) -> Job | None:
        """A job, when the thread has the turn or nobody has it."""
        mine = self._turn is me or self._turn is None
        if mine and self._jobs:
            self._turn = me
            me.began = time.monotonic()
            return self._jobs.popleft()
        if mine:
            self._turn = None
        self._resting.append(me)
        return None

    def _look_after(self) -> None:
        """See to it that what waits behind a job does not wait for long."""
        if not self._waiting.is_set():
            self._waiting.set()
            if self._watcher.ident is None:
                self._watcher.start()

    def _watch(self) -> None:
        """While something waits, take the turn from whoever is at a job for too long."""
        while self._open:
            self._waiting.wait()
            time.sleep(PATIENCE_SECONDS)
            with self._lock:
                if not self._jobs and not self._untold:
                    self._waiting.clear()
                elif self._turn is None or self._turn.began < time.monotonic() - PATIENCE_SECONDS:
                    self._pass_turn()

    def _pass_turn(self) -> None:
        self._turn = None
        if self._jobs:
            self._give_turn()
        if self._untold:
            self._untold = 0
            self._tell()
