"""Threads that are shared: turns, reuse, failures and the end."""

from __future__ import annotations

import threading
from queue import SimpleQueue

from handlers.http.door.fair_threads import Claimant, ClaimantQueue, FairThreads

SECONDS = 60


def test_addresses_take_turns_and_so_do_their_credentials() -> None:
    queue, done = ClaimantQueue(), []
    for name in ("a1", "a1", "a1", "a2", "b1", "b1"):
        queue.put(Claimant(name[0], name), lambda name=name: done.append(name))  # type: ignore[misc]
    while queue:
        queue.take()()
    assert done == ["a1", "b1", "a2", "b1", "a1", "a1"]


def test_one_who_asks_much_does_not_keep_another_waiting() -> None:
    threads, gate, done = FairThreads(1), threading.Event(), SimpleQueue[str]()
    threads.submit(Claimant("first"), lambda: gate.wait(SECONDS))
    for _ in range(50):
        threads.submit(Claimant("greedy"), lambda: done.put("greedy"))
    threads.submit(Claimant("modest"), lambda: done.put("modest"))
    gate.set()
    assert [done.get(timeout=SECONDS) for _ in range(51)].index("modest") == 1
    threads.close()


def test_a_thread_goes_on_after_a_failure_and_ends_when_told_to() -> None:
    threads, names = FairThreads(1), SimpleQueue[threading.Thread]()

    def fail() -> None:
        raise RuntimeError("a mistake")

    threads.submit(Claimant(""), fail)
    threads.submit(Claimant(""), lambda: names.put(threading.current_thread()))
    thread = names.get(timeout=SECONDS)
    threads.close()
    thread.join(SECONDS)
    assert not thread.is_alive()
