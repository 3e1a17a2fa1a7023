"""A step that fails is tried again as it is configured, with nothing of the attempt before."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

import pytest

from chains.engine.port import Cause, Exit, Handle, Limits
from chains.plan.model import Plan, StepConfig, from_data, to_data
from chains.runner.ports import StepPolicy
from chains.runs.records import Run
from chains.runs.states import Status
from tests.chains.runner.test_fan_out import fanned
from tests.kit.fake_engine import FakeEngine
from tests.kit.runner import NEVER, RunnerSetup, RunnerSetupOf
from tests.kit.suites.chains import chain

SOON = StepConfig(retries=3, backoff=0.01)


def tried(plan: Plan, **configs: StepConfig) -> Plan:
    """A plan whose steps are configured."""
    steps = (replace(step, config=configs.get(step.name, step.config)) for step in plan.steps)
    return from_data(to_data(replace(plan, steps=tuple(steps))))


class Flaky(FakeEngine):
    """An engine whose steps fail a given number of times, each attempt leaving a separate file."""

    def __init__(self, images: dict[str, dict[str, str]], ends: Mapping[str, list[Exit]]) -> None:
        super().__init__(images)
        self.ends = {name: list(ends) for name, ends in ends.items()}
        self.found: list[tuple[str, list[str]]] = []
        self.limits: list[Limits] = []

    def wait(self, handle: Handle, tell: object) -> Exit:
        spec = handle.spec
        name = spec.step if spec.replica is None else f"{spec.step}[{spec.replica}]"
        self.limits.append(spec.limits)
        self.found.append((name, sorted(path.name for path in spec.output.iterdir())))
        ended = super().wait(handle, tell)  # type: ignore[arg-type]
        if self.ends.get(name):
            (spec.output / f"left-by-{len(self.ends[name])}").write_text("half")
            return self.ends[name].pop(0)
        return ended


def flaky(setup: RunnerSetup, **ends: list[Exit]) -> Flaky:
    engine = Flaky(setup.images, ends)
    setup.engine = engine
    return engine


def test_the_third_attempt_succeeds_and_finds_nothing_of_the_others(runner_setup_of: RunnerSetupOf) -> None:
    setup = runner_setup_of(a={"WRITE": "x=1"}, b={"COPY": "b"})
    engine = flaky(setup, a=[Exit(1), Exit(7)])
    run = setup.run(tried(chain("a", "b"), a=SOON))
    assert (run.status, setup.output(run)) == (Status.SUCCESS, b"1b\n")
    assert [names for step, names in engine.found if step == "a" and names not in ([], ["x"])] == []
    log = setup.log(run)
    assert any(
        line.startswith("a: ended with exit code 1 after") and "tried again in 0.01 s" in line for line in log
    )
    assert "a: attempt 2 of 4 begins" in log and "a: attempt 3 of 4 begins" in log
    assert any(line.startswith("a: ended with exit code 0") and "in attempt 3 of 4" in line for line in log)
    rows = {row.name: row for row in setup.run_store.reader.steps(run.key)}
    assert (rows["a"].attempt, rows["b"].attempt) == (3, None)
    assert setup.leftovers() == []


def test_the_last_attempt_that_fails_fails_the_run(runner_setup_of: RunnerSetupOf) -> None:
    setup = runner_setup_of(a={"EXIT": "2", "ECHO": "no luck"}, b={})
    run = setup.run(tried(chain("a", "b"), a=replace(SOON, retries=2)))
    assert (run.status, setup.steps(run)) == (Status.FAILED, {"a": "failed", "b": "canceled"})
    last = setup.log(run)[-1]
    assert last.startswith("a: ended with exit code 2 after") and "in attempt 3 of 3; it printed" in last


@pytest.mark.parametrize(
    ("end", "config", "attempts"),
    [
        (Exit(65), SOON, 1),
        (Exit(79), SOON, 4),
        (Exit(1), replace(SOON, retry_on=((75, 75), (100, 110))), 1),
        (Exit(75), replace(SOON, retry_on=((75, 75), (100, 110))), 4),
        (Exit(105), replace(SOON, retry_on=((75, 75), (100, 110))), 4),
        (Exit(137, Cause.MEMORY), SOON, 1),
        (Exit(137, Cause.OUTPUT), SOON, 1),
        (Exit(137, Cause.LOG), SOON, 1),
        (Exit(137, Cause.TIME), SOON, 4),
        (Exit(-1, Cause.LOST, "gone"), SOON, 4),
        (Exit(1), StepConfig(), 1),
    ],
)
def test_what_is_tried_again(
    runner_setup_of: RunnerSetupOf, end: Exit, config: StepConfig, attempts: int
) -> None:
    setup = runner_setup_of(a={})
    engine = flaky(setup, a=[end] * 9)
    run = setup.run(tried(chain("a"), a=config))
    assert (run.status, len(engine.found)) == (Status.FAILED, attempts)


def test_each_replica_has_its_own_attempts(runner_setup_of: RunnerSetupOf) -> None:
    setup = runner_setup_of(a={"WRITE": "x=1;y=2;z=3"}, b={"COPY": "b"})
    engine = flaky(setup, **{"b[0]": [Exit(1)], "b[2]": [Exit(1), Exit(1)]})
    run = setup.run(tried(fanned("a", "b", over="b"), b=SOON))
    assert run.status is Status.SUCCESS
    assert {name: sum(one == name for one, _ in engine.found) for name, _ in engine.found} == {
        "a": 1, "b[0]": 2, "b[1]": 1, "b[2]": 3,
    }  # fmt: skip
    rows = {(row.name, row.replica): row.attempt for row in setup.run_store.reader.steps(run.key)}
    assert rows == {("a", None): None, ("b", None): None, ("b", 0): 2, ("b", 1): None, ("b", 2): 3}


def test_a_cancel_while_a_step_waits_ends_the_run_at_once(runner_setup_of: RunnerSetupOf) -> None:
    setup = runner_setup_of(a={"EXIT": "1"})
    with setup.working():
        run = setup.order(tried(chain("a"), a=StepConfig(retries=1, backoff=3_000)))
        waiting(setup, run)
        setup.cancel(run)
        assert setup.end(run).status is Status.CANCELED
    assert setup.steps(run) == {"a": "canceled"}
    setup.emptied()


def test_another_step_that_fails_ends_the_wait(runner_setup_of: RunnerSetupOf) -> None:
    setup = runner_setup_of(a={"EXIT": "1"}, b={"SLEEP": "0.3", "EXIT": "70"})
    run = setup.run(tried(chain("a", "b", edges=[]), a=StepConfig(retries=1, backoff=3_000)))
    assert (run.status, setup.steps(run)) == (Status.FAILED, {"a": "canceled", "b": "failed"})


def test_a_runner_that_stops_while_a_step_waits_ends_the_run(runner_setup_of: RunnerSetupOf) -> None:
    setup = runner_setup_of(a={"EXIT": "1"})
    setup.settings = replace(setup.settings, drain=0.2)
    with setup.working():
        run = setup.order(tried(chain("a"), a=StepConfig(retries=1, backoff=3_000)))
        waiting(setup, run)
    found = setup.run_store.reader.by_key(run.key)
    assert found is not None and found.status is Status.FAILED
    assert "cannot be continued" in setup.log(run)[-1]


def test_limits_of_a_step_are_lowered_and_raised_up_to_the_most(runner_setup_of: RunnerSetupOf) -> None:
    setup = runner_setup_of(a={})
    policy = StepPolicy(Limits(memory=100, cpus=1, seconds=20), most=Limits(memory=300, cpus=2, seconds=60))
    setup.settings = replace(setup.settings, policy=policy)
    engine = flaky(setup)
    for config in (StepConfig(memory=50, cpus=0.5, timeout=5), StepConfig(memory=900, cpus=9, timeout=90)):
        setup.run(tried(chain("a"), a=config))
    assert [(one.memory, one.cpus, one.seconds) for one in engine.limits] == [(50, 0.5, 5), (300, 2, 60)]


def waiting(setup: RunnerSetup, run: Run) -> None:
    """Wait until a step of the run is to be tried again."""
    until = time.monotonic() + NEVER
    while not any("it is tried again" in line for line in setup.log(run)):
        assert time.monotonic() < until
        time.sleep(0.01)
