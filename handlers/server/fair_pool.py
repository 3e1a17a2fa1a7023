"""FairPool: threads for what may wait, shared in turns between addresses and the accounts behind them."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Generic, TypeVar

from handlers.server.application import Claimant

log = logging.getLogger("curlew")

Job = Callable[[], object]
JobT = TypeVar("JobT")


class ClaimantQueue(Generic[JobT]):
    """Jobs that wait: addresses take turns, and the credentials of an address among themselves.

    A credential that is shown proves nothing yet, so whoever makes many up shares the turns of one address.
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

    def __init__(self, job: Job) -> None:
        self.wake_up = threading.Lock()
        self.wake_up.acquire()
        self.job: Job | None = job

    def take(self) -> Job | None:
        """The job that was given; it is kept no longer."""
        job, self.job = self.job, None
        return job


class FairPool:
    """At most `most` threads; they start as they are needed, and the last that rested works first."""

    def __init__(self, most: int) -> None:
        self._most = most
        # Guards all that follows.
        self._lock = threading.Lock()
        self._queue: ClaimantQueue[Job] = ClaimantQueue()
        self._idle: list[_IdleThread] = []
        self._number = 0
        self._open = True

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
            if self._idle:
                idle = self._idle.pop()
                idle.job = job
                idle.wake_up.release()
            elif self._number >= self._most or not self._start(job):
                self._queue.put(claimant, job)

    def close(self) -> None:
        """Let each thread end once it has nothing to do; nobody is waited for."""
        with self._lock:
            self._open = False
            while self._idle:
                self._idle.pop().wake_up.release()

    def _start(self, job: Job) -> bool:
        """Start a thread with its first job; whether the system had one to give."""
        try:
            threading.Thread(target=self._work, args=(_IdleThread(job),), name="request", daemon=True).start()
        except RuntimeError:
            log.exception("no further thread can be started")
            return False
        self._number += 1
        return True

    def _work(self, idle: _IdleThread) -> None:
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
            if self._queue:
                idle.job = self._queue.take()
                return
            if not self._open:
                return
            self._idle.append(idle)
        idle.wake_up.acquire()
