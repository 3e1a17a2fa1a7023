"""Threads that are shared: turns, reuse, failures and the end."""

from __future__ import annotations

import threading
import time
import weakref
from functools import partial
from queue import SimpleQueue

from handlers.server.fair_pool import SLOW, Claimant, ClaimantQueue, FairPool

SECONDS = 60


def test_addresses_take_turns_and_so_do_their_credentials() -> None:
    queue, done = ClaimantQueue(), []
    for name in ("a1", "a1", "a1", "a2", "b1", "b1"):
        queue.put(Claimant(name[0], name), lambda name=name: done.append(name))  # type: ignore[misc]
    while queue:
        queue.take()()
    assert done == ["a1", "b1", "a2", "b1", "a1", "a1"]


def test_one_who_asks_much_does_not_keep_another_waiting() -> None:
    threads, gate, done = FairPool(1), threading.Event(), SimpleQueue[str]()
    threads.submit(Claimant("first"), lambda: gate.wait(SECONDS))
    for _ in range(50):
        threads.submit(Claimant("greedy"), lambda: done.put("greedy"))
    threads.submit(Claimant("modest"), lambda: done.put("modest"))
    gate.set()
    assert [done.get(timeout=SECONDS) for _ in range(51)].index("modest") == 1
    threads.close()


WAITERS, NUMBERS = 5, list(range(16))


def compute(pool: FairPool) -> SimpleQueue[int]:
    """Give a pool jobs that compute; what they have done."""
    done = SimpleQueue[int]()
    for number in NUMBERS:
        pool.submit(Claimant("computes"), partial(done.put, number))
    return done


def test_one_thread_computes_at_once() -> None:
    threads, gate = FairPool(2 * WAITERS, slow=SECONDS), threading.Event()
    threads.submit(Claimant("waits"), lambda: gate.wait(SECONDS))
    done = compute(threads)
    assert threads.count() == (1, len(NUMBERS))
    assert threads.has_waiting
    gate.set()
    assert [done.get(timeout=SECONDS) for _ in NUMBERS] == NUMBERS
    threads.close()


def test_threads_that_wait_keep_nobody_waiting() -> None:
    threads, gate = FairPool(2 * WAITERS), threading.Event()
    for _ in range(WAITERS):
        threads.submit(Claimant("waits"), lambda: gate.wait(SECONDS))
    done = compute(threads)
    while threads.has_waiting:
        time.sleep(2 * SLOW)
        threads.relieve()
    assert sorted(done.get(timeout=SECONDS) for _ in NUMBERS) == NUMBERS
    gate.set()
    threads.close()


class Body:
    """Something large that comes with a request."""


def test_a_thread_that_rests_keeps_nothing_of_what_it_did() -> None:
    threads, done = FairPool(1), SimpleQueue[int]()
    bodies = [Body() for _ in range(3)]
    kept = [weakref.ref(body) for body in bodies]
    for body in bodies:
        threads.submit(Claimant(""), lambda body=body: done.put(id(body)))  # type: ignore[misc]
    del body, bodies
    for _ in kept:
        done.get(timeout=SECONDS)
    until = time.monotonic() + SECONDS
    while any(body() for body in kept):
        assert time.monotonic() < until
    threads.close()


def test_a_thread_goes_on_after_a_failure_and_ends_on_request() -> None:
    threads, names = FairPool(1), SimpleQueue[threading.Thread]()

    def fail() -> None:
        raise RuntimeError("a mistake")

    threads.submit(Claimant(""), fail)
    threads.submit(Claimant(""), lambda: names.put(threading.current_thread()))
    thread = names.get(timeout=SECONDS)
    threads.close()
    thread.join(SECONDS)
    assert not thread.is_alive()
