"""Every run has its turn, however much another one handed in."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from chains.runner.fair_slots import FairSlots
from chains.runs.states import Status
from chains.testing import chain
from tests.chains.runner.test_fan_out import fanned
from tests.kit.runner import NEVER, Yard


def test_runs_take_turns_and_each_keeps_its_order() -> None:
    done: list[str] = []
    gate, all_done = threading.Event(), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        fair = FairSlots(pool, 1)
        fair.of(0).submit(gate.wait)
        for number in range(4):
            fair.of(1).submit(lambda number=number: done.append(f"a{number}"))  # type: ignore[misc]
        for number in range(2):
            fair.of(2).submit(lambda number=number: done.append(f"b{number}"))  # type: ignore[misc]
        fair.of(1).submit(all_done.set)
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
            fair.of(number % 2).submit(act)
        assert all(ended.acquire(timeout=NEVER) for _ in range(9))
        fair.of(5).submit(ended.release)
        assert ended.acquire(timeout=NEVER)
    assert sum("broke off" in record.message for record in caplog.records) == 9


def test_a_wide_fan_out_keeps_no_other_run_waiting(tmp_path: Path) -> None:
    yard = Yard(tmp_path, a={"SLEEP": "0.05"}, b={})
    yard.settings = replace(yard.settings, slots=2)
    with yard.working():
        wide = yard.order(fanned("a", over="a"), {f"{number:03}": "" for number in range(60)})
        yard.running(wide, "a")
        small = yard.end(yard.order(chain("b")))
        assert small.status is Status.SUCCESS
        assert yard.book.waits.wait(wide.key, lambda status: True, 0) is Status.PROCESSING
        assert yard.end(wide).status is Status.SUCCESS
