"""A step begins with its permit alone, and a permit counts for a time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chains.dask.attempt import PERMIT_SECONDS
from chains.dask.folders import send
from chains.dask.link import SchedulerLink
from chains.dask.orders import Letter, StepOrder, StepReady, StepRunning, StepTaken, open_letter
from chains.dask.remote_step import RemoteStep
from chains.dask.worker import permit
from chains.engine.port import Cause, Exit
from tests.kit.clocks import until
from tests.kit.dask.fakes import FakeCluster
from tests.kit.dask.parts import LedgerEngine, begun


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[FakeCluster]:
    with FakeCluster(tmp_path) as cluster:
        yield cluster


@pytest.mark.repeats
def test_a_step_that_nobody_permits_never_begins(cluster: FakeCluster) -> None:
    letters = list[Letter]()

    def hear(said: dict[str, Any]) -> None:
        letters.append(open_letter(said, cluster.seal))

    cluster.add_worker(LedgerEngine(cluster.folder / "worker"))
    spec = cluster.spec()
    folders = tuple(send(cluster.files, mount, spec.output) for mount in spec.mounts)
    order = StepOrder("1", "a", "image", {}, (), folders, spec.limits, spec.network, None, "")
    link = SchedulerLink(cluster.address, cluster.certificates, "topic", hear)
    try:
        future = link.submit("step-1-a", order.seal(cluster.seal, "step-1-a"), spec.limits.memory)
        ready = until(lambda: [one for one in letters if isinstance(one.news, StepReady)], bool)[0]
        began = time.monotonic()
        assert until(future.done, bool)
        assert time.monotonic() - began > PERMIT_SECONDS / 2
        assert link.ask(permit, ready.attempt, workers=[ready.worker]) == {ready.worker: False}
    finally:
        link.close()
    assert begun(cluster.folder) == []
    assert not any(isinstance(one.news, StepRunning) for one in letters)


def test_a_step_whose_permit_came_too_late_is_lost(cluster: FakeCluster) -> None:
    step = RemoteStep(cluster.spec(), "k", lambda worker, attempt: False)
    for number, news in enumerate((StepTaken(), StepReady())):
        step.hear(Letter("k", "a", number, "one", news))
    assert step.await_running(1) is None
    ended = step.await_end(lambda line: None).exit
    assert ended == Exit(-1, Cause.LOST, "the worker one did not begin it in time")
