"""Threads that take turns: order, waiting jobs, failures, the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import pytest

from handlers.http.worker_threads import LEAD_SECONDS, Job, LeaderFollowers

SECONDS = 120


class Asked:
    """A pool with the jobs that it is done with."""

    def __init__(self, most: int = 8) -> None:
        self.done: SimpleQueue[Job] = SimpleQueue()
        self.told: SimpleQueue[int] = SimpleQueue()
        self.pool = LeaderFollowers(most, lambda: self.told.put(self.done.qsize()))

    def ask(self, call: Callable[..., object], *args: object) -> None:
        self.pool.submit(call, self.done.put, *args)
        self.pool.start()

    def results(self, number: int) -> list[object]:
        return [self.done.get(timeout=SECONDS).result() for _ in range(number)]


@pytest.fixture
def asked() -> Iterator[Asked]:
    asked = Asked()
    yield asked
    asked.pool.shutdown()


def test_jobs_are_done_in_the_order_in_which_they_came(asked: Asked) -> None:
    for number in range(500):
        asked.ask(lambda number: number, number)
    assert asked.results(500) == list(range(500))


def test_short_jobs_share_one_thread(asked: Asked) -> None:
    names = []
    for _ in range(50):
        asked.ask(threading.get_ident)
        names += asked.results(1)
    assert len(set(names)) == 1


def test_the_end_of_a_job_is_told_at_once_when_no_other_waits(asked: Asked) -> None:
    asked.ask(lambda: None)
    assert asked.told.get(timeout=SECONDS) == 1


def test_the_ends_of_several_jobs_are_told_together(asked: Asked) -> None:
    gate, told = threading.Event(), [0]
    asked.ask(gate.wait, SECONDS)
    for _ in range(99):
        asked.ask(time.monotonic)
    gate.set()
    while told[-1] < 100:
        told.append(asked.told.get(timeout=SECONDS))
    assert len(told) < 50


def test_the_end_of_a_job_is_told_while_the_next_one_waits(asked: Asked) -> None:
    first, second = threading.Event(), threading.Event()
    asked.ask(first.wait, SECONDS)
    asked.ask(second.wait, SECONDS)
    first.set()
    assert asked.told.get(timeout=SECONDS) == 1
    second.set()
    assert asked.results(2) == [True, True]


def test_nobody_waits_behind_a_job_that_waits(asked: Asked) -> None:
    gate = threading.Event()
    asked.ask(gate.wait, SECONDS)
    asked.ask(lambda: "short")
    assert asked.results(1) == ["short"]
    gate.set()
    assert asked.results(1) == [True]


def test_as_many_wait_as_there_are_threads() -> None:
    asked, gate = Asked(most=4), threading.Event()
    for _ in range(4):
        asked.ask(gate.wait, SECONDS)
    asked.ask(lambda: "last")
    time.sleep(10 * LEAD_SECONDS)
    assert asked.done.empty()
    gate.set()
    assert sorted(map(str, asked.results(5))) == ["True"] * 4 + ["last"]
    asked.pool.shutdown()


def test_a_job_that_fails_tells_so_and_leaves_its_thread_whole(asked: Asked) -> None:
    def fail() -> None:
        raise ValueError("no")

    asked.ask(fail)
    job = asked.done.get(timeout=SECONDS)
    assert not job.cancelled()
    with pytest.raises(ValueError, match="no"):
        job.result()
    asked.ask(lambda: "next")
    assert asked.results(1) == ["next"]


def test_many_at_once_lose_nothing() -> None:
    asked = Asked(most=16)

    def work(number: int) -> int:
        if number % 50 == 0:
            time.sleep(3 * LEAD_SECONDS)
        return number

    def send(first: int) -> None:
        for number in range(first, first + 500):
            asked.ask(work, number)

    senders = [threading.Thread(target=send, args=(first,)) for first in range(0, 2_000, 500)]
    for sender in senders:
        sender.start()
    assert sorted(map(int, map(str, asked.results(2_000)))) == list(range(2_000))
    asked.pool.shutdown()


def test_threads_end_when_the_pool_is_shut() -> None:
    asked, gate = Asked(), threading.Event()
    for _ in range(3):
        asked.ask(gate.wait, SECONDS)
    asked.ask(threading.enumerate)
    (seen,) = asked.results(1)
    assert isinstance(seen, list)
    ours = [one for one in seen if one.name == "request"]
    assert len(ours) >= 4
    asked.pool.shutdown()
    gate.set()
    for one in ours:
        one.join(SECONDS)
        assert not one.is_alive()


def test_jobs_wait_for_the_start(asked: Asked) -> None:
    for number in range(3):
        asked.pool.submit(lambda number: number, asked.done.put, number)
    time.sleep(10 * LEAD_SECONDS)
    assert asked.done.empty()
    asked.pool.start()
    assert asked.results(3) == [0, 1, 2]


def test_nobody_waits_behind_a_job_that_stepped_aside(asked: Asked) -> None:
    gate, inside = threading.Event(), threading.Event()

    def wait() -> str:
        with asked.pool.step_aside():
            inside.set()
            gate.wait(SECONDS)
        return "aside"

    asked.ask(wait)
    assert inside.wait(SECONDS)
    for number in range(20):
        asked.ask(lambda number: number, number)
        assert asked.results(1) == [number]
    gate.set()
    assert asked.results(1) == ["aside"]


def test_who_steps_aside_gives_the_turn_to_a_job_that_waits_and_has_it_back(asked: Asked) -> None:
    names: SimpleQueue[int] = SimpleQueue()

    def wait() -> int:
        with asked.pool.step_aside():
            names.get(timeout=SECONDS)
        return threading.get_ident()

    asked.pool.submit(wait, asked.done.put)
    asked.pool.submit(lambda: names.put(1), asked.done.put)
    asked.pool.start()
    second, first = asked.results(2)
    assert second is None
    asked.ask(threading.get_ident)
    assert isinstance(first, int)
    assert asked.results(1) != [None]


def test_what_may_be_told_later_wakes_nobody(asked: Asked) -> None:
    def done(job: Job) -> bool:
        asked.done.put(job)
        return True

    asked.pool.submit(lambda: "quiet", done)
    asked.pool.start()
    assert asked.results(1) == ["quiet"]
    time.sleep(10 * LEAD_SECONDS)
    assert asked.told.empty()
    asked.ask(lambda: "loud")
    assert asked.told.get(timeout=SECONDS) == 1
