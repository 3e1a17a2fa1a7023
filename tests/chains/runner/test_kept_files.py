"""A run whose input, earlier outputs or parked files are not what the book says fails and says so."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from chains.engine.port import Exit, Handle, Line
from chains.language.ast import Phase
from chains.plan.model import Plan
from chains.runs.records import Run
from chains.runs.states import Status
from tests.chains.runner.test_fan_out import fanned, unzipped
from tests.chains.runner.test_holds import go_on, held, waiting
from tests.kit.fake_engine import FakeEngine
from tests.kit.runner import RunnerSetup, RunnerSetupOf
from tests.kit.suites.chains import chain

BEFORE, AFTER = Phase.BEFORE, Phase.AFTER
LEFT_OUT = chain("first", "mid", "last", edges=[("first", "last"), ("mid", "last")])

Harm = Callable[[Path], object]
HARMS = [
    pytest.param(shutil.rmtree, "its folder is not there, which held 2 files with 3 bytes", id="folder"),
    pytest.param(lambda folder: (folder / "x").unlink(), "x", id="file"),
    pytest.param(lambda folder: os.truncate(folder / "deep/y", 1), "deep/y", id="truncated"),
    pytest.param(lambda folder: (folder / "z").touch(), "z", id="more"),
    pytest.param(
        lambda folder: [path.unlink() for path in folder.rglob("*") if path.is_file()], "", id="all"
    ),
]


def refused(runner_setup: RunnerSetup, run: Run, about: str) -> str:
    """The last line of a run that failed for files that are not there; nothing is left of it."""
    assert run.status is Status.FAILED
    assert run.output is None
    runner_setup.emptied()
    last = runner_setup.log(run)[-1]
    assert f"{about} is not as it was stored: " in last
    assert "Trigger the job again." in last
    return last


@pytest.mark.parametrize("harm, said", HARMS)
def test_without_its_input_a_run_does_not_run(runner_setup_of: RunnerSetupOf, harm: Harm, said: str) -> None:
    runner_setup = runner_setup_of(a={"COPY": "a"})
    run = runner_setup.order(chain("a"), {"x": "1", "deep/y": "12"})
    assert run.input is not None
    harm(runner_setup.folders.path(run.input))
    with runner_setup.working():
        run = runner_setup.end(run)
        assert said in refused(runner_setup, run, "The input of the run")
    assert runner_setup.steps(run) == {"a": "canceled"}


def test_a_run_with_no_input_and_one_with_an_empty_one_go_on(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"WRITE": "x=1", "COPY": ""})
    with runner_setup.working():
        for files in (None, {}):
            run = runner_setup.end(runner_setup.order(chain("a"), files))
            assert (run.status, runner_setup.output(run)) == (Status.SUCCESS, b"1")


def test_a_run_of_an_older_release_asks_for_its_folder_alone(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"COPY": ""})
    one, other = (runner_setup.order(chain("a"), {"x": "1", "y": "2"}) for _ in range(2))
    runner_setup.database.run("UPDATE run SET tally = NULL")
    assert one.input is not None and other.input is not None
    (runner_setup.folders.path(one.input) / "x").unlink()
    shutil.rmtree(runner_setup.folders.path(other.input))
    with runner_setup.working():
        assert runner_setup.output(runner_setup.end(one)) == b"2"
        refused(runner_setup, runner_setup.end(other), "The input of the run")


@pytest.mark.parametrize("harm, said", HARMS)
@pytest.mark.parametrize(
    "place, about", [("output/first", "The output of first"), ("input", "The input of the run")]
)
def test_a_run_that_waited_does_not_go_on_without_what_it_left(
    runner_setup_of: RunnerSetupOf, place: str, about: str, harm: Harm, said: str
) -> None:
    files = "x=1;deep/y=12"
    runner_setup = runner_setup_of(first={"WRITE": files}, mid={"WRITE": "m=1"}, last={"COPY": ""})
    with runner_setup.working():
        run = runner_setup.order(held(LEFT_OUT, ("mid", AFTER)), {"x": "1", "deep/y": "12"})
        assert waiting(runner_setup, run) == {"m": "1"}
        harm(runner_setup.folders.of(run.key).path / place)
        go_on(runner_setup, run)
        run = runner_setup.end(run)
        line = refused(runner_setup, run, about)
        assert said in line or place != "input"
    assert runner_setup.steps(run) == {"first": "success", "mid": "success", "last": "canceled"}


def test_a_run_that_waited_does_not_go_on_in_another_data_folder(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(first={"WRITE": "x=1"}, mid={"WRITE": "m=1"}, last={"COPY": ""})
    with runner_setup.working():
        run = runner_setup.order(held(LEFT_OUT, ("mid", AFTER)))
        waiting(runner_setup, run)
        shutil.rmtree(runner_setup.folders.of(run.key).path)
        go_on(runner_setup, run)
        assert "which held 1 file with 1 byte" in refused(
            runner_setup, runner_setup.end(run), "The output of first"
        )


def test_what_nobody_reads_any_more_may_be_gone(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"WRITE": "x=1"}, b={"COPY": "b"}, c={"COPY": "c"})
    with runner_setup.working():
        run = runner_setup.order(held(chain("a", "b", "c"), ("b", AFTER)))
        waiting(runner_setup, run)
        shutil.rmtree(runner_setup.folders.of(run.key).path / "output" / "a")
        # That of the hold itself comes back from where people change it.
        shutil.rmtree(runner_setup.folders.of(run.key).path / "output" / "b")
        go_on(runner_setup, run)
        assert runner_setup.output(runner_setup.end(run)) == b"1b\nc\n"


@pytest.mark.parametrize("mark", [("b", BEFORE), ("a", AFTER)])
def test_a_run_that_went_on_twice_has_what_people_left_each_time(
    runner_setup_of: RunnerSetupOf, mark: tuple[str, Phase]
) -> None:
    runner_setup = runner_setup_of(a={"COPY": "a"}, b={"COPY": "b"}, c={"COPY": "c"})
    plan = held(chain("a", "b", "c", edges=[("a", "b"), ("a", "c"), ("b", "c")]), mark, ("c", BEFORE))
    with runner_setup.working():
        run = runner_setup.order(plan, {"x": "1"})
        waiting(runner_setup, run)["x"] = "edited "
        go_on(runner_setup, run)
        runner_setup.run_store.waits.wait(run.key, lambda status: status is not Status.PROCESSING, 60)
        assert sorted(waiting(runner_setup, run)) == ["a/x", "b/x"]
        go_on(runner_setup, run)
        run = runner_setup.end(run)
    assert run.status is Status.SUCCESS
    assert unzipped(runner_setup.output(run))["b/x"] == b"edited b\nc\n"


class Thief(FakeEngine):
    """Does harm after a step has ended and before the next one begins."""

    def __init__(self, runner_setup: RunnerSetup, step: str, harm: Callable[[Handle], object]) -> None:
        super().__init__(runner_setup.images)
        self._step, self._harm = step, harm

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        end = super().wait(handle, tell)
        if handle.spec.step == self._step:
            self._harm(handle)
        return end


def stolen(
    tmp_path: Path, plan: Plan, step: str, rel: str, **scripts: dict[str, str]
) -> tuple[RunnerSetup, Run]:
    """A run that loses a file or folder when a step has ended."""
    runner_setup = RunnerSetup(tmp_path, **scripts)

    def harm(handle: Handle) -> None:
        place = runner_setup.folders.of(int(handle.spec.run)).path / rel
        shutil.rmtree(place) if place.is_dir() else place.unlink()

    runner_setup.engine = Thief(runner_setup, step, harm)
    with runner_setup.working():
        run = runner_setup.end(runner_setup.order(plan, {"x": "1"}))
        runner_setup.emptied()
    return runner_setup, run


@pytest.mark.parametrize("rel", ["output/a", "output/a/x"])
def test_an_output_that_goes_while_another_step_runs_is_missed(tmp_path: Path, rel: str) -> None:
    plan = chain("a", "b", "c", edges=[("a", "b"), ("b", "c"), ("a", "c")])
    runner_setup, run = stolen(tmp_path, plan, "b", rel, a={"COPY": "a"}, b={"COPY": "b"}, c={"COPY": "c"})
    assert "c: could not be started: The output of a is not as it was" in runner_setup.log(run)[-1]
    refused(runner_setup, run, "The output of a")


def test_an_output_that_cannot_be_read_is_no_empty_one(tmp_path: Path) -> None:
    runner_setup = RunnerSetup(tmp_path, a={"COPY": "a"}, b={"COPY": "b"}, c={})

    def harm(handle: Handle) -> None:
        place = runner_setup.folders.of(int(handle.spec.run)).path / "output" / "a"
        shutil.rmtree(place)
        place.symlink_to(place)

    runner_setup.engine = Thief(runner_setup, "b", harm)
    with runner_setup.working():
        run = runner_setup.end(
            runner_setup.order(chain("a", "b", "c", edges=[("a", "b"), ("b", "c"), ("a", "c")]), {"x": ""})
        )
    assert run.status is Status.FAILED
    assert "what the step reads could not be" in runner_setup.log(run)[-1]


def test_an_output_that_went_while_its_step_ran_is_missed(tmp_path: Path) -> None:
    runner_setup, run = stolen(tmp_path, chain("a"), "a", "output/a", a={"COPY": "a"})
    assert "its folder went while the step ran" in refused(runner_setup, run, "The output of a")


def test_a_result_that_goes_before_it_is_kept_is_missed(tmp_path: Path) -> None:
    plan = chain("a", "b", "c", edges=[("a", "b"), ("a", "c")])
    runner_setup, run = stolen(
        tmp_path, plan, "c", "output/b/x", a={"COPY": "a"}, b={"COPY": "b"}, c={"COPY": "c", "SLEEP": "1"}
    )
    assert "The result cannot be kept: " in refused(runner_setup, run, "The output of b")


def test_a_file_of_a_fan_out_that_goes_is_missed(tmp_path: Path) -> None:
    runner_setup, run = stolen(
        tmp_path, fanned("a", "b", over="b"), "a", "input", a={"WRITE": "x=1;y=2"}, b={}
    )
    assert run.status is Status.SUCCESS, "nobody reads it"
    plan = fanned("a", "b", "c", over="c", edges=[("a", "b"), ("a", "c"), ("b", "c")])
    runner_setup, run = stolen(
        tmp_path / "2", plan, "b", "output/a/x", a={"COPY": ""}, b={"COPY": ""}, c={"COPY": ""}
    )
    assert '"x" is missing' in refused(runner_setup, run, "The output of a")


def test_files_for_a_hold_that_are_gone_are_not_parked_as_none(tmp_path: Path) -> None:
    plan = held(chain("a", "b", "c", edges=[("a", "b"), ("a", "c"), ("b", "c")]), ("c", BEFORE))
    runner_setup, run = stolen(tmp_path, plan, "b", "output/a/x", a={"COPY": "a"}, b={"COPY": "b"}, c={})
    assert "The run cannot wait before c: " in refused(runner_setup, run, "The output of a")
