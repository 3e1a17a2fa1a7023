"""Runs whose image the store lost begin when it was built again from the same commit, or say why not."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from chains.builds.image_sweep import ImageStandIns, ImageSweep
from chains.builds.run_store import Build
from chains.plan.model import Plan
from chains.runs.states import Status
from tests.kit.fake_engine import FakeBuilder
from tests.kit.runner import RunnerSetup
from tests.kit.suites.chains import chain

REPO, BRANCH = 7, "refs/heads/main"


class Restored:
    """A server whose store has none of the images that its book names; builds end as `error` says."""

    def __init__(self, folder: Path) -> None:
        self.runner_setup = RunnerSetup(folder, new={"COPY": "built again"})
        self.builds, self.error = self.runner_setup.builds, ""
        self.ordered: list[tuple[int, str]] = []
        self.runner_setup.make = self.make  # type: ignore[method-assign]
        self.push("c0ffee", "image-old")
        self.lost = self.runner_setup.lost = ImageStandIns(self.builds, self.order)
        self.sweep = ImageSweep(
            FakeBuilder({}), self.builds, self.runner_setup.run_store.retention, self.lost
        )

    def push(self, commit: str, image: str) -> None:
        number = self.builds.queue(REPO, ["latest"], BRANCH, commit, "bob")
        assert self.builds.take("w") is not None
        self.builds.finish(number, image)

    def order(self, repo: int, commit: str) -> None:
        self.ordered.append((repo, commit))
        self.builds.queue(repo, ["latest"], BRANCH, commit, "bob")

    def make(self, build: Build) -> None:
        self.builds.finish(build.id, None if self.error else "image-new", self.error)

    def plan(self, *names: str, commit: str | None = "c0ffee") -> Plan:
        plan = chain(*names)
        steps = (
            replace(step, source=replace(step.source, image_id="image-old", item=REPO, commit=commit))
            for step in plan.steps
        )
        return replace(plan, steps=tuple(steps))


@pytest.fixture
def restored(tmp_path: Path) -> Restored:
    return Restored(tmp_path)


def test_runs_that_were_queued_wait_for_one_build_and_succeed(restored: Restored) -> None:
    runner_setup = restored.runner_setup
    runs = [runner_setup.order(restored.plan("a"), {"birds.txt": "curlew\n"}) for _ in range(3)]
    restored.sweep.begin()
    with runner_setup.working():
        ends = [runner_setup.end(run) for run in runs]
    assert {run.status for run in ends} == {Status.SUCCESS}
    assert runner_setup.output(ends[0]) == b"curlew\nbuilt again\n"
    assert restored.ordered == [(REPO, "c0ffee")]
    assert any("no longer exists: the run waits" in line for run in ends for line in runner_setup.log(run))


def test_an_image_that_was_built_again_before_the_run_began_is_taken(restored: Restored) -> None:
    run = restored.runner_setup.order(restored.plan("a", "b"), {"x": "1"})
    restored.sweep.begin()
    restored.push("c0ffee", "image-new")
    with restored.runner_setup.working():
        assert restored.runner_setup.end(run).status is Status.SUCCESS
    assert restored.ordered == []


@pytest.mark.parametrize(
    ("commit", "error", "said"),
    [
        ("c0ffee", "no room", "and cannot be built again: no room"),
        ("c0de", "", "and latest is another commit by now: trigger the job again"),
        (None, "", "and the run has no record of its commit"),
    ],
)
def test_a_run_that_cannot_have_its_image_says_why(
    restored: Restored, commit: str | None, error: str, said: str
) -> None:
    restored.error = error
    runs = [restored.runner_setup.order(restored.plan("a", commit=commit), {"x": "1"}) for _ in range(2)]
    restored.sweep.begin()
    with restored.runner_setup.working():
        ends = [restored.runner_setup.end(run) for run in runs]
    assert {run.status for run in ends} == {Status.FAILED}
    assert all(said in restored.runner_setup.log(run)[-1] for run in ends)
    assert len(restored.ordered) == bool(error)


def test_a_run_that_waits_is_canceled_and_ends_with_the_server(restored: Restored) -> None:
    going = threading.Event()
    restored.runner_setup.make = lambda build: going.wait(20)  # type: ignore[method-assign, assignment, return-value]
    restored.runner_setup.settings = replace(restored.runner_setup.settings, drain=0.2)
    canceled, left = (restored.runner_setup.order(restored.plan("a"), {"x": "1"}) for _ in range(2))
    restored.sweep.begin()
    with restored.runner_setup.working():
        while not all(len(restored.runner_setup.log(run)) > 2 for run in (canceled, left)):
            threading.Event().wait(0.01)
        restored.runner_setup.cancel(canceled)
        assert restored.runner_setup.end(canceled).status is Status.CANCELED
    going.set()
    assert "The run was interrupted" in restored.runner_setup.log(left)[-1]
