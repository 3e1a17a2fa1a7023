"""FairPool: threads for work that may block, shared fairly between addresses and their accounts."""

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

SLOW = 0.002
"""Seconds after which a thread is assumed to wait rather than to compute."""


class ClaimantQueue(Generic[JobT]):
    """Waiting jobs: addresses take turns, and so do the credentials of an address.

    Credentials are not verified yet, so made-up ones share the turns of one address.
    """

    def __init__(self) -> None:
        self._turns: OrderedDict[str, OrderedDict[str, deque[JobT]]] = OrderedDict()
        self._number = 0

    def __len__(self) -> int:
        return self._number

    def put(self, claimant: Claimant, job: JobT) -> None:
        """Add a job after those of its claimant."""
        accounts = self._turns.setdefault(claimant.address, OrderedDict())
        accounts.setdefault(claimant.credential, deque()).append(job)
        self._number += 1

    def count_of(self, claimant: Claimant) -> int:
        """Return the number of jobs of one claimant."""
        accounts = self._turns.get(claimant.address)
        jobs = accounts.get(claimant.credential) if accounts is not None else None
        return len(jobs) if jobs is not None else 0

    def take(self) -> JobT:
        """Remove and return the next job; the queue must not be empty."""
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
    """A thread that waits for a job, or for None to end."""

    __slots__ = ("job", "wake_up")

    def __init__(self) -> None:
        self.wake_up = threading.Lock()
        self.wake_up.acquire()
        self.job: Job | None = None

    def take(self) -> Job | None:
        """Return the job, and drop the reference to it."""
        job, self.job = self.job, None
        return job


class FairPool:
    """At most `most` threads, started when needed; the one that became idle last works first.

    Threads share one interpreter lock, and each system call passes it on: two that compute at once need half
    as much time again. So a job gets a thread once no other one computes. A thread whose job takes longer
    than SLOW no longer counts, because it waits for something (a run, a body, a disk); `relieve` then starts
    the next job.
    """

    def __init__(self, most: int, slow: float = SLOW) -> None:
        self._most, self._slow = most, slow
        # Guards all attributes below.
        self._lock = threading.Lock()
        self._queue: ClaimantQueue[Job] = ClaimantQueue()
        self._idle: list[_IdleThread] = []
        # The thread that computes, and when it began; None while all busy threads are slow.
        self._computing: _IdleThread | None = None
        self._began = 0.0
        self._number = 0
        self._open = True

    @property
    def has_waiting(self) -> bool:
        """Whether jobs wait for a thread."""
        return bool(self._queue)

    def count(self) -> tuple[int, int]:
        """Return the number of busy threads and of jobs that wait for one."""
        with self._lock:
            return self._number - len(self._idle), len(self._queue)

    def waiting_of(self, claimant: Claimant) -> int:
        """Return the number of jobs of one claimant that wait for a thread."""
        with self._lock:
            return self._queue.count_of(claimant)

    def submit(self, claimant: Claimant, job: Job) -> None:
        """Run a job in a thread."""
        with self._lock:
            self._queue.put(claimant, job)
            self._hand_out()

    def relieve(self) -> None:
        """Start a waiting job if all busy threads are slow; call it every SLOW seconds."""
        with self._lock:
            self._hand_out()

    def close(self) -> None:
        """End each thread once it is idle; do not wait for them."""
        with self._lock:
            self._open = False
            while self._idle:
                self._idle.pop().wake_up.release()

    def _hand_out(self) -> None:
        """Start a waiting job unless a thread computes."""
        now = time.monotonic()
        if not self._queue or (self._computing is not None and now - self._began <= self._slow):
            return
        idle = self._idle.pop() if self._idle else self._start()
        if idle is not None:
            self._give(idle, now)
            idle.wake_up.release()

    def _give(self, idle: _IdleThread, now: float) -> None:
        """Give a thread the next job."""
        idle.job = self._queue.take()
        self._computing, self._began = idle, now

    def _start(self) -> _IdleThread | None:
        """Start a thread; return None at the limit, or if the system cannot start one."""
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
            # An idle thread must not keep references to the request.
            del job
            self._await_next(idle)

    def _await_next(self, idle: _IdleThread) -> None:
        with self._lock:
            if self._computing is idle:
                self._computing = None
            if self._queue and self._computing is None:
                self._give(idle, time.monotonic())
                return
            if not self._open:
                return
            self._idle.append(idle)
        idle.wake_up.acquire()
