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
from chains.dask.news import Letter, StepEnded, StepReady, StepRunning, StepTaken, open_letter
from chains.dask.orders import StepOrder
from chains.dask.remote_step import RemoteStep
from chains.dask.worker import permit
from chains.engine.port import Cause, EngineAway, Exit, Line, StepSpec
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


def works_on(engine: DaskEngine, spec: StepSpec) -> Exit:
    running = Running(engine, spec)
    try:
        return running.ends()
    finally:
        engine.remove(running.handle)


def test_a_step_whose_worker_is_killed_is_lost_and_what_it_left_is_swept(
    cluster: FakeCluster, engine: DaskEngine
) -> None:
    with part(cluster.folder, "worker", cluster.address, "victim") as victim:
        running = Running(engine, cluster.spec(ECHO="on", SLEEP=LONG))
        running.says("on")
        add_heir(cluster)
        victim.kill()
        ended = running.ends()
        assert ended.cause is Cause.LOST
        assert "was lost; that is no fault of the job: trigger it again" in ended.detail
        engine.remove(running.handle)
        assert works_on(engine, replace(cluster.spec(), run="2")) == Exit(0)
    assert begun(cluster.folder) == ["1", "2"]
    containers = cluster.folder / "victim" / "containers"
    assert [path.name for path in containers.iterdir()] == ["1.1"]
    with part(cluster.folder, "worker", cluster.address, "victim"):
        assert list(containers.iterdir()) == []


def test_a_step_whose_worker_is_killed_before_its_permit_never_begins(
    cluster: FakeCluster, engine: DaskEngine
) -> None:
    with part(cluster.folder, "worker", cluster.address, "victim") as victim:
        handle = engine.prepare(cluster.spec(SLOW="30"))
        why: list[str] = []

        def start() -> None:
            with pytest.raises(EngineAway) as raised:
                engine.start(handle)
            why.append(str(raised.value))

        starting = threading.Thread(target=start)
        starting.start()
        until((cluster.folder / "prepared").exists)
        add_heir(cluster)
        victim.kill()
        starting.join(30)
        assert "was lost" in why[0]
    assert begun(cluster.folder) == []


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
    asked: list[tuple[str, str]] = []

    def permit_it(worker: str, attempt: str) -> bool:
        asked.append((worker, attempt))
        return True

    step = RemoteStep(cluster.spec(), "k", permit_it)
    for attempt, number, news in (("a", 0, StepTaken()), ("a", 1, StepReady()), ("a", 2, StepRunning())):
        step.hear(Letter("k", attempt, number, "one", news))
    assert step.await_running(1) is None
    step.hear(Letter("k", "b", 0, "two", StepTaken()))
    step.hear(Letter("k", "b", 1, "two", StepReady()))
    step.hear(Letter("k", "a", 3, "one", StepEnded(Exit(0))))
    assert step.await_end(lambda line: None).exit == Exit(-1, Cause.LOST, "the worker one is gone")
    assert asked == [("one", "a")]


def test_a_letter_that_is_missing_ends_the_step_as_lost(cluster: FakeCluster) -> None:
    step, lines = RemoteStep(cluster.spec(), "k", lambda worker, attempt: True), list[Line]()
    for number, news in ((0, StepTaken()), (1, StepReady()), (2, StepRunning()), (4, StepEnded(Exit(0)))):
        step.hear(Letter("k", "a", number, "one", news))
    assert step.await_running(1) is None
    ended = step.await_end(lines.append).exit
    assert ended == Exit(-1, Cause.LOST, "some of what the worker one told did not arrive")


def test_a_scheduler_that_is_killed_ends_its_steps_and_its_workers(cluster: FakeCluster) -> None:
    address = "tls://127.0.0.1:28786"
    with part(cluster.folder, "scheduler", address, "scheduler") as scheduler:
        engine = DaskEngine(
            address, cluster.certificates, cluster.images, cluster.files, cluster.seal, lambda spec: ""
        )
        try:
            with part(cluster.folder, "worker", address, "worker") as worker:
                assert engine.repair() is None
                running = Running(engine, cluster.spec(ECHO="on", SLEEP=LONG))
                running.says("on")
                scheduler.kill()
                ended = running.ends()
                assert ended.cause is Cause.LOST
                assert "the connection to the Dask scheduler was lost" in ended.detail
                assert worker.wait(30) == 1
                assert list((cluster.folder / "worker" / "containers").iterdir()) == []
                assert "does not answer" in str(engine.repair())
                with pytest.raises(EngineAway, match="does not answer"):
                    engine.prepare(cluster.spec())
        finally:
            engine.close()


def test_a_runner_that_goes_takes_its_steps_with_it(cluster: FakeCluster) -> None:
    name = cluster.add_fake()
    engine = cluster.engine()
    running = Running(engine, cluster.spec(ECHO="on", SLEEP=LONG))
    running.says("on")
    assert cluster.hosts[name].runs() == {"1"}
    engine.close()
    assert running.ends().cause is Cause.LOST
    until(lambda: cluster.hosts[name].runs() == set())


def test_a_connection_that_breaks_and_comes_back_loses_what_ran_and_nothing_more(
    cluster: FakeCluster, engine: DaskEngine
) -> None:
    name = cluster.add_fake()
    running = Running(engine, cluster.spec(ECHO="on", SLEEP=LONG))
    running.says("on")

    async def cut() -> None:
        for comm in cluster.scheduler.client_comms.values():
            comm.abort()

    cluster.act(cut)
    assert running.ends().cause is Cause.LOST
    engine.remove(running.handle)
    until(lambda: cluster.hosts[name].runs() == set())
    until(lambda: engine.repair() is None)
    assert works_on(engine, cluster.spec(ECHO="back")) == Exit(0)


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


def test_a_worker_that_is_told_to_stop_lets_its_steps_end_and_takes_no_more(
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


def test_a_worker_that_is_told_to_stop_waits_for_its_steps_so_long_and_no_longer(
    cluster: FakeCluster, engine: DaskEngine
) -> None:
    with part(cluster.folder, "worker", cluster.address, "leaving") as leaving:
        running = Running(engine, cluster.spec(ECHO="on", SLEEP=LONG))
        running.says("on")
        leaving.terminate()
        told = time.monotonic()
        ended = running.ends()
        assert ended.cause is Cause.LOST
        assert "was stopped" in ended.detail
        assert DRAIN <= time.monotonic() - told < DRAIN + 10
        assert leaving.wait(20) == 0
    assert list((cluster.folder / "leaving" / "containers").iterdir()) == []


def test_what_waits_on_a_worker_that_is_told_to_stop_is_begun_by_another(
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
