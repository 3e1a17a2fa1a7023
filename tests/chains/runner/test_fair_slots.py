"""Every account has its turn, and every run of it, however much another one handed in."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.runner.fair_slots import FairSlots
from chains.runs.states import Status
from tests.chains.runner.test_fan_out import fanned
from tests.kit.runner import NEVER, RunnerSetupOf
from tests.kit.suites.chains import chain

ACCOUNTS = "abcd"


class HandPool(Executor):
    """Threads that are moved by hand: what was begun, and is ended by calling it."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, Callable[[], object]]] = []

    def submit(self, act: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        self.begun.append((args[0], partial(act, *args)))
        return Future()

    def going(self) -> list[str]:
        return [account for account, _ in self.begun]

    def end(self, which: int) -> str:
        account, work = self.begun.pop(which % len(self.begun))
        work()
        return account


def test_slots_come_and_go_while_things_are_being_done() -> None:
    pool = HandPool()
    fair = FairSlots(pool, 1)
    for _ in range(5):
        fair.add("bob", 0, lambda: None)
    assert pool.going() == ["bob"]
    assert fair.resize(4, 1) == 3
    assert pool.going() == ["bob"] * 3
    fair.add("ann", 1, lambda: None)
    assert pool.going() == ["bob"] * 3 + ["ann"]
    assert fair.resize(0, 1) == 1
    for _ in range(3):
        pool.end(0)
    assert pool.going() == ["ann"]
    pool.end(0)
    assert pool.going() == ["bob"]


def test_runs_take_turns_and_each_keeps_its_order() -> None:
    done: list[str] = []
    gate, all_done = threading.Event(), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        fair = FairSlots(pool, 1)
        fair.of("bob", 0).submit(gate.wait)
        for number in range(4):
            fair.of("bob", 1).submit(lambda number=number: done.append(f"a{number}"))  # type: ignore[misc]
        for number in range(2):
            fair.of("bob", 2).submit(lambda number=number: done.append(f"b{number}"))  # type: ignore[misc]
        fair.of("bob", 1).submit(all_done.set)
        gate.set()
        assert all_done.wait(NEVER)
    assert done == ["a0", "b0", "a1", "b1", "a2", "a3"]


def test_as_many_run_at_once_as_there_are_slots_and_what_breaks_off_blocks_none(
    caplog: pytest.LogCaptureFixture,
) -> None:
    together = threading.Barrier(3)
    ended = threading.Semaphore(0)

    def act() -> None:
        together.wait(NEVER)
        ended.release()
        raise RuntimeError("broke")

    with ThreadPoolExecutor(3) as pool:
        fair = FairSlots(pool, 3)
        for number in range(9):
            fair.of("bob", number % 2).submit(act)
        assert all(ended.acquire(timeout=NEVER) for _ in range(9))
        fair.of("bob", 5).submit(ended.release)
        assert ended.acquire(timeout=NEVER)
    assert sum("failed unexpectedly" in record.message for record in caplog.records) == 9


def test_the_next_free_slot_is_for_who_has_the_least_however_many_runs_others_queued() -> None:
    pool = HandPool()
    fair = FairSlots(pool, 2)
    for run in range(20):
        fair.add("mallory", run, lambda: None)
    for account in ("bob", "carol"):
        fair.add(account, 100, lambda: None)
    assert pool.going() == ["mallory", "mallory"]
    for _ in range(2):
        pool.end(0)
    assert pool.going() == ["bob", "carol"]


def test_a_spare_slot_is_for_who_has_nothing_going() -> None:
    pool = HandPool()
    fair = FairSlots(pool, 2, 1)
    for run in range(5):
        fair.add("mallory", run, lambda: None)
    assert pool.going() == ["mallory"] * 2
    fair.add("bob", 9, lambda: None)
    fair.add("bob", 9, lambda: None)
    fair.add("carol", 8, lambda: None)
    assert pool.going() == ["mallory", "mallory", "bob"]
    pool.end(0)
    assert pool.going() == ["mallory", "bob", "carol"]


@given(
    slots=st.integers(1, 4),
    spare=st.integers(0, 2),
    moves=st.lists(
        st.one_of(st.tuples(st.sampled_from(ACCOUNTS), st.integers(1, 3)), st.integers(0, 9)), max_size=60
    ),
)
def test_nobody_waits_longer_than_for_one_to_end_behind_those_who_have_more(
    slots: int, spare: int, moves: list[Any]
) -> None:
    """Moves are a thing handed in (account, run), or the end of one that goes on (its number)."""
    pool = HandPool()
    fair = FairSlots(pool, slots, spare)
    waiting = dict.fromkeys(ACCOUNTS, 0)
    for move in moves:
        before = pool.going()
        if isinstance(move, tuple):
            fair.add(*move, lambda: None)
            waiting[move[0]] += 1
        elif before:
            before.remove(pool.end(move))
        begun = pool.going()[len(before) :]
        for account in begun:
            # Of those who wait, none had less going than who began.
            assert all(
                before.count(account) <= before.count(other)
                for other, left in waiting.items()
                if left > begun.count(other)
            )
            waiting[account] -= 1
        now = pool.going()
        assert len(now) <= slots + spare
        # Nothing waits beside a free slot; who has nothing going waits only when the spare ones are taken.
        assert len(now) >= slots or not any(waiting.values())
        idle = [account for account, left in waiting.items() if left and account not in now]
        assert not idle or len(now) == slots + spare


def test_a_wide_fan_out_keeps_no_other_run_waiting(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"SLEEP": "0.05"}, b={})
    runner_setup.settings = replace(runner_setup.settings, slots=2)
    with runner_setup.working():
        wide = runner_setup.order(fanned("a", over="a"), {f"{number:03}": "" for number in range(60)})
        runner_setup.running(wide, "a")
        small = runner_setup.end(runner_setup.order(chain("b")))
        assert small.status is Status.SUCCESS
        assert runner_setup.run_store.waits.wait(wide.key, lambda status: True, 0) is Status.PROCESSING
        assert runner_setup.end(wide).status is Status.SUCCESS
