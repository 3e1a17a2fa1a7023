"""What is lost ends the step, in words; nothing runs twice, and nothing is left to run."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chains.dask.engine import DaskEngine
from chains.dask.folders import send
from chains.dask.link import SchedulerLink
from chains.dask.orders import Letter, StepEnded, StepOrder, StepReady, StepRunning, StepTaken, open_letter
from chains.dask.remote_step import RemoteStep
from chains.dask.worker import permit
from chains.engine.port import Cause, Exit, Line
from tests.kit.dask.fakes import FakeCluster
from tests.kit.dask.parts import DRAIN, LedgerEngine, begun, part
from tests.kit.suites.chains.engines import Running

LONG = "60"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[FakeCluster]:
    with FakeCluster(tmp_path) as cluster:
        yield cluster


@pytest.fixture
def engine(cluster: FakeCluster) -> Iterator[DaskEngine]:
    engine = cluster.engine()
    yield engine
    engine.close()


def until(true: Callable[[], object], seconds: float = 30) -> None:
    """Wait until something is so."""
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.02)


def add_heir(cluster: FakeCluster) -> str:
    """A worker that lives, and would begin what the scheduler orders again."""
    return cluster.add_worker(LedgerEngine(cluster.folder / "heir"))


def test_a_finished_step_whose_worker_dies_finds_no_second_permit(cluster: FakeCluster) -> None:
    """The scheduler computes such a result again, whatever its settings say."""
    spec, letters = cluster.spec(), list[Letter]()

    def hear(said: dict[str, Any]) -> None:
        letters.append(open_letter(said, cluster.seal))

    def heard(kind: type) -> list[Letter]:
        return [letter for letter in letters if isinstance(letter.news, kind)]

    link = SchedulerLink(cluster.address, cluster.certificates, "topic", hear)
    folders = tuple(send(cluster.files, mount, spec.output) for mount in spec.mounts)
    order = StepOrder("1", "a", "image", {}, (), folders, spec.limits, spec.network, None, "")
    try:
        with part(cluster.folder, "worker", cluster.address, "victim") as victim:
            future = link.submit("step-1-a", order.seal(cluster.seal, "step-1-a"), spec.limits.memory)
            until(lambda: heard(StepReady))
            (ready,) = heard(StepReady)
            assert link.ask(permit, ready.attempt, workers=[ready.worker]) == {ready.worker: True}
            until(lambda: heard(StepEnded) and future.done())
            add_heir(cluster)
            victim.kill()
            until(lambda: len(heard(StepReady)) == 2)
            assert begun(cluster.folder) == ["1"]
    finally:
        link.close()


def test_the_first_attempt_alone_is_permitted(cluster: FakeCluster) -> None:
    requests: list[tuple[str, str]] = []

    def permit_it(worker: str, attempt: str) -> bool:
        requests.append((worker, attempt))
        return True

    step = RemoteStep(cluster.spec(), "k", permit_it)
    for attempt, number, news in (("a", 0, StepTaken()), ("a", 1, StepReady()), ("a", 2, StepRunning())):
        step.hear(Letter("k", attempt, number, "one", news))
    assert step.await_running(1) is None
    step.hear(Letter("k", "b", 0, "two", StepTaken()))
    step.hear(Letter("k", "b", 1, "two", StepReady()))
    step.hear(Letter("k", "a", 3, "one", StepEnded(Exit(0))))
    assert step.await_end(lambda line: None).exit == Exit(-1, Cause.LOST, "the worker one is gone")
    assert requests == [("one", "a")]


def test_a_letter_that_is_missing_ends_the_step_as_lost(cluster: FakeCluster) -> None:
    step, lines = RemoteStep(cluster.spec(), "k", lambda worker, attempt: True), list[Line]()
    for number, news in ((0, StepTaken()), (1, StepReady()), (2, StepRunning()), (4, StepEnded(Exit(0)))):
        step.hear(Letter("k", "a", number, "one", news))
    assert step.await_running(1) is None
    ended = step.await_end(lines.append).exit
    assert ended == Exit(-1, Cause.LOST, "some of what the worker one sent did not arrive")


def test_a_worker_that_ends_in_order_loses_its_steps(cluster: FakeCluster, engine: DaskEngine) -> None:
    name = cluster.add_fake()
    running = Running(engine, cluster.spec(ECHO="on", SLEEP=LONG))
    running.says("on")
    cluster.end_worker(name)
    ended = running.ends()
    assert ended.cause is Cause.LOST
    assert "was stopped; that is no fault of the job" in ended.detail
    engine.remove(running.handle)
    assert "no worker is at the Dask scheduler" in str(engine.repair())


def test_a_stopping_worker_lets_its_steps_end_and_takes_no_more(
    cluster: FakeCluster, engine: DaskEngine
) -> None:
    with part(cluster.folder, "worker", cluster.address, "leaving") as leaving:
        running = Running(engine, cluster.spec(ECHO="on", SLEEP="2", WRITE="x=1"))
        running.says("on")
        leaving.terminate()
        until(lambda: engine.slots(1) == 0)
        waiting = engine.prepare(next_one := replace(cluster.spec(WRITE="y=2"), run="2"))
        threading.Timer(1, cluster.add_fake).start()
        engine.start(waiting)
        assert engine.wait(waiting, lambda line: None) == Exit(0)
        assert (next_one.output / "y").read_text() == "2"
        assert running.ends() == Exit(0)
        assert (running.handle.spec.output / "x").read_text() == "1"
        assert leaving.wait(20) == 0
    assert begun(cluster.folder) == ["1"]
    assert list((cluster.folder / "leaving" / "containers").iterdir()) == []


def test_a_stopping_worker_waits_for_its_steps_for_a_limited_time(
    cluster: FakeCluster, engine: DaskEngine
) -> None:
    with part(cluster.folder, "worker", cluster.address, "leaving") as leaving:
        running = Running(engine, cluster.spec(ECHO="on", SLEEP=LONG))
        running.says("on")
        leaving.terminate()
        began = time.monotonic()
        ended = running.ends()
        assert ended.cause is Cause.LOST
        assert "was stopped" in ended.detail
        assert DRAIN <= time.monotonic() - began < DRAIN + 10
        assert leaving.wait(20) == 0
    assert list((cluster.folder / "leaving" / "containers").iterdir()) == []


def test_a_step_that_waits_on_a_stopping_worker_starts_on_another(
    cluster: FakeCluster, engine: DaskEngine
) -> None:
    """Eight steps have all slots there, the ninth waits for one."""
    with part(cluster.folder, "worker", cluster.address, "leaving") as leaving:
        going = [Running(engine, cluster.spec(ECHO="on", SLEEP="3")) for _ in range(8)]
        waiting = engine.prepare(replace(cluster.spec(WRITE="y=2"), run="2"))
        starting = threading.Thread(target=engine.start, args=(waiting,))
        starting.start()
        time.sleep(0.3)
        leaving.terminate()
        add_heir(cluster)
        starting.join(2)
        assert not starting.is_alive()
        assert engine.wait(waiting, lambda line: None) == Exit(0)
        assert [running.ends() for running in going] == [Exit(0)] * 8
        assert leaving.wait(20) == 0
    assert sorted(begun(cluster.folder)) == [*"11111111", "2"]


@pytest.mark.repeats
def test_a_worker_that_freezes_is_lost_and_ends_when_it_thaws(
    cluster: FakeCluster, engine: DaskEngine
) -> None:
    with part(cluster.folder, "worker", cluster.address, "worker") as worker:
        running = Running(engine, cluster.spec(ECHO="on", SLEEP=LONG))
        running.says("on")
        worker.send_signal(signal.SIGSTOP)
        frozen = time.monotonic()
        assert running.ends().cause is Cause.LOST
        assert time.monotonic() - frozen < 25
        engine.remove(running.handle)
        worker.send_signal(signal.SIGCONT)
        assert worker.wait(30) == 1
        assert list((cluster.folder / "worker" / "containers").iterdir()) == []
    assert begun(cluster.folder) == ["1"]
