"""Rights that are taken back while a run goes on: what is checked when, and how the run ends."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

from chains.engine.port import Limits, Network, StepSpec
from chains.language.ast import Phase
from chains.plan.model import ComposedStep, Hold, MountedSpace, Plan, from_data, to_data
from chains.runner.launch import Launch
from chains.runs.retry import Patience
from chains.runs.rights import Permission, Use
from chains.runs.states import Event, Status
from tests.kit.runner import NEVER, RunnerSetup, Shares
from tests.kit.suites.chains import chain
from vfs.errors import Denied, Unavailable


class Later(Shares):
    """Takes something back after a number of queries."""

    def __init__(self, name: str, allowed: int) -> None:
        super().__init__()
        self.name, self.left = name, allowed
        self.queries: list[set[str]] = []

    def refusal(self, uses: Collection[Use]) -> str | None:
        self.queries.append({use.name for use in uses})
        if len(self.queries) > self.left:
            self.taken.add(self.name)
        return super().refusal(uses)


@pytest.fixture
def runner_setup(tmp_path: Path) -> RunnerSetup:
    return RunnerSetup(tmp_path, a={"ECHO": "a", "WRITE": "1=1;2=2"}, b={"ECHO": "b"}, c={"ECHO": "c"})


def test_all_rights_are_checked_before_the_first_step_and_those_of_each_step_before_it_starts(
    runner_setup: RunnerSetup,
) -> None:
    runner_setup.rights = later = Later("none", 0)
    assert runner_setup.run(chain("a", "b", "c")).status is Status.SUCCESS
    assert later.queries == [{"a", "b", "c"}, {"a"}, {"b"}, {"c"}]


@pytest.mark.parametrize("allowed, failed", [(0, None), (1, None), (2, "b")])
def test_a_step_is_not_started_whose_image_was_taken_back(
    runner_setup: RunnerSetup, allowed: int, failed: str | None
) -> None:
    runner_setup.rights = Later("b", allowed)
    run = runner_setup.run(chain("a", "b", "c"))
    assert run.status is Status.FAILED
    assert runner_setup.log(run)[-1] == ("b: b was taken back" if allowed else "b was taken back")
    assert "b: b" not in runner_setup.log(run)
    wanted = {"a": "success", "b": "failed", "c": "canceled"} if allowed else dict.fromkeys("abc", "canceled")
    assert runner_setup.steps(run) == wanted


def test_replicas_that_were_not_started_yet_are_not(runner_setup: RunnerSetup) -> None:
    runner_setup.settings = replace(runner_setup.settings, slots=1)
    plan = chain("a", "b")
    plan = replace(plan, steps=(plan.steps[0], replace(plan.steps[1], fan_out=True)))
    runner_setup.rights = later = Later("b", 3)
    run = runner_setup.run(plan)
    assert run.status is Status.FAILED
    assert later.queries[:3] == [{"a", "b"}, {"a"}, {"b"}]
    assert sum(line.endswith("b was taken back") for line in runner_setup.log(run)) >= 1
    assert sum(line == "b[0]: b" or line == "b[1]: b" for line in runner_setup.log(run)) <= 1


def test_finished_steps_are_not_checked_after_a_hold(runner_setup: RunnerSetup) -> None:
    plan = replace(chain("a", "b"), holds=(Hold("a", Phase.AFTER, 0, ("a",)),))
    runner_setup.rights = later = Later("none", 0)
    with runner_setup.working():
        run = runner_setup.order(plan)
        assert (
            runner_setup.run_store.waits.wait(run.key, lambda status: status is Status.WAITING, NEVER)
            is Status.WAITING
        )
        later.taken.add("a")
        runner_setup.run_store.states.settle(run.key, Event.CONTINUE, "carol", 1)
        assert runner_setup.end(run).status is Status.SUCCESS
    assert later.queries[-2:] == [{"b"}, {"b"}]


class Away:
    """Rights that nobody knows at first."""

    def __init__(self) -> None:
        self.queries = 0

    def refusal(self, uses: Collection[Use]) -> str | None:
        self.queries += 1
        if self.queries == 1:
            raise Unavailable("nobody knows")
        return None


def test_a_step_waits_while_nobody_knows_what_it_may(runner_setup: RunnerSetup) -> None:
    runner_setup.rights = away = Away()
    assert runner_setup.run(chain("a")).status is Status.SUCCESS
    assert away.queries > 1


def refuse(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    "error, said", [(Denied("taken back"), "taken back"), (Unavailable("away"), "could not be started: away")]
)
def test_a_launch_that_may_not_begin_says_why(runner_setup: RunnerSetup, error: Exception, said: str) -> None:

    spec = StepSpec("1", "a", "image-a", {}, (), runner_setup.folders.root, Limits(), Network.NONE)
    ended = Launch(runner_setup.engine, spec).run(lambda: None, lambda line: None, lambda: refuse(error))
    assert ended.sentence(Limits()) == said


def test_a_step_inside_jobs_uses_them_all_each_for_its_users() -> None:
    plan = chain("x")
    seen = (MountedSpace("n", 5, True, "eve", "notes"), MountedSpace("m", 6, False, "eve", "more"))
    composed = (
        ComposedStep("j", "bob", "outer", 7, "Outer", None, "carol"),
        ComposedStep("j__k", "dave", "inner", 8, "Inner", "j"),
    )
    step = replace(plan.steps[0], parent="j__k", source=replace(plan.steps[0].source, item=9))
    plan = Plan((step,), (), (), composed)
    permission = Permission(
        Shares(), plan, "alice", None, {None: (), "j": (), "j__k": seen}, Patience(threading.Event())
    )
    assert list(permission.uses(step)) == [
        Use("job", "bob", "outer", 7, "x", frozenset({"alice"})),
        Use("job", "dave", "inner", 8, "x", frozenset({"bob", "carol"})),
        Use("repo", "alice", "x", 9, "x", frozenset({"dave"})),
        Use("space", "eve", "notes", 5, "rw", frozenset({"dave"})),
        Use("space", "eve", "more", 6, "r", frozenset({"dave"})),
    ]


def nested() -> Plan:
    """A plan with a job in it, as earlier releases recorded them."""
    return replace(chain("a", "b"), composed=(ComposedStep("j", "bea", "sub", 7, "Short", None),))


def test_what_is_mounted_is_stored_with_its_item() -> None:
    seen = (MountedSpace("n", 5, True, "bea", "notes"),)
    plan = replace(nested(), mounts=seen, composed=(replace(nested().composed[0], mounts=()),))
    assert from_data(json.loads(json.dumps(to_data(plan)))) == plan


def test_a_plan_of_an_earlier_release_says_nothing_of_items() -> None:
    data = to_data(nested())
    for part in (data, *data["composed"]):
        del part["mounts"]
    for step in data["steps"]:
        del step["source"]["item"]
    assert from_data(data) == nested()
