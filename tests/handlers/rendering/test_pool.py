"""Rendering processes are replaced when they die, end when idle, and do not outlive their parent."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from handlers.rendering.pool import RenderPool
from handlers.rendering.port import RendererBusy, RenderFailed, RenderOrder
from handlers.rendering.render_process import PoolLimits
from tests.kit.suites.rendering import command_of, order, workers_of

SECONDS = 20.0
LOADED = 120.0
LARGE = {"width": 4000, "height": 3000, "scale": 3}
PARENT = """
import os, sys, threading
from handlers.rendering.pool import RenderPool
from tests.kit.suites.rendering import order

pool = RenderPool()
pool.render(order())
threading.Thread(target=lambda: print("begun", flush=True) or pool.render(order("png", **{large}))).start()
"""


def wait_until_gone(pids: list[int]) -> None:
    until = time.monotonic() + SECONDS
    while any(command_of(pid) for pid in pids):
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.fixture(scope="module")
def pool() -> Iterator[RenderPool]:
    """A pool of one process; a test may leave it without, and the last closes it."""
    pool = RenderPool(PoolLimits(processes=1, waiting=2, patience=0.2))
    assert pool.render(order()).body
    yield pool
    pool.close()
    assert workers_of(os.getpid()) == []


def test_more_orders_than_may_wait_are_refused_at_once(pool: RenderPool) -> None:
    (pid,) = workers_of(os.getpid())
    os.kill(pid, signal.SIGSTOP)
    with ThreadPoolExecutor(4) as threads:
        outcomes = [threads.submit(pool.render, order()) for _ in range(4)]
        errors = [one.exception(SECONDS) for one in outcomes[1:]]
        os.kill(pid, signal.SIGCONT)
    assert outcomes[0].result().body
    assert sorted(str(error) for error in errors) == [
        *["no renderer was free within 0.2 seconds"] * 2, "the queue of renders is full",
    ]  # fmt: skip


def test_a_process_that_is_killed_fails_its_render_alone(pool: RenderPool) -> None:
    (pid,) = workers_of(os.getpid())
    os.kill(pid, signal.SIGSTOP)
    with ThreadPoolExecutor(2) as threads:
        waiting = threads.submit(pool.render, order())
        with pytest.raises(RendererBusy, match=r"free within 0\.2 seconds"):
            pool.render(order())
        os.kill(pid, signal.SIGKILL)
        assert isinstance(waiting.exception(SECONDS), RenderFailed)


def test_a_process_that_died_meanwhile_is_replaced_unnoticed(pool: RenderPool) -> None:
    assert pool.render(order()).body
    (pid,) = workers_of(os.getpid())
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert pool.render(order()).body


def test_an_account_has_half_of_the_processes_at_most_while_others_wait() -> None:
    others = workers_of(os.getpid())
    # Each start loads for seconds of a processor: nothing here may be late on a busy machine.
    pool = RenderPool(PoolLimits(processes=2, waiting=8, patience=LOADED, seconds=LOADED))
    greedy, other = replace(order(), account="greedy"), replace(order(), account="other")
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(pool.render, [greedy, greedy]))
        first = [pid for pid in workers_of(os.getpid()) if pid not in others]
        for pid in first:
            os.kill(pid, signal.SIGSTOP)
        stuck = [threads.submit(pool.render, greedy) for _ in range(3)]
        assert pool.render(other).body
        left = [pid for pid in first if command_of(pid)]
        for pid in left:
            os.kill(pid, signal.SIGCONT)
        assert all(one.result(LOADED).body for one in stuck)
    assert len(first) == 2
    assert len(left) == 1
    pool.close()


def test_a_drawing_that_names_an_address_fetches_nothing(pool: RenderPool) -> None:
    data = "month,http://127.0.0.1:9/steal.csv\nhttp://127.0.0.1:9/a.png,2\n"
    config = {"config/title": "http://127.0.0.1:9/", "config/type": "bar"}
    assert pool.render(RenderOrder("plot", "png", {"data": data, **config})).body


def test_processes_that_nobody_needs_end_except_one_which_draws_the_next(pool: RenderPool) -> None:
    others = workers_of(os.getpid())
    pair = RenderPool(PoolLimits(processes=2, waiting=8))
    pair.warm_up()
    (warm,) = (pid for pid in workers_of(os.getpid()) if pid not in others)
    os.kill(warm, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(pair.render, order())
        assert pair.render(order()).body
        os.kill(warm, signal.SIGCONT)
        assert first.result(SECONDS).body
    pair.rest(60)
    assert len(workers_of(os.getpid())) == len(others) + 2
    pair.rest(0)
    (left,) = (pid for pid in workers_of(os.getpid()) if pid not in others)
    assert pair.render(order()).body
    assert left in workers_of(os.getpid())
    assert len(workers_of(os.getpid())) == len(others) + 1
    pair.close()


def test_no_process_outlives_its_parent_whatever_it_does() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(large=LARGE)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    with parent.stdout:
        assert parent.stdout.readline() == "begun\n"
        workers = workers_of(parent.pid)
        parent.kill()
        parent.wait(SECONDS)
    assert len(workers) >= 1
    wait_until_gone(workers)


def test_orders_are_refused_as_busy_if_no_process_starts(tmp_path: Path) -> None:
    program = (
        "import sys; sys.executable = '/bin/false'\n"
        "from handlers.rendering.pool import RenderPool\n"
        "from tests.kit.suites.rendering import order\n"
        "try: RenderPool().render(order())\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "RendererBusy no renderer can be started\n"


def test_a_pool_that_closes_refuses_waiting_callers_at_once(pool: RenderPool) -> None:
    assert pool.render(order()).body
    (pid,) = workers_of(os.getpid())
    os.kill(pid, signal.SIGSTOP)
    pool.limits = PoolLimits(processes=1, patience=SECONDS)
    with ThreadPoolExecutor(3) as threads:
        waiting = [threads.submit(pool.render, order()) for _ in range(3)]
        while threads._work_queue.qsize():
            time.sleep(0.001)
        time.sleep(0.05)
        pool.close()
        assert [type(one.exception(SECONDS)) for one in waiting] == [RendererBusy] * 3
    with pytest.raises(RendererBusy):
        pool.render(order())
