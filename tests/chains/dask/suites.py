"""The tests of other files whose runner setup is a fixture, to be run over workers unchanged."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType

from chains.runs.states import Status
from tests.kit.dask.cluster import Cluster
from tests.kit.runner import RunnerSetup
from tests.kit.suites.chains import chain


def asking_for(fixture: str, *suites: ModuleType) -> dict[str, Callable[..., object]]:
    """The tests of these modules that ask for a fixture, by their names."""
    found: dict[str, Callable[..., object]] = {}
    for suite in suites:
        for name, test in vars(suite).items():
            if name.startswith("test_") and fixture in inspect.signature(test).parameters:
                assert name not in found, name
                found[name] = test
    assert found
    return found


def expect_on_the_worker(cluster: Cluster, runner_setup: RunnerSetup) -> None:
    """See that a step `a` that takes long is at the only worker, and ends there with its run."""
    with runner_setup.working():
        run = runner_setup.order(chain("a"))
        runner_setup.running(run, "a")
        (name,) = cluster.workers
        assert cluster.hosts[name].runs() == {str(run.key)}
        runner_setup.cancel(run)
        assert runner_setup.end(run).status is Status.CANCELED
