"""The tests of other files that have their yard from a fixture, to be run over workers as they stand."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType

from chains.runs.states import Status
from tests.kit.dask.cluster import Cluster
from tests.kit.runner import Yard
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


def expect_on_the_worker(cluster: Cluster, yard: Yard) -> None:
    """See that a step `a` that takes long is at the only worker, and ends there with its run."""
    with yard.working():
        run = yard.order(chain("a"))
        yard.running(run, "a")
        (name,) = cluster.workers
        assert cluster.hosts[name].runs() == {str(run.key)}
        yard.cancel(run)
        assert yard.end(run).status is Status.CANCELED
