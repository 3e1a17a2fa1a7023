"""FairPool: threads for what may wait, shared in turns between addresses and the accounts behind them."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Generic, TypeVar

from handlers.server.application import Claimant

log = logging.getLogger("curlew")

Job = Callable[[], object]
JobT = TypeVar("JobT")

QUICK = 8
SLOW = 0.01
"""Seconds after which a thread is taken to wait for something rather than to compute."""


class ClaimantQueue(Generic[JobT]):
    """Jobs that wait: addresses take turns, and the credentials of an address among themselves.

    A credential that is shown proves nothing yet, so made-up credentials share the turns of one address.
    """

    def __init__(self) -> None:
        self._turns: OrderedDict[str, OrderedDict[str, deque[JobT]]] = OrderedDict()
        self._number = 0

    def __len__(self) -> int:
        return self._number

    def put(self, claimant: Claimant, job: JobT) -> None:
        """Add a job behind those of its claimant."""
        accounts = self._turns.setdefault(claimant.address, OrderedDict())
        accounts.setdefault(claimant.credential, deque()).append(job)
        self._number += 1

    def count_of(self, claimant: Claimant) -> int:
        """The jobs of one claimant."""
        accounts = self._turns.get(claimant.address)
        jobs = accounts.get(claimant.credential) if accounts is not None else None
        return len(jobs) if jobs is not None else 0

    def take(self) -> JobT:
        """Remove the job whose turn it is; there must be one."""
        self._number -= 1
        address, accounts = self._turns.popitem(last=False)
        credential, jobs = accounts.popitem(last=False)
        job = jobs.popleft()
        if jobs:
            accounts[credential] = jobs
        if accounts:
            self._turns[address] = accounts
        return job


class _IdleThread:
    """A thread that waits until it is given a job, or none to end."""

    __slots__ = ("job", "wake_up")

    def __init__(self) -> None:
        self.wake_up = threading.Lock()
        self.wake_up.acquire()
        self.job: Job | None = None

    def take(self) -> Job | None:
        """The job that was given; it is kept no longer."""
        job, self.job = self.job, None
        return job


class FairPool:
    """At most `most` threads; they start as they are needed, and the last that rested works first.

    Threads that compute share one interpreter lock: many at once are slower than a few. A job gets a thread
    while fewer than QUICK are at work. A thread whose job takes longer than SLOW no longer counts, because
    it waits for something (a run, a body, a disk); `relieve` then hands out the jobs that wait.
    """

    def __init__(self, most: int, slow: float = SLOW) -> None:
        self._most, self._slow = most, slow
        # Guards all that follows.
        self._lock = threading.Lock()
        self._queue: ClaimantQueue[Job] = ClaimantQueue()
        self._idle: list[_IdleThread] = []
        # When threads began their jobs, the first first, without those that are known to take long.
        self._begun: dict[_IdleThread, float] = {}
        self._number = 0
        self._open = True

    @property
    def has_waiting(self) -> bool:
        """Whether jobs wait for a thread."""
        return bool(self._queue)

    def count(self) -> tuple[int, int]:
        """The threads that have something to do, and the jobs that wait for one."""
        with self._lock:
            return self._number - len(self._idle), len(self._queue)

    def waiting_of(self, claimant: Claimant) -> int:
        """The jobs of one claimant that wait for a thread."""
        with self._lock:
            return self._queue.count_of(claimant)

    def submit(self, claimant: Claimant, job: Job) -> None:
        """Have a job done in some thread."""
        with self._lock:
            self._queue.put(claimant, job)
            self._hand_out()

    def relieve(self) -> None:
        """Hand out jobs that wait while all threads at work take long; call it every SLOW seconds."""
        with self._lock:
            self._hand_out()

    def close(self) -> None:
        """Let each thread end once it has nothing to do; nobody is waited for."""
        with self._lock:
            self._open = False
            while self._idle:
                self._idle.pop().wake_up.release()

    def _hand_out(self) -> None:
        """Give jobs that wait to threads, as long as few are at work."""
        now = time.monotonic()
        while self._begun and now - next(iter(self._begun.values())) > self._slow:
            del self._begun[next(iter(self._begun))]
        while self._queue and len(self._begun) < QUICK:
            idle = self._idle.pop() if self._idle else self._start()
            if idle is None:
                return
            self._give(idle, now)
            idle.wake_up.release()

    def _give(self, idle: _IdleThread, now: float) -> None:
        """Give a thread the job whose turn it is."""
        idle.job = self._queue.take()
        self._begun[idle] = now

    def _start(self) -> _IdleThread | None:
        """Start a thread; None if there are as many as there may be, or the system has none to give."""
        if self._number >= self._most:
            return None
        idle = _IdleThread()
        try:
            threading.Thread(target=self._work, args=(idle,), name="request", daemon=True).start()
        except RuntimeError:
            log.exception("no further thread can be started")
            return None
        self._number += 1
        return idle

    def _work(self, idle: _IdleThread) -> None:
        idle.wake_up.acquire()
        while (job := idle.take()) is not None:
            try:
                job()
            except Exception:
                log.exception("a thread of requests failed")
            # A thread that rests keeps nothing of the request that it answered.
            del job
            self._await_next(idle)

    def _await_next(self, idle: _IdleThread) -> None:
        with self._lock:
            self._begun.pop(idle, None)
            if self._queue and len(self._begun) < QUICK:
                self._give(idle, time.monotonic())
                return
            if not self._open:
                return
            self._idle.append(idle)
        idle.wake_up.acquire()
